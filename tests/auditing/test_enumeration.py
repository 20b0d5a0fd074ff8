"""Exact laws of arms by listing every outcome."""

import math

import numpy as np
import pytest

import hush
from hush.auditing import enumerate_law
from hush.auditing.enumeration import ArmLaw, TooManyOutcomesError, worst_event
from hush.theory.two_arms import laplace_masses


@pytest.mark.untraced
def test_the_far_outcomes_are_accounted_for():
    masses = laplace_masses(3.0)
    assert 0.0 < 1.0 - sum(masses) < 1e-9
    law = enumerate_law(hush.AnytimeLazyUCB(1.0), np.zeros((4, 2), np.int8))
    assert sum(law.chances.values()) + law.left_out == pytest.approx(1.0, abs=1e-12)


@pytest.mark.untraced
def test_a_stored_beginning_changes_nothing():
    table = np.array([[1, 0], [1, 0], [0, 1], [1, 1], [0, 1], [1, 0]], np.int8)
    policy = hush.NoiseAwareTS(8.0, first_batch=2)
    whole = enumerate_law(policy, table, seed=5)
    begun = enumerate_law(policy, table, seed=5, start=1)
    assert whole.chances == pytest.approx(begun.chances)


def test_full_information_by_hand():
    """After one vector (0, 1) the leader is ahead by 1 under exponential noise of scale 2."""
    law = enumerate_law(hush.RNMFTNL(1.0), np.array([[0, 1], [0, 0]], np.int8))
    assert law.chances[0, 0] == pytest.approx(0.5 * math.exp(-0.5), rel=1e-12)
    assert (law.runs, law.draws) == (2, 1)


def test_tosses_are_listed():
    policy = hush.ShrinkingDartboard(1.0, horizon=4)
    law = enumerate_law(policy, np.array([[0, 1]] * 4, np.int8))
    assert sum(law.chances.values()) == pytest.approx(1.0, abs=1e-12)
    assert len(law.chances) > 2


def test_too_many_outcomes_are_refused():
    with pytest.raises(TooManyOutcomesError, match="100"):
        enumerate_law(hush.AnytimeLazyUCB(1.0), np.zeros((4, 2), np.int8), most=100)


def test_the_worst_event_is_a_proven_bound():
    first, second = ArmLaw({(0,): 0.6, (1,): 0.4}, 0, 2, 1), ArmLaw({(0,): 0.3}, 0.01, 1, 1)
    event = worst_event(first, second)
    assert event.arms == {(1,)}
    assert event.loss == pytest.approx(math.log(0.4 / 0.01))
