"""What a service says becomes the errors of a store in this process, and shows nothing sent."""

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.sides import TOKEN, Made, decided, lines, opened, problem

import hush
from hush.client.understanding import ERRORS, PASSING, error_of
from hush.errors import ParameterError
from hush.service.problems import KINDS, OF_ERRORS, PREFIX

EXPECTED = {
    "expired": hush.ExpiredError,
    "no-decision": hush.NoDecisionError,
    "key-reused": hush.KeyReusedError,
    "wrong-state": hush.LifecycleError,
    "budget-exceeded": hush.BudgetError,
    "clock": hush.ClockError,
    "not-ready": hush.StoreError,
    "unexpected": hush.StoreError,
    "unknown-name": hush.UnknownNameError,
    "malformed": hush.ParameterError,
    "no-token": hush.AccessError,
    "not-allowed": hush.AccessError,
    "too-many": hush.StoreError,
    "too-large": hush.ParameterError,
    "wrong-media": hush.ParameterError,
    "unknown-route": hush.StoreError,
    "wrong-method": hush.StoreError,
}


def test_every_kind_of_problem_is_known():
    assert set(EXPECTED) == set(KINDS)
    assert set(ERRORS) <= set(KINDS)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_raised_as_its_error(side, time, kind):
    service = Made(problem(kind, KINDS[kind].status, detail="so it is", request="1a2b"))
    exp = side.client(service, time=time, tries=2).experiment("checkout")
    for ask in (lambda: exp.decide("u17"), lambda: exp.state, exp.start):
        with pytest.raises(hush.HushError) as caught:
            ask()
        assert type(caught.value) is EXPECTED[kind]
        assert str(caught.value) == "Oh: so it is (request 1a2b)"
    (error,) = exp.decide_many([{"person": "u17"}])
    assert type(error) is EXPECTED[kind]


def test_what_a_store_raises_comes_back_as_itself():
    """But what the service calls malformed: arms, names and rewards have no kinds of their own."""
    for error, kind in OF_ERRORS:
        if kind != "malformed":
            assert EXPECTED[kind] is error


TEXT = st.text(max_size=40)


@given(
    kind=st.sampled_from(sorted(KINDS)) | TEXT,
    status=st.integers(300, 599),
    title=TEXT,
    detail=st.none() | TEXT | st.just("x" * 10_000),
    request=st.none() | TEXT,
)
def test_any_problem_is_an_error_with_its_words(kind, status, title, detail, request):
    body = {"type": PREFIX + kind, "title": title, "status": status}
    body |= {k: v for k, v in (("detail", detail), ("request", request)) if v is not None}
    error = error_of(status, msgspec.json.encode(body), ParameterError)
    assert isinstance(error, hush.HushError)
    assert str(error).startswith(title)
    assert len(str(error)) < 700
    assert not detail or detail[:300] in str(error)
    assert not request or f"(request {request})" in str(error)
    if status in PASSING:
        assert isinstance(error, hush.StoreError)
    else:
        assert type(error) is EXPECTED.get(kind, hush.StoreError)


@given(status=st.integers(300, 599), body=st.binary() | st.text().map(str.encode))
def test_what_is_no_problem_is_not_shown(status, body):
    error = error_of(status, body, ParameterError)
    assert isinstance(error, hush.StoreError)
    assert str(error) == f"the service answered by status {status} and nothing that can be read"


def test_somebody_elses_problem_is_not_shown(side):
    body = {"type": "about:blank", "title": "no", "status": 400, "detail": "somebody said 0.25"}
    service = Made(httpx.Response(400, content=msgspec.json.encode(body)))
    with pytest.raises(hush.StoreError, match="nothing that can be read"):
        side.client(service).experiment("checkout").decide("somebody")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"decision": 7}', b"\xff\xfe", b'{"decision":"\xff"}']
)
def test_good_answers_that_make_no_sense_are_a_stores_fault(side, body):
    client = side.client(Made(httpx.Response(200, content=body)))
    exp = client.experiment("checkout")
    asks = [lambda: exp.decide("u17"), lambda: client.names, lambda: exp.plans, exp.start]
    asks += [lambda: exp.reward("an id", 1), lambda: exp.activate("an id", person="u17")]
    asks += [lambda: client.erase("u17"), lambda: client.population(limit=1.0)]
    for ask in asks:
        with pytest.raises(hush.StoreError):
            ask()
    (error,) = exp.decide_many([{"person": "u17"}])
    assert isinstance(error, hush.StoreError)


@pytest.mark.parametrize("status", [301, 302, 304, 307])
def test_no_redirect_is_followed(side, status):
    headers = {"location": "https://elsewhere.test/"}
    service = Made(httpx.Response(status, headers=headers))
    with pytest.raises(hush.StoreError, match=str(status)):
        _ = side.client(service).names
    assert len(service.requests) == 1


def test_a_batch_with_too_few_answers_is_a_stores_fault(side):
    exp = side.client(Made(lines(204))).experiment("checkout")
    for error in exp.reward_many([("one", 1), ("two", 1)]):
        assert isinstance(error, hush.StoreError)


def test_refused_rewards_are_errors_of_rewards(side):
    client = side.client(Made(lines(422)))
    with pytest.raises(hush.RewardError):
        client.reward("an id", 2)
    assert [type(each) for each in client.experiment("x").reward_many([("an id", 2)])] == [
        hush.RewardError
    ]


SECRETS = ("somebody@example.org", "0.123456789", TOKEN, "5e5e5e")


@pytest.mark.parametrize("kind", [hush.Client, hush.AsyncClient])
@pytest.mark.parametrize(
    "answer",
    [problem("malformed", 422), problem("no-token", 401), httpx.Response(500, content=b"oh"),
     httpx.ReadError("x"), httpx.Response(200, content=b"{}"), httpx.Response(503)],
    ids=str,
)  # fmt: skip
def test_no_error_shows_a_person_a_reward_or_the_token(kind, answer, time):
    person, value = SECRETS[:2]
    with opened(kind) as side:
        client = side.client(Made(answer), time=time)
        exp = client.experiment("checkout")
        for ask in (
            lambda: exp.decide(person), lambda: exp.decide(person + "\ud800"),
            lambda: exp.decide(person * 100), lambda: exp.activate("x", person=person),
            lambda: exp.reward("x", float(value)), lambda: client.reward("x", value),
            lambda: client.reward(person, float(value)), lambda: client.erase(person),
            lambda: exp.activate(person + "ä", person=person),
            lambda: client.reward(person + "ä", float(value)),
            lambda: client.create("a", policy="x", arms=["a"], person_epsilon=object()),
        ):  # fmt: skip
            with pytest.raises(hush.HushError) as caught:
                ask()
            shown = f"{caught.value!r} {caught.value.__cause__!r}"
            assert not any(each in shown for each in SECRETS)
        several = [*exp.decide_many([{"person": person}, person])]
        several += exp.reward_many([("x", float(value)), ("x", value)])
        for error in several:
            assert not any(each in repr(error) for each in SECRETS)
        assert not any(each in f"{client!r}{exp!r}" for each in SECRETS)


def test_a_client_shows_where_it_asks_and_nothing_else():
    with opened(hush.Client) as side:
        client = side.client(Made(decided()), url="https://me:secret@hush.test:8443/x?")
        assert repr(client) == "<client of https://hush.test:8443>"
        assert repr(client.experiment("a")) == "<experiment a of https://hush.test:8443>"


@pytest.mark.parametrize(
    "url", ["", "hush.test", "ftp://hush.test", "https://", 7, None, "https://a?b=c", "http://a:b"]
)
def test_addresses_that_are_none_are_refused(url):
    with pytest.raises(hush.ParameterError, match="url must be"):
        hush.Client(url, TOKEN)


@pytest.mark.parametrize("token", ["", None, "secret", TOKEN + "\n", TOKEN[:-1]])
def test_tokens_that_are_none_are_refused_and_not_shown(token):
    with pytest.raises(hush.ParameterError) as caught:
        hush.Client("https://hush.test", token)
    assert str(caught.value) == "token must be the text that hush token create has shown"


def test_every_request_has_the_token_and_nothing_else_of_the_caller(side):
    service = Made(decided())
    side.client(service).experiment("checkout").decide("u17")
    (request,) = service.requests
    assert str(request.url) == "http://hush.test/some/where/v1/experiments/checkout/decisions"
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    assert request.headers["user-agent"] == f"hush/{hush.__version__}"
    assert set(request.headers) == {
        "authorization", "content-length", "content-type", "host", "idempotency-key", "user-agent",
    }  # fmt: skip


def test_nothing_is_logged(side, caplog):
    caplog.set_level(0)
    client = side.client(Made(lines(204)))
    client.reward("an id", 1)
    assert [each for each in caplog.records if each.name != "asyncio"] == []
