"""The terms of an experiment: plain values, checked, and when batches settle."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.live import scenes

import hush
from hush.errors import ParameterError
from hush.live.terms import Terms, checked_arms, checked_name

GIVEN = {
    "person_epsilon": 1.0, "person_bound": 4, "window": "1h", "default": 0.0,
    "reward_range": (0.0, 1.0), "population": "default", "segments": None, "tick": "1m",
    "grace": "5s", "max_age": None,
}  # fmt: skip


def terms(policy=hush.NoiseAwareTS, parameters=None, **given):
    return Terms.of(policy, parameters, {**GIVEN, **given})


def test_what_is_stored_is_what_was_agreed():
    made = terms(
        parameters={"growth": np.float64(3.0), "prior": (np.float64(2.0), 3.0)},
        segments=["de", "fr"],
        max_age="1d",
        person_bound=np.int64(7),
        default=np.float32(0.5),
    )
    again = Terms.from_dict(json.loads(json.dumps(made.to_dict(), allow_nan=False)))
    assert again == made
    assert again.learning == made.learning
    assert again.epsilon == made.epsilon <= 1 / 7


def test_the_epsilon_of_one_reward_is_within_the_promise():
    made = terms(person_epsilon=1.0, person_bound=3)
    assert made.learning.guarantee.epsilon == made.epsilon
    assert 3 * made.epsilon <= 1.0


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"person_bound": 0}, "person_bound"), ({"person_bound": 10**6 + 1}, "person_bound"),
        ({"person_epsilon": 1e-8, "person_bound": 100}, "must lie in"),
        ({"person_epsilon": 1e7, "person_bound": 1}, "must lie in"),
        ({"default": 2}, "default"), ({"default": True}, "default"),
        ({"reward_range": (1.0, 1.0)}, "reward_range"), ({"reward_range": (0, np.inf)}, "range"),
        ({"window": -1}, "window"), ({"max_age": "x"}, "max_age"),
        ({"segments": []}, "segments"), ({"segments": ["de", "de"]}, "segments"),
        ({"segments": "de"}, "segments"), ({"population": "a/b"}, "population"),
        ({"policy": hush.UCB1}, "not private"), ({"policy": "UCB1"}, "not private"),
        ({"policy": hush.NoiseAwareTS(1.0)}, "class or name"), ({"policy": 7}, "class or name"),
        ({"parameters": {"epsilon": 1.0}}, "leave it out"), ({"parameters": [1]}, "mapping"),
    ],
)  # fmt: skip
def test_terms_that_are_refused(bad, said):
    with pytest.raises(ParameterError, match=said):
        terms(**bad)


def test_a_policy_that_keeps_the_last_release_and_an_age():
    last = next(
        cls for cls in hush.policies.REGISTERED
        if cls.feedback == "bandit" and getattr(cls, "memory", "") == "last"
        and "epsilon" in cls.__dataclass_fields__
        and cls(epsilon=1.0).why_not_live(ages=False) is None
    )  # fmt: skip
    terms(last)
    with pytest.raises(ParameterError, match="max_age"):
        terms(last, max_age="1d")


def test_a_policy_of_ones_own_is_refused():
    class Mine(hush.NoiseAwareTS):
        pass

    with pytest.raises(hush.HushError):
        terms(Mine)


@given(st.integers(0, 10**12), st.sampled_from(["0s", "1s", "1m", "7s"]), st.integers(0, 10_000))
def test_when_a_batch_settles_and_is_shown(deadline, tick, grace):
    made = _cached(tick, grace)
    due = made.due(deadline)
    assert due > deadline + grace  # at the very deadline a reward is taken
    assert due - (deadline + grace + 1) < max(made.tick, 1)
    assert made.tick == 0 or due % made.tick == 0
    assert made.published(due) == due + made.tick


def _cached(tick, grace, kept={}):  # noqa: B006
    return kept.setdefault((tick, grace), terms(tick=tick, grace=grace / 1_000))


def test_names():
    assert checked_name("arm", "a" * 64) == "a" * 64
    for bad in ("", "a" * 65, "-a", ".a", "a b", "a/b", "a\n", "ä", None, 7):
        with pytest.raises(ParameterError):
            checked_name("arm", bad)
    for arms in (["a"], ["a", "a"], "ab", None, ["a", 1], {"a": 1, "b": 2}):
        with pytest.raises(ParameterError):
            checked_arms(arms)


def test_many_lanes_are_refused():
    with scenes.in_memory() as store, pytest.raises(ParameterError, match="arms times segments"):
        scenes.made(
            store, arms=[f"a{n}" for n in range(400)], segments=[f"s{n}" for n in range(400)]
        )
