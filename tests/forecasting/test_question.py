"""What a forecast is asked: what is refused, and what follows from what is not."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.forecasting.one_forecast import SMALL, foretold

import hush
from hush.forecasting import foretelling
from hush.forecasting.question import UNNOISED, Question
from hush.live.terms import live_policies
from hush.simulation.engines import why_no_leap

ASKED = {**SMALL, "person_bound": 1, "window": "1d", "learnt": 1.0, "epsilons": None}


def asked(**changed):
    return Question.of({**ASKED, **changed})


NO_NUMBERS = st.sampled_from(["x", None, True, math.nan, math.inf, [], {}, "1", -1.0, 0])
NO_LISTS = st.sampled_from([None, 3, "0.5,0.4", b"0", [], {}])
BAD = {
    "rates": NO_LISTS
    | st.lists(st.floats(0, 1), max_size=1)
    | st.sampled_from([[0.5, 1.1], [0.5, -0.1], [0.5, math.nan], [0.5, True], [0.5, "a"]]),
    "per_day": NO_NUMBERS | st.sampled_from([1e300, 1e-9, 10**400]),
    "person_epsilon": NO_NUMBERS | st.sampled_from([1e-12, 1e12]),
    "person_bound": NO_NUMBERS | st.sampled_from([1.5, 10**7]),
    "window": st.sampled_from(["a day", "-1d", -1, None, [], math.nan, 10**30, True]),
    "days": NO_NUMBERS | st.sampled_from([0.5, 10**6]),
    "learnt": NO_NUMBERS | st.floats(1.0001, 1e9),
    "policies": st.sampled_from(
        [3, "NoiseAwareTS", [], [3], ["UCB1"], ["DPSE"], ["RNMFTNL"], ["LazyDPTS", hush.LazyDPTS]]
    ),
    "epsilons": st.sampled_from([3, "1,2", [], [0], [-1.0], ["a"], [math.inf], [1e-12], [True]]),
    "runs": NO_NUMBERS | st.sampled_from([1, 2.5, 10**9]),
    "seed": st.sampled_from([-1, 1.5, "a", True, math.nan]),
}


@given(st.data())
def test_bad_input_is_refused_before_any_work(data):
    name = data.draw(st.sampled_from(sorted(BAD)))
    value = data.draw(BAD[name])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(foretelling, "simulate", None)
        with pytest.raises(hush.ParameterError):
            foretold(**{name: value})


def test_an_unknown_policy_is_named_with_the_nearest():
    with pytest.raises(hush.UnknownNameError, match="did you mean 'LazyDPTS'"):
        foretold(policies=["LazyDPT"])


def test_left_out_it_looks_at_all_live_policies_and_four_promises():
    found = asked(policies=None)
    names = [each.policy["policy"] for each in found.unnoised]
    assert tuple(names) == live_policies()
    assert len(found.terms) == 4 * len(names)
    assert [each.person_epsilon for each in found.terms[:4]] == [0.5, 1.0, 2.0, 4.0]


def test_none_of_the_live_policies_is_left_out():
    found = asked(policies=None, per_day=20_000)
    assert tuple(each.policy["policy"] for each in found.unnoised) == live_policies()
    assert found.left_out == ()
    for terms in found.unnoised:
        assert why_no_leap(terms.learning, found.delay) is None


def test_policies_that_take_long_are_left_out_unless_they_are_named(monkeypatch):
    """One that does not leap, if there is one: it is made up here."""
    slow = "LazyDPTS"

    def one_by_one(policy, delay):
        return "it runs round by round" if type(policy).__name__ == slow else None

    monkeypatch.setattr("hush.forecasting.question.why_no_leap", one_by_one)
    found = asked(policies=None, per_day=20_000)
    kept = [each.policy["policy"] for each in found.unnoised]
    assert kept == [name for name in live_policies() if name != slow]
    assert found.left_out == (slow,)
    assert len(found.terms) == 4 * len(kept)
    assert asked(policies=None, per_day=20).left_out == ()
    assert asked(policies=[slow], per_day=20_000).left_out == ()


@given(
    st.floats(0.01, 50.0),
    st.integers(1, 50),
    st.lists(st.floats(0.01, 50.0), min_size=1, max_size=4),
)
def test_policies_run_at_the_epsilon_that_live_experiments_use(promise, bound, others):
    found = asked(person_epsilon=promise, person_bound=bound, epsilons=others)
    store = hush.live.open(":memory:")
    exp = store.create(
        "x", policy="AnytimeLazyUCB", arms=["a", "b"], person_epsilon=promise, person_bound=bound
    )
    promises = [each.person_epsilon for each in found.terms]
    assert promises == sorted({promise, *others})
    assert found.terms[promises.index(promise)] == exp.terms
    assert found.unnoised[0].epsilon == pytest.approx(UNNOISED)


def test_the_wait_is_that_of_the_outlook():
    """Window, grace and two ticks, in decisions that are learnt from."""
    days = 1.0 + (5 + 2 * 60) / 86_400
    assert asked(per_day=20_000).delay == math.floor(20_000 * days) == 20_028
    assert asked(per_day=20_000, learnt=0.5).delay == math.floor(10_000 * days)
    assert asked(per_day=10, window=0).delay == 0


@given(st.integers(1, 3_660))
def test_it_looks_at_the_last_day_and_at_some_before(days):
    looked = asked(days=days, per_day=1.0).looked
    assert looked[-1] == days
    assert looked[0] >= 1
    assert list(looked) == sorted(set(looked))
    assert len(looked) == 4 or days < 8


def test_useful_is_what_does_not_hide_the_next_best_arm():
    assert asked(rates=[0.030, 0.036, 0.033]).within == pytest.approx(0.003)
    assert asked(rates=[0.2, 0.9]).within == 0.1
    assert asked(rates=[0.2, 0.2]).within == 0.1


def test_rates_may_come_from_an_array():
    assert asked(rates=np.array([0.25, 0.5])).rates == (0.25, 0.5)
