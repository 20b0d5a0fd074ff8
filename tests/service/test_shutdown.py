"""A service that is told to end while it serves: what it began it finishes."""

import asyncio
import os
import random
import signal
import time

import pytest
from tests.live.fault_check import rows
from tests.service.calling import Caller
from tests.service.loads import read
from tests.service.running import LONG, PATIENCE, serving, wrong_with

import hush.live

PATH = "/v1/experiments/long/decisions"
MOST = 30.0
PERSON = "nobody-else"


class Visitors:
    """People who visit and send a reward, one after the other, until an answer is missing."""

    def __init__(self, service, lanes):
        self.caller = Caller(service.address, service.token, random.Random(0))
        self.lanes, self.told = lanes, []

    async def visit(self, lane):
        for number in range(10**6):
            key = f"{lane}-{number}"
            made = await self.caller.ask("POST", PATH, {"person": key}, idempotency_key=key)
            self.told.append(("decide", key, made))
            if made.status != 201:
                return
            decision = made.json["decision"]
            path = f"/v1/decisions/{decision}/reward"
            taken = await self.caller.ask("PUT", path, {"value": 1})
            self.told.append(("reward", decision, taken))
            if taken.status != 204:
                return

    async def visit_until(self, ending):
        visits = [asyncio.create_task(self.visit(lane)) for lane in range(self.lanes)]
        await asyncio.sleep(0.7)
        slow = asyncio.create_task(self._slowly())
        await asyncio.sleep(0.3)
        ending()
        await asyncio.gather(*visits)
        await self.caller.close()
        return await slow

    async def _slowly(self):
        """Send a request whose end comes when the service is ending; return its answer."""
        raw = self.caller.written("POST", PATH, {"person": "slow"}, {"idempotency_key": "slow"})
        reader, writer = await asyncio.open_connection(*self.caller.place)
        writer.write(raw[:-5])
        await asyncio.sleep(1.2)
        writer.write(raw[-5:])
        told = await reader.read()
        writer.close()
        return told


@pytest.mark.parametrize(
    ("kind", "workers", "all_at_once"),
    [
        ("sqlite", 1, False),
        ("postgres", 2, False),
        pytest.param("sqlite", 2, True, marks=pytest.mark.slow),
    ],
)
def test_what_was_begun_is_finished(
    place_of, tmp_path, record_property, kind, workers, all_at_once
):
    place = place_of(kind)
    given = ("--workers", str(workers), "--tick", "0.2s", "--decisions", "0")
    with serving(place, tmp_path, *given) as service:
        service.begun(LONG)
        visitors = Visitors(service, lanes=12)

        def end():
            for each in service.workers if all_at_once else ():  # as the manager of a system does
                os.kill(each, signal.SIGTERM)
            service.process.send_signal(signal.SIGTERM)

        began = time.monotonic()
        slow = asyncio.run(visitors.visit_until(end))
        code = service.process.wait(PATIENCE)
        took = time.monotonic() - began
        printed = service.err
    told = visitors.told
    made = {key: each for what, key, each in told if what == "decide" and each.status == 201}
    cut = sum(not each.status for _, _, each in told)
    figures = f"{kind}: {len(told)} requests, {len(made)} decisions, {cut} not begun, {took:.1f} s"
    record_property("figures", figures)
    print(figures)  # noqa: T201
    assert {each.status for _, _, each in told} <= {0, 201, 204}
    assert not any(each.torn for _, _, each in told)
    assert slow.startswith(b"HTTP/1.1 201 ")
    assert (code, printed) == (0, "")
    assert took < MOST
    assert len(made) > 50
    # All that was registered was answered, and no reward that was not.
    (registered,) = rows(place.private, "SELECT count(*) FROM replies WHERE body IS NOT NULL")
    assert registered == (len(made) + 1,)
    taken = {read(name) for what, name, each in told if what == "reward" and each.status == 204}
    bits = set(rows(place.private, "SELECT worker, ordinal FROM pending WHERE bit = 1"))
    assert bits == {(each.worker, each.ordinal) for each in taken}
    assert wrong_with(place) == []
    with hush.live.open(place.public, private=place.private, secret=place.secret) as store:
        assert store.held is None
        assert store.experiment("long").state == "running"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_request_that_never_ends_does_not_hold_it_up(place_of, tmp_path, workers):
    place = place_of("sqlite")
    with serving(place, tmp_path, "--workers", str(workers)) as service:
        service.begun(LONG)
        asyncio.run(half_a_request(service))
    assert wrong_with(place) == []


async def half_a_request(service):
    caller = Caller(service.address, service.token, random.Random(0))
    raw = caller.written("POST", PATH, {"person": PERSON}, {})
    _, writer = await asyncio.open_connection(*caller.place)
    writer.write(raw[:-5])
    await asyncio.sleep(0.5)
    code, took = await asyncio.to_thread(service.stop)
    writer.close()
    assert code == 0
    assert took < MOST
    assert PERSON not in service.printed
