"""Deciding over HTTP."""

from contextlib import ExitStack

import pytest
from tests.live import scenes
from tests.service.sites import opened

import hush.live
from hush.service import problems


def test_a_decision_says_what_to_show(site):
    site.begun()
    heard = site.decide()
    assert heard.status == 201
    assert set(heard.json) == {"decision", "arm", "number", "plan", "propensity", "expires"}
    assert heard.json["arm"] in ("old", "new")
    assert heard.json["expires"] == "2026-01-02T00:00:00Z"
    assert scenes.learnt(site.store) == 1


def test_a_retry_has_the_same_body_and_200(site):
    site.begun()
    first, again = (site.decide(Idempotency_Key="k1") for _ in range(2))
    assert (first.status, again.status) == (201, 200)
    assert first.body == again.body
    assert scenes.learnt(site.store) == 1


def test_a_key_for_another_person_is_refused(site):
    site.begun()
    site.decide("u1", Idempotency_Key="k1")
    heard = site.decide("u2", Idempotency_Key="k1")
    assert (heard.status, heard.kind) == (422, "key-reused")


def test_a_key_is_the_tokens_own_and_the_experiments_own(site):
    site.begun()
    site.begun(name="other")
    other = site.grant("decide")
    heard = [
        site.decide("u1", Idempotency_Key="k1"),
        site.decide("u2", Idempotency_Key="k1", token=other),
        site.decide("u3", name="other", Idempotency_Key="k1"),
    ]
    assert [each.status for each in heard] == [201, 201, 201]


@pytest.mark.parametrize("key", ["", "x" * 256, "\xe9"])
def test_a_key_that_cannot_be_one(site, key):
    site.begun()
    heard = site.decide(Idempotency_Key=key)
    assert (heard.status, heard.kind) == (422, "malformed")


def test_a_deferred_decision_stores_nothing_until_it_is_activated(site):
    site.begun()
    before = scenes.dump(site.store)
    planned = site.decide(defer=True)
    assert planned.status == 201
    assert planned.json["deferred"]
    assert scenes.dump(site.store) == before
    shown = {"decision": planned.json["decision"], "person": "u17"}
    first, again = (site.ask("POST", "/v1/activations", shown) for _ in range(2))
    assert (first.status, again.status) == (201, 200)
    assert first.body == again.body
    assert first.json["arm"] == planned.json["arm"]
    assert "deferred" not in first.json
    assert scenes.learnt(site.store) == 1


def test_an_activation_is_hers_alone_and_for_minutes(site):
    site.begun()
    planned = site.decide(defer=True).json["decision"]
    heard = site.ask("POST", "/v1/activations", {"decision": planned, "person": "u18"})
    assert (heard.status, heard.kind) == (404, "no-decision")
    site.clock.advance("6m")
    heard = site.ask("POST", "/v1/activations", {"decision": planned, "person": "u17"})
    assert (heard.status, heard.kind) == (410, "expired")


@pytest.mark.parametrize("decision", ["x", "A" * 72, "A" * 64])
def test_an_activation_of_nothing(site, decision):
    site.begun()
    heard = site.ask("POST", "/v1/activations", {"decision": decision, "person": "u17"})
    assert (heard.status, heard.kind) == (404, "no-decision")


def test_a_deferred_decision_has_no_key(site):
    site.begun()
    assert site.decide(defer=True, Idempotency_Key="k").status == 422


def test_a_batch_answers_every_line_by_itself(site):
    site.begun()
    heard = site.lines(
        "/v1/batch/decisions",
        [
            {"experiment": "checkout", "person": "u1", "key": "k"},
            {"experiment": "nothing", "person": "u1"},
            b"{not json\n",
            {"experiment": "checkout", "person": ""},
            {"experiment": "checkout", "person": "u1", "key": "k"},
            {"experiment": "checkout", "person": "u2", "key": "k"},
            {"experiment": "checkout", "person": "u2", "segment": "phone"},
        ],
    )
    assert heard.status == 200
    assert [each["status"] for each in heard.lines] == [201, 404, 422, 422, 200, 422, 422]
    assert heard.lines[0]["decision"] == heard.lines[4]["decision"]
    assert scenes.learnt(site.store) == 1


def test_a_batch_of_refusals_is_looked_through_line_by_line(site, monkeypatch):
    """Else a thousand of them would be compared with each other, and hold up everybody."""
    site.begun()
    sizes = []
    leaves = problems.leaves

    def counted(sent):
        found = list(leaves(sent))
        sizes.append(len(found))
        return found

    monkeypatch.setattr(problems, "leaves", counted)
    site.decide("u1", Idempotency_Key="k")
    line = {"experiment": "checkout", "person": "u2", "key": "k"}
    heard = site.lines("/v1/batch/decisions", [line] * 50)
    assert {each["status"] for each in heard.lines} == {422}
    assert 0 < max(sizes) < 10


def test_a_batch_has_at_most_a_thousand_lines(site):
    site.begun()
    line = {"experiment": "checkout", "person": "u1"}
    assert len(site.lines("/v1/batch/decisions", [line] * 1000).lines) == 1000
    heard = site.lines("/v1/batch/decisions", [line] * 1001)
    assert (heard.status, heard.kind) == (413, "too-large")
    assert site.lines("/v1/batch/decisions", []).body == b""


def test_an_experiment_that_has_not_begun(site):
    site.ask(
        "POST",
        "/v1/experiments",
        {"name": "x", "policy": "LazyDPTS", "arms": ["a", "b"], "person_epsilon": 1.0},
    )
    heard = site.decide(name="x")
    assert (heard.status, heard.kind) == (409, "wrong-state")


@pytest.fixture
def set_back(tmp_path):
    """A site on files, what it said before they were set back, and the site afterwards."""
    clock, place = hush.live.ManualClock(), tmp_path / "experiments.db"
    with opened(store=hush.live.open(place, clock=clock)) as site:
        site.begun(window="1h")
    with ExitStack() as stack:
        snapshot = {each: each.read_bytes() for each in tmp_path.iterdir()}
        with opened(store=hush.live.open(place, clock=clock)) as site:
            for person in range(60):
                site.decide(f"u{person}")
            clock.advance("3h")
            site.store.settle()
            assert site.store.experiment("checkout").releases
            decided = site.decide("u30").json["decision"]
            tag = site.ask("GET", "/v1/experiments/checkout/plan").headers["etag"]
        for each in tmp_path.iterdir():
            each.unlink()
        for each, content in snapshot.items():
            each.write_bytes(content)
        later = stack.enter_context(opened(store=hush.live.open(place, clock=clock)))
        yield later, decided, tag


def test_a_seen_decision_of_a_forgotten_time_puts_it_into_quarantine(set_back):
    site, decided, _ = set_back
    assert site.decide("u31").status == 201
    assert site.store.experiment("checkout").state == "running"
    site.decide("u31", seen=decided)
    assert site.store.experiment("checkout").state == "quarantined"


def test_a_plan_of_a_forgotten_time_does_so_too(set_back):
    site, _, tag = set_back
    forged = tag[:-3] + ("00" if tag[-3:-1] != "00" else "11") + '"'
    site.ask("GET", "/v1/experiments/checkout/plan", If_None_Match=forged)
    assert site.store.experiment("checkout").state == "running"
    site.ask("GET", "/v1/experiments/checkout/plan", If_None_Match=tag)
    assert site.store.experiment("checkout").state == "quarantined"


def test_segments_are_named(site):
    site.begun(segments=["phone", "desktop"])
    assert site.decide(segment="phone").status == 201
    heard = site.decide()
    assert (heard.status, heard.kind) == (422, "malformed")
