"""The exact law of two arms: against listing, and against learners."""

import itertools
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from tests import every

import hush
from hush.auditing import enumerate_law
from hush.auditing.reward_tables import play
from hush.theory import two_arm_law
from hush.theory.two_arms import fits

SIMPLE = [hush.AnytimeLazyUCB(1.5), hush.AdaPUCB(4.0), hush.AdaPKLUCB(8.0, beta=1.0)]


def sampled(policy, table, runs, seed):
    noise = hush.SeededNoise(seed, discrete=True)
    return Counter(
        tuple(play(policy.learner(2, noise=noise), table, settle_last=False)) for _ in range(runs)
    )


@pytest.mark.untraced
@pytest.mark.parametrize("policy", every.sampled(SIMPLE, 3), ids=str)
def test_matrices_and_listing_agree(policy):
    law = two_arm_law(policy, 4)
    for arms, by_sums in law.chances.items():
        for sums, chance in itertools.islice(by_sums.items(), 3):
            listed = enumerate_law(policy, law.table(arms, sums), most=10**5)
            assert listed.chances.get(arms, 0.0) == pytest.approx(chance, abs=1e-8)


@pytest.mark.untraced
@pytest.mark.parametrize(
    "policy",
    every.sampled(
        [*SIMPLE, hush.LazyDPTS(1.0), hush.DPKLUCB(1.0), hush.DPIMED(2.0), hush.LazyDPTS(0.2)], 4
    ),
    ids=str,
)
def test_matrices_agree_with_learners(policy):
    """5,000 learners on one table, chi-square over arm sequences: false alarm 1 in 10^5 each."""
    from scipy import stats

    from hush.auditing.exact_arms import on_table

    table = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]], np.int8)
    chances = on_table(two_arm_law(policy, len(table)), table).chances
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


@pytest.mark.parametrize("rewards", [1, 2, 3])
def test_the_worst_of_a_person_is_the_worst_of_all_tables(rewards):
    from hush.auditing.exact_arms import on_table

    law = two_arm_law(hush.AnytimeLazyUCB(1.0), 5)
    best, arms, *_ = law.worst(rewards)
    # Of all tables those matter that differ where these arms are played.
    tables = [_played(arms, bits) for bits in itertools.product((0, 1), repeat=4)]
    chances = [on_table(law, table).chances[arms] for table in tables]
    losses = [
        np.log(p / (q + law.left_out))
        for (a, p), (b, q) in itertools.permutations(zip(tables, chances, strict=True), 2)
        if (a != b).any(axis=1).sum() <= rewards
    ]
    assert best == pytest.approx(max(losses), rel=1e-12)
    assert law.telling(samples=1000, most=1, rewards=rewards)


def _played(arms, bits):
    table = np.zeros((len(arms), 2), np.int8)
    for t, bit in enumerate(bits):
        table[t, arms[t]] = bit
    return table


def test_what_fits():
    assert fits(hush.LazyDPTS(1.0))
    assert not any(map(fits, (hush.TreeDPUCB(1.0), hush.RNMFTNL(1.0), hush.NoiseAwareTS(1.0))))
    with pytest.raises(hush.ParameterError, match="not known"):
        two_arm_law(hush.TreeDPUCB(1.0, horizon=8), 4)
    with pytest.raises(hush.ParameterError, match="rounds"):
        two_arm_law(hush.LazyDPTS(1.0), 25)


@dataclass(frozen=True)
class Own(hush.AnytimeLazyUCB):
    """A rule of the user's own below a family: its law may be another."""

    def _choose(self, t, statistics, generator):
        return 0


@dataclass(frozen=True)
class Louder(hush.AnytimeLazyUCB):
    """Another mechanism below a family."""

    def _mechanism(self, noise):
        return hush.mechanisms.NoisySum(epsilon=0.1, noise=noise)


@dataclass(frozen=True)
class Follows(hush.BanditPolicy):
    """A family of the user's own, which says who of two arms wins."""

    epsilon: float

    def _choose(self, t, statistics, generator):
        return int(statistics.means.argmax())

    def _first_wins(self, means, counts, t):
        return np.asarray(means[0][:, None] >= means[1], dtype=np.float64)


def test_overridden_hooks_have_no_known_law():
    assert not fits(Own(1.0))
    assert not fits(Louder(1.0))


@pytest.mark.untraced
def test_a_family_of_your_own_may_say_its_law():
    policy = Follows(1.5)
    assert fits(policy)
    law = two_arm_law(policy, 4)
    for arms, by_sums in law.chances.items():
        for sums, chance in itertools.islice(by_sums.items(), 2):
            listed = enumerate_law(policy, law.table(arms, sums), most=10**5)
            assert listed.chances.get(arms, 0.0) == pytest.approx(chance, abs=1e-8)
