"""Exact laws of arms: listing, matrices, and simulation agree."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import hush
from hush.auditing import enumerate_law, two_arm_law
from hush.auditing.enumeration import ArmLaw, TooManyOutcomesError, laplace_masses, worst_event
from hush.auditing.tables import play
from hush.auditing.two_arms import fits

SIMPLE = [hush.AnytimeLazyUCB(1.5), hush.AdaPUCB(4.0), hush.AdaPKLUCB(8.0, beta=1.0)]


def sampled(policy, table, runs, seed):
    noise = hush.SeededNoise(seed, discrete=True)
    return Counter(
        tuple(play(policy.learner(2, noise=noise), table, settle_last=False)) for _ in range(runs)
    )


@pytest.mark.parametrize("policy", SIMPLE, ids=str)
def test_matrices_and_listing_agree(policy):
    law = two_arm_law(policy, 4)
    for arms, by_sums in law.chances.items():
        for sums, chance in itertools.islice(by_sums.items(), 3):
            listed = enumerate_law(policy, law.table(arms, sums), most=10**5)
            assert listed.chances.get(arms, 0.0) == pytest.approx(chance, abs=1e-8)


@pytest.mark.parametrize(
    "policy",
    [*SIMPLE, hush.LazyDPTS(1.0), hush.DPKLUCB(1.0), hush.DPIMED(2.0), hush.LazyDPTS(0.2)],
    ids=str,
)
def test_matrices_agree_with_learners(policy):
    """5,000 learners on one table, chi-square over arm sequences: false alarm 1 in 10^5 each."""
    from scipy import stats

    from hush.auditing.exact import _on_table

    table = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]], np.int8)
    chances = _on_table(two_arm_law(policy, len(table)), table).chances
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-6)
    counts = sampled(policy, table, 5000, 3)
    assert set(counts) <= set(chances)
    common = [arms for arms, chance in chances.items() if chance > 2e-3]
    expected = np.array([5000 * chances[arms] for arms in common])
    seen = np.array([counts[arms] for arms in common])
    rest = 5000 - expected.sum(), 5000 - seen.sum()
    if rest[0] > 5:
        expected, seen = np.append(expected, rest[0]), np.append(seen, rest[1])
    statistic = ((seen - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, max(1, len(seen) - 1)) > 1e-5


def test_losses_come_close_to_epsilon_and_stay_below():
    for policy in (hush.AnytimeLazyUCB(1.0), hush.AdaPUCB(1.0), hush.DPKLUCB(1.0)):
        loss, *_ = two_arm_law(policy, 8).worst()
        assert 0.99 < loss <= 1.0


def test_the_far_outcomes_are_accounted_for():
    masses = laplace_masses(3.0)
    assert 0.0 < 1.0 - sum(masses) < 1e-9
    law = enumerate_law(hush.AnytimeLazyUCB(1.0), np.zeros((4, 2), np.int8))
    assert sum(law.chances.values()) + law.left_out == pytest.approx(1.0, abs=1e-12)


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


def test_what_fits():
    assert fits(hush.LazyDPTS(1.0))
    assert not any(map(fits, (hush.TreeDPUCB(1.0), hush.RNMFTNL(1.0), hush.NoiseAwareTS(1.0))))
    with pytest.raises(hush.ParameterError, match="not known"):
        two_arm_law(hush.TreeDPUCB(1.0, horizon=8), 4)
    with pytest.raises(hush.ParameterError, match="rounds"):
        two_arm_law(hush.LazyDPTS(1.0), 25)
