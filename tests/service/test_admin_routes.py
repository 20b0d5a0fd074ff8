"""Operators' acts over HTTP."""

import pytest
from tests.live import scenes
from tests.service.sites import CHECKOUT, SETTINGS, opened

from hush.service import Settings


def test_an_experiment_from_draft_to_its_end(site):
    made = site.ask("POST", "/v1/experiments", CHECKOUT)
    assert made.status == 201
    assert made.headers["location"] == "/v1/experiments/checkout"
    states = [made.json["state"]]
    for act in ("start", "pause", "resume", "stop"):
        heard = site.ask("POST", f"/v1/experiments/checkout/{act}", {"by": "Ada"})
        assert heard.status == 200
        states.append(heard.json["state"])
    assert states == ["draft", "running", "paused", "running", "stopped"]
    acts = site.ask("GET", "/v1/experiments/checkout/acts").json["acts"]
    assert [(each["act"], each["by"]) for each in acts] == [
        (act, "Ada") for act in ("start", "pause", "resume", "stop")
    ]


def test_a_second_start_and_a_second_name_are_refused(site):
    site.begun()
    heard = site.ask("POST", "/v1/experiments/checkout/start", {})
    assert (heard.status, heard.kind) == (409, "wrong-state")
    heard = site.ask("POST", "/v1/experiments", CHECKOUT)
    assert (heard.status, heard.kind) == (409, "wrong-state")
    assert b"checkout" not in heard.body


def test_a_budget_that_is_exceeded(site):
    heard = site.ask("PUT", "/v1/populations/default", {"limit": 0.5})
    assert heard.status == 204
    site.ask("POST", "/v1/experiments", CHECKOUT)
    heard = site.ask("POST", "/v1/experiments/checkout/start", {})
    assert (heard.status, heard.kind) == (409, "budget-exceeded")
    assert site.ask("GET", "/v1/experiments/checkout").json["state"] == "draft"


@pytest.mark.parametrize(
    "wrong",
    [
        {"person_epsilon": -1},
        {"person_epsilon": "1"},
        {"arms": ["old"]},
        {"arms": "old"},
        {"policy": "Thompson"},
        {"policy": "ThompsonSampling"},
        {"window": "soon"},
        {"name": "a b"},
        {"reward_range": [1, 0]},
        {"parameters": {"epsilon": 1}},
        {"unknown": 1},
        {"default": 7},
    ],
)
def test_terms_that_cannot_be_met_are_refused_and_not_echoed(site, wrong):
    before = scenes.dump(site.store)
    heard = site.ask("POST", "/v1/experiments", {**CHECKOUT, **wrong})
    assert (heard.status, heard.kind) == (422, "malformed")
    assert scenes.dump(site.store) == before
    for value in ("Thompson", "soon", "a b", "unknown"):
        assert value.encode() not in heard.body.replace(b"/openapi.json", b"")


def test_arms_and_knobs(site):
    site.begun()
    exp = "/v1/experiments/checkout"
    assert site.ask("POST", f"{exp}/arms", {"name": "newer"}).status == 200
    assert site.ask("POST", f"{exp}/arms/retire", {"name": "new"}).status == 200
    heard = site.ask("POST", f"{exp}/adjust", {"control": "newer", "floor": 0.1})
    assert heard.json["control"] == "newer"
    assert heard.json["floor"] == 0.1
    assert [(each["name"], each["retired"]) for each in heard.json["arms"]] == [
        ("old", False),
        ("new", True),
        ("newer", False),
    ]
    heard = site.ask("POST", f"{exp}/arms/retire", {"name": "newer"})
    assert (heard.status, heard.kind) == (422, "malformed")


def test_erasing_answers_alike_whether_she_is_known_or_not(site):
    site.begun()
    decision = site.decide("u1").json["decision"]
    site.reward(decision)
    heard = [site.ask("POST", "/v1/people/erase", {"person": who}) for who in ("u1", "nobody")]
    assert heard[0] == heard[1]
    assert heard[0].status == 204
    assert site.store._private.run("SELECT bit FROM pending") == [(0,)]


def test_a_clock_is_confirmed(site):
    site.clock.jump(3_600_000)
    site.core.tick()
    assert site.core.standing.held
    assert b"hush_clock_held 1.0" in site.ask("GET", "/metrics").body
    assert site.ask("GET", "/readyz").status == 200
    heard = site.ask("POST", "/v1/clock/confirm", {"by": "Ada"})
    assert heard.json == {"held": None}
    site.core.tick()
    assert site.core.standing.held is None


def test_a_clock_is_confirmed_though_nobody_noticed_that_it_jumped(site):
    site.clock.jump(3_600_000)
    assert site.ask("POST", "/v1/clock/confirm", {}).json == {"held": None}


def test_a_rehearsal_over_http(site):
    site.ask("POST", "/v1/experiments", CHECKOUT)
    exp = "/v1/experiments/checkout"
    assert site.ask("POST", f"{exp}/rehearse", {}).json["state"] == "rehearsal"
    token = site.grant("decide", "reward", "read", test=True)
    assert site.decide("u1").status == 409  # with a token that is not for tests
    decided = site.decide("hush_test_1", token=token)
    assert decided.status == 201
    assert site.reward(decided.json["decision"], token=token).status == 204
    assert site.reward(decided.json["decision"]).status == 404
    shown = site.ask("GET", f"{exp}/rehearsal").json
    assert [each["bit"] for each in shown["pending"]] == [1]
    assert site.ask("POST", f"{exp}/rehearsal/advance", {"length": "2d"}).status == 204
    assert site.ask("GET", f"{exp}/rehearsal").json["pending"] == []
    planned = site.decide("hush_test_2", token=token, defer=True).json["decision"]
    active = {"decision": planned, "person": "hush_test_2"}
    assert site.ask("POST", "/v1/activations", active, token=token).status == 201
    assert site.ask("POST", f"{exp}/start", {}).json["state"] == "running"
    assert site.reward(decided.json["decision"], token=token).status == 404  # ids die at the start
    assert site.decide("hush_test_1", token=token).status == 409


def test_a_rehearsal_needs_one_worker():
    with opened(settings=Settings(tick=None, workers=2)) as site:
        site.ask("POST", "/v1/experiments", CHECKOUT)
        heard = site.ask("POST", "/v1/experiments/checkout/rehearse", {})
        assert (heard.status, heard.kind) == (409, "wrong-state")
        assert site.ask("GET", "/v1/experiments/checkout").json["state"] == "draft"


def test_a_token_asks_for_so_many_decisions_a_second():
    now = [0.0]
    settings = Settings(tick=None, decisions=2.0, rewards=SETTINGS.rewards)
    with opened(settings=settings, clock=lambda: now[0]) as site:
        site.begun()
        heard = [site.decide(f"u{n}") for n in range(5)]
        assert [each.status for each in heard] == [201] * 4 + [429]
        assert heard[-1].headers["retry-after"] == "1"
        assert site.reward(heard[0].json["decision"]).status == 204
        assert site.decide(token=site.grant("decide")).status == 201
        now[0] = 1.0
        assert site.decide().status == 201
