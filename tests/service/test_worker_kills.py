"""Workers that are killed while they serve, and a database that is restarted under them."""

import asyncio
import os
import random
import signal
import time

import pytest
from tests.service.aftermath import Aftermath
from tests.service.loads import Load
from tests.service.running import LONG, SHORT, serving, stop_database, until, wrong_with

EVERY = 100
LONGER = [pytest.mark.slow, pytest.mark.untraced]
CASES = [
    ("postgres", 3),
    pytest.param("postgres", 60, marks=LONGER),
    pytest.param("sqlite", 20, marks=LONGER),
]
TWO = ("--workers", "2", "--tick", "0.2s", "--decisions", "0")


async def restart(server):
    await asyncio.to_thread(stop_database, server)
    await asyncio.sleep(0.3)
    await asyncio.to_thread(server.start)


async def kill_workers(service, load, times, server):
    """Kill a worker whenever so many more requests were answered; restart the database once."""
    draw, kills, mark = random.Random(times), 0, EVERY
    restarts = [] if server is None else [(times + 1) // 2]
    while kills < times and not service.ended:
        if restarts == [kills] and load.answered >= mark - EVERY // 2:
            restarts.clear()
            await restart(server)
        if load.answered >= mark and service.kill_worker(draw.randrange(2)):
            kills, mark = kills + 1, load.answered + EVERY
        await asyncio.sleep(0.002)
    return kills


async def under_load(service, load, times, server):
    killing = asyncio.create_task(kill_workers(service, load, times, server))
    watching = asyncio.create_task(load.watch(lambda: not killing.done()))
    await load.run(lambda: not killing.done())
    await watching
    return await killing


@pytest.mark.parametrize(("kind", "times"), CASES)
def test_killed_workers(place_of, tmp_path, request, record_property, kind, times):
    place = place_of(kind)
    server = request.getfixturevalue("server") if kind == "postgres" else None
    with serving(place, tmp_path, *TWO) as service:
        service.begun(LONG, SHORT)
        load = Load(service, seed=times, share=0.02, tries=40)
        kills = asyncio.run(under_load(service, load, times, server))
        assert not service.ended, service.printed
        assert service.ask("POST", "/v1/experiments/short/stop", {}).status == 200
        until(lambda: is_stopped(service), "all is released")
        code, _ = service.stop()
    after = Aftermath(place, load, restarts=server is not None, settled=True)
    wrong = after.complaints()
    restarts = int(server is not None)
    figures = f"{kind}: {kills} kills, {restarts} restarts, {after.figures()}, {len(wrong)} wrong"
    record_property("figures", figures)
    print(figures)  # noqa: T201
    assert wrong == []
    assert wrong_with(place) == []
    assert (code, kills) == (0, times)
    assert after.releases


def is_stopped(service):
    return service.ask("GET", "/v1/experiments/short").json["state"] == "stopped"


@pytest.mark.slow
def test_a_worker_that_starts_while_the_database_is_away(place_of, tmp_path, server):
    """It waits for it; those who serve already say that they cannot, and go on afterwards."""
    place = place_of("postgres")
    with serving(place, tmp_path, *TWO) as service:
        service.begun(LONG)
        before = set(service.workers)
        stop_database(server)
        try:
            assert service.ask("GET", "/readyz").status == 503
            service.kill_worker()
            until(lambda: set(service.workers) - before, "there is another worker")
            time.sleep(3)
        finally:
            server.start()
        assert not service.ended, service.printed
        until(lambda: service.ask("GET", "/readyz").status == 200, "it is ready again")
        told = service.ask("POST", "/v1/experiments/long/decisions", {"person": "u17"})
        assert told.status == 201
        assert service.stop()[0] == 0


def test_a_worker_that_is_killed_while_it_starts_is_replaced_soon(place_of, tmp_path):
    place = place_of("sqlite")
    with serving(place, tmp_path, *TWO) as service:
        known = set(service.workers)
        service.kill_worker()
        (new,) = until(lambda: set(service.workers) - known, "there is another worker")
        known.add(new)
        time.sleep(0.9)  # it is asked whether it lives, and has not begun to answer
        os.kill(new, signal.SIGKILL)
        until(lambda: set(service.workers) - known, "there is another worker", patience=10)
        assert service.ask("GET", "/readyz").status == 200
        assert service.stop()[0] == 0


@pytest.mark.slow
def test_a_database_that_stays_away_ends_a_service_that_lost_a_worker(place_of, tmp_path, server):
    """Not with code 0: whoever looks after it is to start it again."""
    place = place_of("postgres")
    with serving(place, tmp_path, *TWO) as service:
        stop_database(server)
        try:
            service.kill_worker()
            code = service.process.wait(90)
        finally:
            server.start()
        assert code == 2
        assert service.err.endswith("error: a worker could not start; its own words are above\n")
    assert wrong_with(place) == []
