"""A decision that may come too late: what was never shown is not learnt from."""

import asyncio
import time as real_time

import httpx
import pytest
from tests.client.sides import CHECKOUT, TOKEN, URL, Made, decided, problem, twin
from tests.live import scenes

import hush

FAILURES = [
    httpx.ConnectError("x"), httpx.ReadTimeout("x"), httpx.RemoteProtocolError("cut"),
    problem("not-ready", 503), problem("unexpected", 500), problem("too-many", 429),
    httpx.Response(200, content=b"<html>"), httpx.Response(502),
]  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES, ids=str)
def test_where_no_answer_comes_the_fallback_is_shown(side, time, failure):
    exp = side.client(Made(failure), time=time).experiment("checkout")
    shown = exp.decide("u17", defer=True, within=0.1, fallback="old")
    assert (shown.name, shown.id, shown.arm, shown.propensity) == ("old", "", -1, 1.0)
    assert (shown.deferred, shown.plan) == (True, -1)
    assert shown.expires.tzinfo is not None
    assert time.now - 1_000.0 <= 0.1
    with pytest.raises(hush.StoreError):
        exp.decide("u17", defer=True, within=0.1)


def test_nothing_is_learnt_from_a_fallback(side, time):
    service = Made(httpx.ConnectError("x"))
    client = side.client(service, time=time)
    exp = client.experiment("checkout")
    shown = exp.decide("u17", defer=True, within=0.1, fallback="old")
    asked = len(service.requests)
    assert exp.activate(shown, person="u17") is shown
    assert exp.reward(shown, 1) is None
    assert client.reward(shown.id, 1) is None
    assert exp.reward_many([(shown, 1)]) == [None]
    assert len(service.requests) == asked
    with pytest.raises(hush.NoDecisionError):
        exp.activate("", person="u17")
    with pytest.raises(hush.RewardError):
        exp.reward(shown, "1")


def test_the_number_of_the_fallbacks_arm_is_known_from_answers(side, time):
    service = Made(decided(arm="new", number=1), httpx.ConnectError("x"))
    exp = side.client(service, time=time).experiment("checkout")
    exp.decide("u17")
    assert exp.decide("u17", defer=True, within=0.1, fallback="new").arm == 1
    assert exp.decide("u17", defer=True, within=0.1, fallback="old").arm == -1


def test_a_fallback_is_not_for_callers_who_may_not_ask(side):
    for kind, status in (("no-token", 401), ("not-allowed", 403), ("unknown-name", 404)):
        exp = side.client(Made(problem(kind, status))).experiment("checkout")
        with pytest.raises(hush.HushError) as caught:
            exp.decide("u17", defer=True, within=1.0, fallback="old")
        assert not isinstance(caught.value, hush.StoreError)


def test_a_deferred_decision_has_all_the_time_and_no_key(side, time):
    service = Made(httpx.ConnectError("x"), decided(deferred=True), time=time)
    exp = side.client(service, time=time).experiment("checkout")
    assert exp.decide("u17", defer=True, within=0.4).deferred
    assert all("idempotency-key" not in each.headers for each in service.requests)
    if side.kind is hush.Client:
        assert service.limits == pytest.approx([0.4, 0.35])


def test_within_and_fallback_are_for_deferred_decisions(side):
    service = Made(decided())
    exp = side.client(service).experiment("checkout")
    for given in ({"within": 0.1}, {"fallback": "old"}, {"within": 0.1, "fallback": "old"}):
        with pytest.raises(hush.ParameterError, match="for deferred decisions"):
            exp.decide("u17", **given)
    with pytest.raises(hush.ParameterError, match="has no key"):
        exp.decide("u17", defer=True, key="a")
    for bad in ({"within": 0}, {"within": -1}, {"within": "x"}):
        with pytest.raises(hush.ParameterError, match="within"):
            exp.decide("u17", defer=True, **bad)
    assert service.requests == []


def test_only_what_was_activated_is_registered(side):
    store, _, _ = twin()
    exp = side.connected(store).create("checkout", **CHECKOUT)
    exp.start()
    planned = [exp.decide(f"u{n}", defer=True, within=5.0, fallback="old") for n in range(3)]
    assert scenes.learnt(store) == 0
    shown = exp.activate(planned[0], person="u0")
    assert scenes.learnt(store) == 1
    exp.reward(shown, 1)
    assert scenes.bit_of(store, shown) == 1


def test_a_service_that_hangs_is_not_waited_for():
    class Hangs(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            await asyncio.sleep(60)

    async def example():
        async with hush.AsyncClient(URL, TOKEN, transport=Hangs()) as client:
            exp = client.experiment("checkout")
            begun = real_time.monotonic()
            shown = await exp.decide("u17", defer=True, within=0.05, fallback="old")
            return shown, real_time.monotonic() - begun

    shown, took = asyncio.run(example())
    assert shown.name == "old"
    assert took < 5
