"""Improved UCB and median elimination: phases as printed, and what they are for."""

import math

import numpy as np
import pytest

import hush
from hush import ParameterError


def test_improved_ucb_pulls_what_its_phases_say():
    """Phases of gaps 1, 1/2, 1/4: ``ceil(2 ln(T D^2) / D^2)`` pulls of each survivor in all."""
    horizon = 2000
    learner = hush.ImprovedUCB(horizon=horizon).learner(2)
    totals = [math.ceil(2 * math.log(horizon / 4**p) * 4**p) for p in range(3)]
    for _ in range(2 * totals[2]):
        learner.update(learner.select(), 1)
    counts = [release.count for release in learner.releases if release.arm == 0]
    assert np.cumsum(counts).tolist() == totals
    assert learner.survivors == (0, 1)  # equally good


def test_improved_ucb_ends_with_one_arm():
    horizon = 500
    learner = hush.ImprovedUCB(horizon=horizon).learner(3)
    for _ in range(5 * horizon):
        learner.update(learner.select(), 1)
    assert learner.survivors == (0,)
    assert len({learner.select() for _ in range(50)}) == 1


def test_improved_ucb_plays_the_best_of_those_that_no_phase_told_apart():
    """Two arms of nearly equal means: the better one wins, not the first one."""
    learner = hush.ImprovedUCB(horizon=500).learner(2)
    count = 0
    while len(learner.survivors) == 2:
        arm = learner.select()
        count += arm == 0
        learner.update(arm, 0 if arm == 0 and count % 20 == 0 else 1)
    assert learner.survivors == (1,)
    assert learner.statistics.means[0] > 0.9  # it was not dropped before


def test_improved_ucb_drops_what_is_too_far_below():
    horizon = 1000
    learner = hush.ImprovedUCB(horizon=horizon).learner(2)
    pulls = math.ceil(2 * math.log(horizon))
    reach = 2 * math.sqrt(math.log(horizon) / (2 * pulls))
    worse = math.floor(pulls * (1 - reach))  # just too far below 1
    given = [0, 0]
    for _ in range(2 * pulls):
        arm = learner.select()
        learner.update(arm, 1 if arm == 1 or given[0] < worse else 0)
        given[arm] += 1
    assert learner.survivors == (1,)


@pytest.mark.untraced
def test_median_elimination_finds_a_near_arm_as_often_as_it_says():
    """A tenth of 20 runs may miss; more than 9 would be a false alarm once in 10^5."""
    policy = hush.MedianElimination(accuracy=0.6, delta=0.1)
    means, missed = np.array([0.9, 0.2, 0.2]), 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        learner = policy.learner(3)
        while learner.recommended is None:
            arm = learner.select()
            learner.update(arm, int(generator.random() < means[arm]))
        missed += learner.recommended != 0
    assert missed <= 9


def test_median_elimination_grows_its_phases():
    policy = hush.MedianElimination(accuracy=0.4, delta=0.2)
    assert policy.phase_pulls(1) == math.ceil(4 / 0.01 * math.log(3 / 0.1))
    assert policy.phase_pulls(2) == math.ceil(4 / 0.075**2 * math.log(3 / 0.05))
    assert policy.phase_pulls(10**4) == 2**62


@pytest.mark.parametrize("bad", [{"accuracy": 0.0}, {"accuracy": 1.0}, {"delta": 2.0}])
def test_what_median_elimination_cannot_take(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        hush.MedianElimination(**bad)
