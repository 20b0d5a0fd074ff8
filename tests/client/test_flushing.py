"""Rewards that wait are sent by the clock, each on its own, and never by their number."""

import asyncio
import queue
import threading
import time as real_time

import httpx
import pytest
from tests.client.sides import (
    CHECKOUT,
    TOKEN,
    URL,
    Made,
    Time,
    all_taken,
    json,
    lines,
    opened,
    problem,
    twin,
)
from tests.live import scenes

import hush
from hush.client import reward_buffer
from hush.client.reward_buffer import RewardBuffer

LONG = 3_600.0  # until the timer would come


def test_rewards_wait_for_a_flush_and_go_in_requests_of_a_thousand_lines(side):
    service = Made(all_taken)
    client = side.client(service, flush=LONG)
    for n in range(2_500):
        assert client.reward(f"id {n}", n % 2) is None
    assert service.requests == []
    client.flush()
    assert [len(body) for body in service.bodies] == [1_000, 1_000, 500]
    assert [line["decision"] for body in service.bodies for line in body] == [
        f"id {n}" for n in range(2_500)
    ]
    assert {request.url.path for request in service.requests} == {"/some/where/v1/batch/rewards"}
    client.flush()
    assert len(service.requests) == 3


def test_they_arrive(side):
    store, _, _ = twin()
    client = side.connected(store, flush=LONG)
    exp = client.create("checkout", **CHECKOUT)
    exp.start()
    shown = [exp.decide(f"u{n}") for n in range(4)]
    assert exp.reward_many([(each, 1) for each in shown[:2]]) == [None, None]
    exp.reward(shown[2], 1)
    client.reward(shown[2].id, 0)
    client.reward(shown[3], 1)
    assert [scenes.bit_of(store, each) for each in shown] == [0] * 4
    client.flush()
    assert [scenes.bit_of(store, each) for each in shown] == [1, 1, 0, 1]


def test_the_last_value_of_a_decision_is_the_one_that_is_sent(side):
    service = Made(all_taken)
    client = side.client(service, flush=LONG)
    for value in (1, 0, 0.5):
        client.reward("an id", value)
    client.flush()
    assert service.bodies == [[{"decision": "an id", "value": 0.5}]]


def test_what_cannot_be_taken_now_waits_on_and_what_is_refused_is_dropped(side):
    statuses = (204, 404, 410, 422, 429, 503, 403)
    service = Made(lines(*statuses), all_taken)
    client = side.client(service, flush=LONG)
    for status in statuses:
        client.reward(f"answered by {status}", 1)
    client.flush()
    client.flush()
    again = [line["decision"] for line in service.bodies[1]]
    assert again == ["answered by 429", "answered by 503"]
    client.flush()
    assert len(service.requests) == 2


FAILURES = [
    httpx.ConnectError("x"), httpx.ReadTimeout("x"), problem("not-ready", 503),
    problem("unexpected", 500), httpx.Response(200, content=b"<html>"), lines(204, 204),
]  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES, ids=str)
def test_where_a_request_fails_its_rewards_wait_on(side, failure):
    service = Made(failure, all_taken)
    client = side.client(service, flush=LONG)
    client.reward("an id", 1)
    with pytest.raises(hush.StoreError):
        client.flush()
    assert len(service.requests) == 1
    client.reward("another", 1)
    client.flush()
    assert [line["decision"] for line in service.bodies[1]] == ["an id", "another"]


def test_one_request_that_fails_does_not_keep_others_back(side):
    service = Made(problem("unexpected", 500), all_taken)
    client = side.client(service, flush=LONG)
    for n in range(1_500):
        client.reward(f"id {n}", 1)
    with pytest.raises(hush.StoreError):
        client.flush()
    client.flush()
    assert [len(body) for body in service.bodies] == [1_000, 500, 1_000]


def test_where_nobody_is_there_it_does_not_go_on_knocking(side):
    service = Made(httpx.ConnectError("x"))
    client = side.client(service, flush=LONG)
    for n in range(1_500):
        client.reward(f"id {n}", 1)
    with pytest.raises(hush.StoreError, match="cannot be reached"):
        client.flush()
    assert len(service.requests) == 1


def test_a_value_that_comes_meanwhile_is_not_lost(side):
    def answer(request):
        if len(service.requests) == 1:
            client._session.buffer.put("an id", 0.0)
        return all_taken(request)

    service = Made(answer)
    client = side.client(service, flush=LONG)
    client.reward("an id", 1)
    client.flush()
    client.flush()
    assert [body[0]["value"] for body in service.bodies] == [1.0, 0.0]


def test_a_token_that_is_refused_is_heard_of(side):
    service = Made(problem("no-token", 401), all_taken)
    client = side.client(service, flush=LONG)
    client.reward("an id", 1)
    with pytest.raises(hush.AccessError):
        client.flush()
    for _ in range(2):
        with pytest.raises(hush.AccessError):
            client.reward("another", 1)
    assert isinstance(client.experiment("a").reward_many([("a", 1)])[0], hush.AccessError)
    client.flush()
    client.reward("another", 1)
    client.flush()
    assert [[line["decision"] for line in body] for body in service.bodies] == [
        ["an id"], ["an id"], ["another"],
    ]  # fmt: skip


def test_bad_rewards_are_refused_at_once(side):
    client = side.client(Made(), flush=LONG)
    for value in (None, "1", float("nan"), float("inf"), 10**400):
        with pytest.raises(hush.RewardError):
            client.reward("an id", value)
    for name in (None, 7, "ä", "x" * 513):
        with pytest.raises(hush.NoDecisionError):
            client.reward(name, 1)
    client.flush()


def test_a_full_buffer_raises_and_is_not_sent(side, monkeypatch):
    monkeypatch.setattr(reward_buffer, "MOST", 3)
    service = Made(all_taken)
    client = side.client(service, flush=LONG)
    for n in range(3):
        client.reward(f"id {n}", 1)
    with pytest.raises(hush.MisuseError, match="rewards wait to be sent"):
        client.reward("one more", 1)
    client.reward("id 1", 0)
    assert service.requests == []


def test_closing_sends_what_waits(side):
    service = Made(all_taken)
    client = side.client(service, flush=LONG)
    client.reward("an id", 1)
    client.close()
    assert len(service.requests) == 1
    client.close()
    for ask in (lambda: client.reward("an id", 1), lambda: client.names, client.flush):
        with pytest.raises(hush.MisuseError, match="closed"):
            ask()


def test_closing_says_what_could_not_be_sent_and_closes_all_the_same(side):
    client = side.client(Made(httpx.ConnectError("x")), flush=LONG)
    client.reward("an id", 1)
    with pytest.raises(hush.StoreError):
        client.close()
    with pytest.raises(hush.MisuseError, match="closed"):
        client.ready()


def test_leaving_a_with_statement_sends_what_waits():
    service = Made(all_taken)
    with hush.Client(URL, TOKEN, transport=service, flush=LONG) as client:
        client.reward("an id", 1)
    assert len(service.requests) == 1

    async def example():
        async with hush.AsyncClient(URL, TOKEN, transport=service, flush=LONG) as client:
            await client.reward("an id", 1)

    asyncio.run(example())
    assert len(service.requests) == 2


def test_a_flush_without_a_buffer_does_nothing(side):
    service = Made()
    side.client(service).flush()
    assert service.requests == []


def test_a_reward_is_given_up_after_a_while():
    now = 0.0
    buffer = RewardBuffer(5.0, 3_600.0, lambda: now)
    buffer.put("old", 1.0)
    buffer.put("renewed", 1.0)
    now = 3_600.0
    buffer.put("renewed", 0.0)
    assert [each.decision for each in buffer.all()] == ["old", "renewed"]
    now = 3_601.0
    assert [each.decision for each in buffer.all()] == ["renewed"]


def test_nothing_that_waits_is_shown():
    buffer = RewardBuffer(5.0, 3_600.0, lambda: 0.0)
    buffer.put("some id", 0.123)
    assert repr(buffer.all()) == "[Waiting(since=0.0)]"


# -- the timer ------------------------------------------------------------------------------------


class Ticks:
    """Lets a client's timer go on step by step."""

    def __init__(self, time):
        self.time, self.waits = time, []
        self._go, self._there = queue.Queue(), queue.Queue()

    def wait(self, event, seconds):
        self.waits.append(seconds)
        self._there.put(None)
        self._go.get()
        self.time.now += seconds
        return event.is_set()

    def arrived(self):
        self._there.get(timeout=10)

    def step(self):
        self._go.put(None)


def blocking_flushes(count):
    """Return when the requests of a client came that was given so many rewards in each period."""
    time = Time()
    ticks = Ticks(time)
    service = Made(all_taken, time=time)
    kind = type("Ticked", (time.of(hush.Client),), {"_wait": staticmethod(ticks.wait)})
    client = kind(URL, TOKEN, transport=service, flush=5.0)
    for period in range(3):
        ticks.arrived()
        for n in range(count):
            client.reward(f"{period} {n}", 1)
        ticks.step()
    ticks.arrived()
    assert sum(len(body) for body in service.bodies) == 3 * count
    client._closing.set()
    ticks.step()
    client.close()
    return sorted(set(service.at)), ticks.waits


def awaited_flushes(count):
    """Return the same of a client that is awaited."""
    time, waits = Time(), []
    service = Made(all_taken, time=time)

    async def example():
        go, there = asyncio.Queue(), asyncio.Queue()

        async def sleep(seconds):
            waits.append(seconds)
            there.put_nowait(None)
            await go.get()
            time.now += seconds

        kind = type("Ticked", (time.of(hush.AsyncClient),), {"_sleep": staticmethod(sleep)})
        client = kind(URL, TOKEN, transport=service, flush=5.0)
        await client.flush()  # the timer begins with the first call
        for period in range(3):
            await there.get()
            for n in range(count):
                await client.reward(f"{period} {n}", 1)
            go.put_nowait(None)
        await there.get()
        await client.close()

    asyncio.run(example())
    assert sum(len(body) for body in service.bodies) == 3 * count
    return sorted(set(service.at)), waits


@pytest.mark.parametrize("flushes", [blocking_flushes, awaited_flushes])
def test_when_rewards_are_sent_does_not_depend_on_how_many_there_are(flushes):
    times, waits = flushes(1)
    assert times == [1_005.0, 1_010.0, 1_015.0]
    assert waits == [5.0] * 4
    for count in (7, 999, 1_000, 1_001, 3_500):
        assert flushes(count) == (times, waits)
    assert flushes(0) == ([], waits)


def test_the_next_flush_is_at_a_multiple_of_the_period_however_long_one_takes():
    now = 100.0
    buffer = RewardBuffer(5.0, 3_600.0, lambda: now)
    for now, due in ((100.0, 5.0), (101.0, 4.0), (104.75, 0.25), (105.0, 5.0), (118.0, 2.0)):  # noqa: B007
        assert buffer.due() == due
    for n in range(100):
        buffer.put(f"id {n}", 1.0)
    assert buffer.due() == 2.0


def test_the_timer_goes_by_itself_and_outlives_failures(side):
    service = Made(httpx.ConnectError("x"), RuntimeError("a bug"), all_taken)
    client = side.client(service, flush=0.02)
    client.reward("an id", 1)
    end = real_time.monotonic() + 20
    while len(service.requests) < 3 and real_time.monotonic() < end:
        if side.kind is hush.AsyncClient:
            client._loop.run_until_complete(asyncio.sleep(0.01))
        else:
            real_time.sleep(0.01)
    assert len(service.requests) == 3
    assert client._session.buffer.all() == []


def test_flushes_do_not_overlap():
    under_way, most = [], []

    def answer(request):
        under_way.append(None)
        most.append(len(under_way))
        real_time.sleep(0.005)
        under_way.pop()
        return all_taken(request)

    with opened(hush.Client) as side:
        client = side.client(Made(answer), flush=LONG)

        def work(name):
            for n in range(10):
                client.reward(f"{name} {n}", 1)
                client.flush()

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert set(most) == {1}


def test_the_buffer_ends_with_nothing_lost_under_threads():
    got = []

    def answer(request):
        got.extend(line["decision"] for line in json(request))
        return all_taken(request)

    with opened(hush.Client) as side:
        client = side.client(Made(answer), flush=0.005)

        def work(name):
            for n in range(500):
                client.reward(f"{name} {n}", 1)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        client.close()
    assert sorted(got) == sorted(f"{name} {n}" for name in range(4) for n in range(500))
