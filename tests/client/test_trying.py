"""Trying again: what is repeated, with which key, after how long, and what is not."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.sides import Made, Time, changed, decided, lines, opened, problem

import hush
from hush.client.calls import Call, Failed, Reply, Send, Talk, Wait
from hush.client.trying import Trying

LOST = [
    httpx.ReadTimeout("x"),
    httpx.ReadError("x"),
    httpx.RemoteProtocolError("cut"),
    httpx.WriteError("x"),
    httpx.Response(502, content=b"<h1>no</h1>"),
    problem("not-ready", 503),
    httpx.Response(504),
    problem("too-many", 429),
]
UNSENT = [httpx.ConnectError("x"), httpx.ConnectTimeout("x"), httpx.PoolTimeout("x")]
SHOWN = [str(each) or type(each).__name__ for each in (*LOST, *UNSENT)]


@pytest.mark.parametrize("failure", [*LOST, *UNSENT], ids=SHOWN)
def test_a_decision_is_asked_for_again_with_the_same_key(side, time, failure):
    service = Made(failure, failure, failure, decided())
    exp = side.client(service, time=time).experiment("checkout")
    assert exp.decide("u17").id == "first"
    keys = {each.headers["idempotency-key"] for each in service.requests}
    assert len(service.requests) == 4
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert {each.content for each in service.requests} == {service.requests[0].content}
    exp.decide("u17")
    assert service.requests[-1].headers["idempotency-key"] not in keys


def test_a_key_of_the_callers_own_is_kept(side, time):
    service = Made(httpx.ReadError("x"), decided(), lines(204))
    exp = side.client(service, time=time).experiment("checkout")
    exp.decide("u17", key="request 9")
    assert [each.headers["idempotency-key"] for each in service.requests] == ["request 9"] * 2


@pytest.mark.parametrize("key", ["", " a", "a ", "a\n", "ä", "a" * 256, 7, "a\x00b"])
def test_keys_that_no_header_can_have_are_refused(side, key):
    service = Made(decided())
    exp = side.client(service).experiment("checkout")
    with pytest.raises(hush.ParameterError, match="key must have"):
        exp.decide("u17", key=key)
    (error,) = exp.decide_many([{"person": "u17", "key": key}])
    assert isinstance(error, hush.ParameterError)
    assert service.requests == []


def test_every_line_of_a_batch_has_a_key_of_its_own_that_stays(side, time):
    row = decided().content[:-1] + b',"status":201}'
    service = Made(httpx.ReadError("x"), httpx.Response(200, content=row + b"\n" + row + b"\n"))
    exp = side.client(service, time=time).experiment("checkout")
    exp.decide_many([{"person": "u17"}, {"person": "u18"}])
    first, second = service.bodies
    assert first == second
    assert len({each["key"] for each in first}) == 2


@pytest.mark.parametrize("failure", LOST, ids=SHOWN[: len(LOST)])
def test_rewards_and_activations_are_repeated(side, time, failure):
    service = Made(failure, lines(204))
    side.client(service, time=time).reward("an id", 1)
    assert len(service.requests) == 2
    service = Made(failure, lines(503), lines(429), lines(204))
    side.client(service, time=time).reward("an id", 1)
    assert len(service.requests) == 4
    service = Made(failure, decided())
    exp = side.client(service, time=time).experiment("checkout")
    assert exp.activate("an id", person="u17").id == "first"
    assert len(service.requests) == 2


ACTS = {
    "create": lambda c, e: c.create("a", policy="LazyDPTS", arms=["a", "b"], person_epsilon=1.0),
    "start": lambda c, e: e.start(),
    "pause": lambda c, e: e.pause(by="Ada"),
    "add_arm": lambda c, e: e.add_arm("newer"),
    "adjust": lambda c, e: e.adjust(floor=0.1),
    "population": lambda c, e: c.population("people", limit=1.0),
    "confirm_clock": lambda c, e: c.confirm_clock(),
    "advance": lambda c, e: e.advance("1h"),
}


GOOD = {
    "population": httpx.Response(204),
    "advance": httpx.Response(204),
    "confirm_clock": httpx.Response(200, content=b'{"held":null}'),
}


@pytest.mark.parametrize("act", ACTS)
def test_an_act_is_repeated_where_nothing_was_sent_and_else_not(side, time, act):
    good = GOOD.get(act, changed())
    service = Made(*UNSENT, good)
    client = side.client(service, time=time)
    ACTS[act](client, client.experiment("checkout"))
    assert len(service.requests) == 4
    for failure in LOST:
        service = Made(failure, good)
        client = side.client(service, time=time)
        with pytest.raises(hush.StoreError) as caught:
            ACTS[act](client, client.experiment("checkout"))
        assert len(service.requests) == 1
        if isinstance(failure, Exception):
            assert "it may have been done all the same" in str(caught.value)


def test_reading_and_erasing_are_repeated(side, time):
    service = Made(httpx.ReadError("x"), httpx.Response(200, content=b'{"experiments":[]}'))
    assert side.client(service, time=time).names == []
    service = Made(httpx.ReadError("x"), httpx.Response(204))
    assert side.client(service, time=time).erase("u17") is None
    assert len(service.requests) == 2


def test_other_problems_are_not_repeated(side, time):
    for kind, status in (("unexpected", 500), ("wrong-state", 409), ("malformed", 422)):
        service = Made(problem(kind, status))
        with pytest.raises(hush.HushError):
            side.client(service, time=time).experiment("checkout").decide("u17")
        assert len(service.requests) == 1
        assert time.slept == []


def test_it_waits_as_long_as_it_is_told(side, time):
    busy = problem("too-many", 429)
    busy.headers["retry-after"] = "2"
    service = Made(busy, decided(), time=time)
    side.client(service, time=time).experiment("checkout").decide("u17")
    assert time.slept == [2.0 + 0.5 * 0.1]


def test_it_does_not_wait_for_what_comes_too_late(side, time):
    busy = problem("too-many", 429, detail="slower", request="7")
    busy.headers["retry-after"] = "60"
    exp = side.client(Made(busy), time=time).experiment("checkout")
    with pytest.raises(hush.StoreError, match=r"^Oh: slower \(request 7\)$") as caught:
        exp.decide("u17")
    assert type(caught.value) is hush.StoreError
    assert time.slept == []


def test_pauses_are_drawn_from_zero_to_a_limit_that_doubles(side):
    for chance in (0.0, 0.5, 1.0):
        time = Time(chance)
        exp = side.client(Made(httpx.ReadError("x")), time=time, tries=7, timeout=100.0)
        with pytest.raises(hush.StoreError, match="the connection was lost"):
            exp.experiment("checkout").decide("u17")
        assert time.slept == [chance * most for most in (0.1, 0.2, 0.4, 0.8, 1.6, 2.0)]


def test_the_last_error_is_raised_and_holds_no_request(side, time):
    client = side.client(Made(httpx.ConnectError("secret")), time=time)
    with pytest.raises(hush.StoreError) as caught:
        client.experiment("checkout").decide("somebody")
    assert str(caught.value) == "the service cannot be reached"
    assert type(caught.value) is hush.StoreError
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


# -- as plain steps -------------------------------------------------------------------------------


def asked(idempotent=True):
    return Call("GET", "/", lambda reply: reply.status, idempotent=idempotent)


def test_a_try_has_half_of_what_is_left_and_the_last_one_all():
    now = 0.0
    steps = Trying(8.0, 3, lambda: now, lambda: 0.0).steps(asked())
    assert steps.send(None) == Send(asked_of(steps), 4.0)
    now = 4.0
    assert steps.send(Failed(sent=True, late=True)) == Wait(0.0)
    assert steps.send(None).seconds == 2.0
    now = 6.0
    assert steps.send(Failed(sent=True, late=True)) == Wait(0.0)
    assert steps.send(None).seconds == 2.0
    now = 8.0
    with pytest.raises(hush.StoreError, match="no answer came in time"):
        steps.send(Failed(sent=True, late=True))


def asked_of(steps):
    return steps.gi_frame.f_locals["call"]


@pytest.mark.parametrize("call", [asked(idempotent=False), asked()])
def test_what_is_not_repeated_and_what_is_urgent_has_all_the_time(call):
    trying = Trying(8.0, 3, lambda: 0.0, lambda: 0.0)
    within = 0.1 if call.idempotent else None
    assert trying.steps(call, within).send(None).seconds == (within or 8.0)
    assert trying.steps(call, 100.0).send(None).seconds == 8.0


@given(
    chances=st.lists(st.floats(0, 1, exclude_max=True), min_size=20, max_size=20),
    takes=st.lists(st.floats(0, 3), min_size=20, max_size=20),
    heard=st.lists(
        st.sampled_from([Failed(sent=False), Failed(sent=True), Reply(503, {}, b""),
                         Reply(429, {"retry-after": "1"}, b""), Reply(200, {}, b"")]),
        min_size=20, max_size=20,
    ),
    tries=st.integers(1, 8),
    timeout=st.floats(0.01, 10),
    idempotent=st.booleans(),
)  # fmt: skip
def test_it_ends_in_time_whatever_happens(chances, takes, heard, tries, timeout, idempotent):
    now, sent, draw = 0.0, 0, iter(chances)
    steps = Trying(timeout, tries, lambda: now, lambda: next(draw)).steps(asked(idempotent))
    talk, said = Talk(steps), None
    try:
        while (step := talk.next(said)) is not None:
            if isinstance(step, Wait):
                now += step.seconds
                said = None
            else:
                assert 0 <= step.seconds <= timeout
                said = heard[sent]
                assert not sent or idempotent or heard[sent - 1] == Failed(sent=False)
                now += min(takes[sent], step.seconds)
                sent += 1
            assert now <= timeout * (1 + 1e-9)
        assert talk.found == 200
    except hush.StoreError:
        assert heard[sent - 1] != Reply(200, {}, b"")
    assert 1 <= sent <= tries


@pytest.mark.parametrize(
    "given",
    [{"timeout": 0}, {"timeout": "5"}, {"tries": 0}, {"tries": 1.5}, {"flush": 0}, {"flush": -1},
     {"flush": 5, "keep": 0}],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused(given):
    for kind in (hush.Client, hush.AsyncClient):
        with opened(kind) as side, pytest.raises(hush.ParameterError, match=[*given][-1]):
            side.client(Made(), **given)
