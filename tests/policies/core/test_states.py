"""States of learners: plain, sealed, and refused where anything is wrong with them."""

import json
import math
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import PRIVATE

from hush import (
    FTL,
    RNMFTNL,
    UCB1,
    AnytimeLazyUCB,
    LazyDPTS,
    SeededNoise,
    StateError,
    ThompsonSampling,
)
from hush.policies.core.states import checksum, sealed

BANDITS = [AnytimeLazyUCB(0.7), LazyDPTS(0.7), UCB1(), ThompsonSampling()]
EXPERTS = [RNMFTNL(0.7), RNMFTNL.as_printed(0.7), FTL()]


def test_the_order_of_keys_does_not_matter():
    assert checksum({"a": 1, "b": [2]}) == checksum({"b": [2], "a": 1})
    assert sealed({"a": (1, 2)})["a"] == [1, 2]


def test_numbers_count_by_their_value():
    assert checksum({"a": 1.0}) == checksum({"a": 1}) != checksum({"a": 1.5})
    assert checksum({"a": 0.25}) != checksum({"a": 0.5})


@pytest.mark.parametrize("make", [sealed, checksum])
def test_what_is_no_number_is_not_sealed(make):
    with pytest.raises(ValueError, match="JSON"):
        make({"sum": math.nan})


@pytest.mark.parametrize("policy", BANDITS + EXPERTS, ids=str)
def test_states_are_plain_json_and_belong_to_their_policy(policy):
    learner = policy.learner(3, noise=SeededNoise(2))
    state = learner.state()
    assert json.loads(json.dumps(state, allow_nan=False)) == state
    assert "protect" in state["unreleased"]["notice"]
    for other in BANDITS + EXPERTS:
        if other != policy:
            with pytest.raises(StateError, match="restore it with the policy that made it"):
                other.restore(state)


@given(st.data())
def test_any_damage_to_a_state_is_found(data):
    policy = data.draw(st.sampled_from(BANDITS + EXPERTS))
    learner = policy.learner(3, noise=SeededNoise(2))
    for _ in range(5):
        arm = learner.select()
        learner.update([0, 1, 1]) if policy in EXPERTS else learner.update(arm, 1)
    text = json.dumps(learner.state())
    position = data.draw(st.integers(0, len(text) - 1))
    character = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    damaged = text[:position] + character + text[position + 1 :]
    try:
        state = json.loads(damaged)
    except json.JSONDecodeError:
        return
    if state != json.loads(text):
        with pytest.raises(StateError):
            policy.restore(state)


@pytest.mark.parametrize("bad", [None, 3, [], {}, {"hush_state": 99}, "state"])
def test_what_is_no_state_is_refused(bad):
    with pytest.raises(StateError):
        LazyDPTS(1.0).restore(bad)


def resealed(state, **changes):
    """Damage that a checksum does not see: someone edited the state and sealed it again."""
    body = {key: value for key, value in {**state, **changes}.items() if key != "checksum"}
    return {**body, "checksum": checksum(body)}


@pytest.mark.parametrize(
    "changes",
    [
        {"n_arms": 4},
        {"n_arms": "x"},
        {"round": -3},
        {"reward_range": [1]},
        {"noise": None},
        {"noise": {"kind": "seeded"}},
        {"releases": {}},
        {"outstanding": [0]},
        {"outstanding": [0, -1, 0]},
        {"statistics": {}},
        {"statistics": {"counts": [1, 1, 1], "sums": ["a", 1, 1]}},
        {"unreleased": None},
    ],
    ids=str,
)
def test_a_forged_state_is_refused_too(changes):
    learner = LazyDPTS(1.0).learner(3, noise=SeededNoise(2))
    with pytest.raises(StateError):
        learner.policy.restore(resealed(learner.state(), **changes))


def test_a_mapping_of_any_kind_holds_a_state():
    learner = LazyDPTS(1.0).learner(3, noise=SeededNoise(2))
    resumed = LazyDPTS(1.0).restore(MappingProxyType(learner.state()))
    assert resumed.select() == learner.select()


@pytest.mark.parametrize("part", [{1, 2}, math.nan, object()], ids=["set", "nan", "object"])
def test_what_json_cannot_hold_is_damage(part):
    learner = LazyDPTS(1.0).learner(3, noise=SeededNoise(2))
    with pytest.raises(StateError, match="its checksum differs"):
        LazyDPTS(1.0).restore({**learner.state(), "releases": [part]})


@pytest.mark.parametrize("policy", PRIVATE, ids=str)
def test_a_store_that_rewrites_numbers_breaks_no_checksum(policy):
    policy = policy.with_horizon(100)
    learner = policy.learner(2, noise=SeededNoise(1, discrete=True), reward_range=(0.0, 2.0))
    for _ in range(30):
        learner.observe(learner.select(), lambda arm: [1.0, 0.0] if arm is None else 1.0)
    state = json.loads(json.dumps(rewritten(learner.state())))
    again = policy.restore(state)
    assert again.select() == learner.select()


def rewritten(value):
    if isinstance(value, dict):
        return {key: rewritten(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rewritten(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
