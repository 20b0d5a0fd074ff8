"""Over real connections: a service, and listeners that hang, cut and refuse."""

import asyncio
import socket
import threading
import time as real_time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import uvicorn
from tests.client.sides import CHECKOUT, TOKEN, twin

import hush
from hush.service import App, Core, Settings


@contextmanager
def served(store):
    """Serve a store on a port of this machine."""
    app = App(lambda: Core(store, Settings(tick=None)))
    config = uvicorn.Config(
        app, port=0, log_config=None, lifespan="on", ws="none", access_log=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        real_time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def listening(answer=None):
    """Listen on a port, and do something with every connection; nothing, if left out."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        stopping = threading.Event()

        def serve():
            server.settimeout(0.05)
            while not stopping.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                with connection:
                    connection.settimeout(5)
                    answer(connection, stopping)

        thread = threading.Thread(target=serve) if answer else None
        if thread:
            thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            stopping.set()
            if thread:
                thread.join()


def test_a_day_over_a_real_connection():
    store, _, token = twin()
    with served(store) as url, hush.Client(url, token, flush=60.0, timeout=60.0) as client:
        exp = client.create("checkout", **CHECKOUT)
        exp.start()
        with ThreadPoolExecutor(8) as pool:
            shown = list(pool.map(lambda n: exp.decide(f"u{n}"), range(200)))
            list(pool.map(lambda each: exp.reward(each, 1), shown))
        assert len({each.id for each in shown}) == 200
        client.flush()
        assert sum(bit for (bit,) in store._private.run("SELECT bit FROM pending")) == 200
        assert len(exp.decide_many({"person": f"v{n}"} for n in range(2_500))) == 2_500
        assert client.ready()


def test_a_day_over_a_real_connection_awaited():
    store, _, token = twin()

    async def example(url):
        async with hush.AsyncClient(url, token, flush=60.0, timeout=60.0) as client:
            exp = await client.create("checkout", **CHECKOUT)
            await exp.start()
            shown = await asyncio.gather(*(exp.decide(f"u{n}") for n in range(200)))
            await asyncio.gather(*(exp.reward(each, 1) for each in shown))
            await client.flush()
            return len({each.id for each in shown}), await exp.state(), await client.ready()

    with served(store) as url:
        assert asyncio.run(example(url)) == (200, "running", True)


def both(ask):
    """Ask on both sides: return what came, and how long it took."""

    def blocking(url, **given):
        with hush.Client(url, TOKEN, **given) as client:
            return ask(client, client.experiment("checkout"))

    async def awaited(url, **given):
        async with hush.AsyncClient(url, TOKEN, **given) as client:
            return await ask(client, client.experiment("checkout"))

    return blocking, lambda url, **given: asyncio.run(awaited(url, **given))


def timed(run, *args, **given):
    begun = real_time.monotonic()
    try:
        found = run(*args, **given)
    except hush.HushError as error:
        found = error
    return found, real_time.monotonic() - begun


def hangs_in_its_answer(connection, stopping):
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
    stopping.wait(5)


def says_nothing(connection, stopping):
    stopping.wait(5)


@pytest.mark.parametrize("answer", [None, says_nothing, hangs_in_its_answer])
@pytest.mark.parametrize("number", [0, 1])
def test_time_is_limited(answer, number):
    decide = both(lambda _, exp: exp.decide("u17"))[number]
    defer = both(lambda _, exp: exp.decide("u17", defer=True, within=0.2, fallback="old"))[number]
    ready = both(lambda client, _: client.ready())[number]
    with listening(answer) as url:
        found, took = timed(decide, url, timeout=0.4, tries=3)
        assert str(found) == "no answer came in time"
        assert took < 3
        found, took = timed(defer, url)
        assert (found.name, found.id) == ("old", "")
        assert took < 3
        assert timed(ready, url, timeout=0.2)[0] is False


def cuts(connection, stopping):
    connection.recv(65_536)


@pytest.mark.parametrize("number", [0, 1])
def test_cut_connections_are_tried_again(number):
    decide = both(lambda _, exp: exp.decide("u17"))[number]
    start = both(lambda _, exp: exp.start())[number]
    counted = []

    def counts(connection, stopping):
        counted.append(None)
        cuts(connection, stopping)

    with listening(counts) as url:
        assert str(timed(decide, url, tries=3)[0]) == "the connection was lost"
        assert len(counted) == 3
        assert "it may have been done" in str(timed(start, url, tries=3)[0])
        assert len(counted) == 4


@pytest.mark.parametrize("number", [0, 1])
def test_a_port_where_nobody_listens_cannot_be_reached(number):
    with listening() as url:
        pass
    for ask in (lambda _, exp: exp.decide("u17"), lambda _, exp: exp.start()):
        found, _ = timed(both(ask)[number], url, tries=2)
        assert str(found) == "the service cannot be reached"
