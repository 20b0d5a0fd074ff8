"""Rounds of Thompson sampling in which few are drawn: the winner's law, and that of whole runs."""

import numpy as np
import pytest
from numba import njit
from scipy import stats
from tests import every

import hush
from hush.numerics.beta import win_chances
from hush.simulation.engines.rules import rule_pointer
from hush.simulation.engines.thompson import ThompsonEngine
from hush.simulation.kernels.arms import fresh_arms
from hush.simulation.kernels.contenders import (
    ABOVE,
    BELOW,
    OPEN,
    STANDING,
    find_winner,
    lay_contest,
    look_again,
    new_contest,
)
from hush.simulation.kernels.records import Problem

FALSE_ALARM = 1e-6  # of each test of a law
DRAWS = 200_000
MOST = ThompsonEngine.most_hazard
PLAIN = rule_pointer(hush.ThompsonSampling.center)
RAISED = rule_pointer(hush.LazyDPTS.center)
EPSILON = np.ones(1)
CASES = {  # means and counts
    "far ahead": ([0.75, 0.6, 0.5, 0.3], [4000.0, 150.0, 60.0, 10.0]),
    "close behind": ([0.5, 0.48, 0.47, 0.2], [900.0, 700.0, 30.0, 40.0]),
    "alike": ([0.5, 0.5, 0.5], [50.0, 50.0, 50.0]),
    "sure": ([1.0, 0.9, 0.0], [300.0, 60.0, 9.0]),
    "rare": ([1e-3, 2e-4, 0.0], [1e5, 2e4, 3e3]),
    "huge": ([0.7, 0.6999, 0.69], [1e9, 1e7, 1e6]),
    "fresh": ([0.0, 1.0, 0.0], [0.0, 1.0, 3.0]),
}


@njit
def laid(rule, parameters, contest, t, most):
    return lay_contest(rule, parameters.ctypes, contest, t, most)


@njit
def again(rule, parameters, contest, arm, sides):
    return look_again(rule, parameters.ctypes, contest, arm, sides)


@njit
def winners(rule, parameters, contest, sides, t, n, source):
    """Return how often each arm wins the same round."""
    found = np.zeros(contest.counts.size, np.int64)
    left = source.standard_exponential()
    for _ in range(n):
        arm, left = find_winner(rule, parameters.ctypes, contest, sides, t, left, source)
        found[arm] += 1
    return found


@njit
def blank(problem):
    arms = fresh_arms(problem)
    return arms, new_contest(arms)


def known(means, counts):
    """Return arms of which this is known, and room for a contest."""
    arms, contest = blank(Problem(np.array(means), np.ones(1, np.int64), np.inf, False))
    arms.means[:], arms.counts[:] = means, counts
    return arms, contest


def agrees(found, chances):
    """Tell whether winners have these chances, by a chi-squared test; rare ones together."""
    expected = chances * found.sum()
    often = expected > 10.0
    table = [np.append(each[often], each[~often].sum()) for each in (found, expected)]
    if table[1][-1] < 10.0:  # too few for this test: by their own
        few = stats.binomtest(int(table[0][-1]), int(found.sum()), table[1][-1] / found.sum())
        table = [each[:-1] for each in table]
        if few.pvalue < FALSE_ALARM:
            return False
    if table[0].size < 2:
        return True
    return (
        stats.chisquare(table[0], table[1] * table[0].sum() / table[1].sum()).pvalue > FALSE_ALARM
    )


def exact(center, counts):
    center, counts = np.asarray(center), np.asarray(counts)
    return win_chances(center * counts + 1.0, (1.0 - center) * counts + 1.0)


@pytest.mark.untraced
@pytest.mark.parametrize("most", [0.0, 0.05, MOST])
@pytest.mark.parametrize("case", CASES)
def test_winners_have_their_chances(case, most):
    """200,000 rounds against quadrature; each test has a false-alarm rate of 1e-6."""
    means, counts = CASES[case]
    _, contest = known(means, counts)
    sides = laid(PLAIN, EPSILON, contest, 5000, most)
    found = winners(PLAIN, EPSILON, contest, sides, 5000, DRAWS, np.random.default_rng(1))
    assert agrees(found, exact(means, counts))


def test_the_comparison_can_fail():
    means, counts = CASES["close behind"]
    _, contest = known(means, counts)
    sides = laid(PLAIN, EPSILON, contest, 5000, MOST)
    found = winners(PLAIN, EPSILON, contest, sides, 5000, DRAWS, np.random.default_rng(1))
    chances = exact(means, counts)
    chances[:2] += [0.02 * chances[0], -0.02 * chances[0]]
    assert not agrees(found, chances)


@pytest.mark.untraced
def test_the_same_bounds_serve_as_the_leader_is_played():
    """What was laid for one law of the leader holds for others: fewer failures than allowed for."""
    means, counts = CASES["far ahead"]
    arms, contest = known(means, counts)
    sides = laid(PLAIN, EPSILON, contest, 5000, MOST)
    assert contest.table[STANDING].tolist() == [ABOVE, BELOW, BELOW, BELOW]
    for failures, successes in ((0, 0), (5, 0), (20, 100), (0, 2000)):
        n = 4000 + failures + successes
        k = 3000 + successes
        assert n - k <= sides.failures
        assert k >= sides.successes
        arms.means[0], arms.counts[0] = k / n, n
        found = winners(PLAIN, EPSILON, contest, sides, 6000, DRAWS, np.random.default_rng(2))
        assert agrees(found, exact(arms.means, arms.counts))


@pytest.mark.untraced
def test_the_same_bounds_serve_while_centres_grow():
    means, counts = [0.6, 0.5, 0.4], [8192.0, 512.0, 256.0]
    arms, contest = known(means, counts)
    sides = laid(RAISED, EPSILON, contest, 10_000, MOST)
    assert BELOW in contest.table[STANDING].tolist()
    for t in (10_000, sides.until):
        found = winners(RAISED, EPSILON, contest, sides, t, DRAWS, np.random.default_rng(2))
        center = hush.LazyDPTS.center(arms.means, arms.counts, float(t), EPSILON)
        assert agrees(found, exact(center, counts))


@pytest.mark.untraced
def test_an_arm_that_was_played_is_looked_at_again():
    means, counts = CASES["far ahead"]
    for more, stays in ((0.0, True), (1.0, True), (150.0, False)):
        arms, contest = known(means, counts)
        sides = laid(PLAIN, EPSILON, contest, 5000, MOST)
        arms.counts[1] += max(1.0, more)
        arms.means[1] = (90.0 + more) / arms.counts[1]
        before, sides = sides, again(PLAIN, EPSILON, contest, 1, sides)
        assert (sides.n_open == 0) == stays
        assert (sides.total == before.total) == (more == 0.0)
        if not stays:
            assert contest.table[STANDING].tolist() == [OPEN, OPEN, BELOW, BELOW]
        assert again(PLAIN, EPSILON, contest, 1, sides) == sides
        found = winners(PLAIN, EPSILON, contest, sides, 5000, DRAWS, np.random.default_rng(4))
        assert agrees(found, exact(arms.means, arms.counts))


def test_a_centre_that_is_no_number_leaves_its_arm_open():
    _, contest = known([0.75, np.nan, 0.3], [4000.0, 150.0, 10.0])
    sides = laid(PLAIN, EPSILON, contest, 5000, MOST)
    assert contest.table[STANDING].tolist() == [OPEN, OPEN, BELOW]
    found = winners(PLAIN, EPSILON, contest, sides, 5000, 100, np.random.default_rng(4))
    assert found.tolist() == [100, 0, 0]


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize(
    ("policy", "means", "runs"),
    [
        (hush.ThompsonSampling(), [0.9, 0.6, 0.5], 150_000),
        (hush.ThompsonSampling(), [0.2, 0.6], 150_000),
        (hush.LazyDPTS(2.0), [0.8, 0.4, 0.3], 20_000),
    ],
    ids=str,
)
def test_whole_runs_have_the_law_of_runs_in_which_all_are_drawn(policy, means, runs):
    """400 rounds, so many runs of each; every test has a false-alarm rate of 1e-6.

    That many runs show a shift of 2 % in mean regret with near certainty, which is checked.
    """
    options = {"horizon": 400, "runs": runs, "engine": "rounds", "checkpoints": [100]}
    env = hush.Bernoulli(means)
    spared = hush.simulate(policy, env, seed=3, progress=False, **options)
    with every.drawn_in_turn():
        drawn = hush.simulate(policy, env, seed=4, progress=False, **options)
    for position in range(2):
        one, other = (each.regret[0, :, position] for each in (spared, drawn))
        assert stats.ttest_ind(one, other).pvalue > FALSE_ALARM
        assert stats.ks_2samp(one, other).pvalue > FALSE_ALARM
        for arm in range(env.n_arms):
            pulls = (each.pulls[0, :, position, arm] for each in (spared, drawn))
            assert stats.ks_2samp(*pulls).pvalue > FALSE_ALARM
    assert stats.ttest_ind(1.02 * one, other).pvalue < FALSE_ALARM
