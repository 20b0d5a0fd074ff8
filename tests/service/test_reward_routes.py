"""Rewards over HTTP: answers follow from the token, the clock and the bytes alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.live import scenes
from tests.service.sites import SETTINGS, opened

from hush.service import Settings


def test_a_reward_is_taken_and_says_nothing(site):
    site.begun()
    decision = site.decide().json["decision"]
    heard = site.reward(decision, 1)
    assert (heard.status, heard.body) == (204, b"")
    assert scenes.bit_of(site.store, decision) == 1


def test_the_last_one_within_the_window_counts_and_all_answers_are_alike(site):
    site.begun()
    decision = site.decide().json["decision"]
    heard = [site.reward(decision, value) for value in (1, 0, 1, 1, 0)]
    assert len({(each.status, str(each.headers), each.body) for each in heard}) == 1
    assert scenes.bit_of(site.store, decision) == 0


def test_too_late_is_410(site):
    site.begun()
    decision = site.decide().json["decision"]
    site.clock.advance("25h")
    heard = site.reward(decision)
    assert (heard.status, heard.kind) == (410, "expired")


@pytest.mark.parametrize("decision", ["x", "A" * 64, "%00", "A" * 5000])
def test_what_is_no_id_is_404(site, decision):
    site.begun()
    heard = site.reward(decision)
    assert (heard.status, heard.kind) == (404, "no-decision")


def test_a_row_that_is_gone_answers_204(site):
    site.begun()
    decision = site.decide().json["decision"]
    site.store._private.run("DELETE FROM pending")
    assert site.reward(decision).status == 204


@pytest.mark.parametrize("value", [2, -1, "1", None, True, [1], {"a": 1}])
def test_a_value_that_cannot_be_used_is_422_and_not_shown(site, value):
    site.begun()
    decision = site.decide().json["decision"]
    heard = site.reward(decision, value)
    assert (heard.status, heard.kind) == (422, "malformed")
    assert scenes.bit_of(site.store, decision) == 0


@given(value=st.floats(allow_nan=False).filter(lambda x: not 0 <= x <= 1))
def test_no_number_outside_the_range_is_echoed(value):
    with opened() as site:
        site.begun()
        decision = site.decide().json["decision"]
        heard = site.reward(decision, value)
        assert heard.status == 422
        assert repr(value).encode() not in heard.body.replace(b'"status":422', b"")


def test_lines_are_answered_by_themselves(site):
    site.begun()
    one, two = (site.decide(f"u{n}").json["decision"] for n in range(2))
    heard = site.lines(
        "/v1/batch/rewards",
        [
            {"decision": one, "value": 1},
            {"decision": "A" * 64, "value": 1},
            {"decision": two, "value": 7},
            b"nonsense\n",
            {"decision": two, "value": 1},
        ],
    )
    assert [each["status"] for each in heard.lines] == [204, 404, 422, 422, 204]
    assert [scenes.bit_of(site.store, each) for each in (one, two)] == [1, 1]


def test_a_token_for_one_experiment_rewards_no_other(site):
    site.begun()
    site.begun(name="other")
    token = site.grant("reward", experiments=["other"])
    decision = site.decide().json["decision"]
    assert site.reward(decision, token=token).status == 403
    (line,) = site.lines(
        "/v1/batch/rewards", [{"decision": decision, "value": 1}], token=token
    ).lines
    assert line["status"] == 403
    assert scenes.bit_of(site.store, decision) == 0


def test_only_its_own_posts_limit_a_reward():
    now = [0.0]
    settings = Settings(tick=None, decisions=None, rewards=3)
    with opened(settings=settings, clock=lambda: now[0]) as site:
        site.begun()
        one, two = (site.decide(f"u{n}").json["decision"] for n in range(2))
        heard = [site.reward(one) for _ in range(4)]
        assert [each.status for each in heard] == [204, 204, 204, 429]
        assert heard[-1].headers["retry-after"] == "10"
        assert site.reward(two).status == 204
        now[0] = 11.0
        assert site.reward(one).status == 204


def test_a_refused_id_is_not_counted(site):
    assert SETTINGS.rewards < 50
    heard = {site.reward("A" * 64).status for _ in range(50)}
    assert heard == {404}
