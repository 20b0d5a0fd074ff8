"""Index learners decide stretches of rounds, and never otherwise than their policy would."""

from dataclasses import dataclass

import numpy as np
import pytest

import hush
from hush import UCB1, AnytimeLazyUCB, SeededNoise
from hush.policies.core.index import IndexSide
from hush.policies.core.public_side import RuleSide
from hush.policies.core.statistics import Statistics


@pytest.mark.parametrize("policy", [AnytimeLazyUCB(1.0), UCB1()], ids=str)
@pytest.mark.parametrize("n_arms", [2, 40])
def test_arms_that_tie_are_played_as_the_policy_says(policy, n_arms):
    learner = policy.learner(n_arms, noise=SeededNoise(5, discrete=True))
    rewards = np.random.default_rng(6).random((3000, n_arms)) < 0.5
    generator = np.random.default_rng(7)
    for t, row in enumerate(rewards.tolist(), start=1):
        arm = learner.select()
        if t > n_arms:
            assert arm == policy._choose(t, learner.statistics, generator)
        learner.update(arm, int(row[arm]))


@dataclass(frozen=True)
class Stubborn(AnytimeLazyUCB):
    def _choose(self, t, statistics, generator):
        return 1


def test_a_rule_of_its_own_counts_whatever_the_index_is():
    learner = Stubborn(1.0).learner(3, noise=SeededNoise(5))
    arms = []
    for _ in range(20):
        arms.append(learner.select())
        learner.update(arms[-1], 0)
    assert arms == [0, 1, 2] + [1] * 17


@pytest.mark.parametrize(
    "policy",
    [
        AnytimeLazyUCB(0.7),
        hush.KLUCB(),
        hush.AdaPUCB(0.7),
        hush.TreeDPUCB(0.7, horizon=100),
        hush.DPIMED(0.7),
        hush.LazyDPTS(0.7),
        hush.ThompsonSampling(),
    ],
    ids=str,
)
def test_of_two_arms_the_first_is_chosen_as_the_rule_says(policy):
    """What theory computes with, for all pairs of means at once, is what the rule does."""
    far = 0.3 if policy.guarantee.private else 0.0  # exact means stay within [0, 1]
    first, second = np.array([0.2, 0.5, 0.9, 1.0 + far]), np.array([-far, 0.5, 0.8])
    for counts, t in (((4.0, 4.0), 9.0), ((2.0, 16.0), 30.0)):
        wins = policy._first_wins((first, second), counts, t)
        assert wins.shape == (4, 3)
        assert wins.dtype == np.float64
        for i, one in enumerate(first):
            for j, other in enumerate(second):
                statistics = Statistics(2)
                means = np.array([one, other])
                statistics.restore(np.array(counts), means * counts)
                assert wins[i, j] == pytest.approx(policy._chances(int(t), statistics)[0])


class ByNumber:
    """Prefers the mean that is the number of arms."""

    def parameters_for(self, n_arms):
        return (float(n_arms),)

    @staticmethod
    def index(mean, count, t, parameters):
        return -np.abs(mean - parameters[0])

    @staticmethod
    def center(mean, count, t, parameters):
        return 1.0 / (1.0 + np.abs(mean - parameters[0]))


@dataclass(frozen=True)
class Index(ByNumber, hush.IndexPolicy):
    epsilon: float


@dataclass(frozen=True)
class Relative(ByNumber, hush.RelativeIndexPolicy):
    epsilon: float


@dataclass(frozen=True)
class Thompson(ByNumber, hush.ThompsonPolicy):
    epsilon: float


@pytest.mark.parametrize("policy", [Index(1.0), Relative(1.0), Thompson(1.0)], ids=str)
def test_a_rule_knows_how_many_arms_there_are(policy):
    statistics = Statistics(4)
    statistics.restore(np.full(4, 1e6), np.array([1e6, 4e6, 3e6, 2e6]))
    generator = np.random.default_rng(1)
    assert policy._choose(9, statistics, generator) == 1
    assert policy._choose(9, statistics.only([0, 1, 2]), generator) == 1
    assert policy._chances(9, statistics).argmax() == 1
    side = policy._public_side(4)
    side.restore({"statistics": {"counts": [10**6] * 4, "sums": [1e6, 4e6, 3e6, 2e6]}}, ())
    assert side.choose(9, generator) == 1
    wins = policy._first_wins((np.array([2.0]), np.array([3.0])), (1e6, 1e6), 9.0)
    assert wins == pytest.approx(np.array([[1.0]]))


@dataclass(frozen=True)
class Turning(hush.RelativeIndexPolicy):
    """Prefers large means where the best is large, and small ones otherwise."""

    epsilon: float

    @staticmethod
    def index(mean, count, best, parameters):
        return mean * (best - 1.0)


def test_a_relative_rule_looks_at_the_best_of_each_pair():
    first, second = np.array([0.2, 0.9, 1.5]), np.array([0.5, 1.2])
    wins = Turning(1.0)._first_wins((first, second), (1.0, 1.0), 9.0)
    assert wins.tolist() == [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]


def test_parameters_are_floats_whatever_a_policy_returns():
    array = hush.BanditPolicy._parameter_array(Whole(1.0), 3)
    assert array.dtype == np.float64
    assert array.tolist() == [3.0]


@dataclass(frozen=True)
class Whole(AnytimeLazyUCB):
    def parameters_for(self, n_arms):
        return (n_arms,)


@dataclass(frozen=True)
class Committing(AnytimeLazyUCB):
    commits = True


def test_who_commits_or_releases_every_round_is_asked_in_every_round():
    assert type(AnytimeLazyUCB(1.0)._public_side(2)) is IndexSide
    assert type(Committing(1.0)._public_side(2)) is RuleSide
    assert type(UCB1()._public_side(2)) is RuleSide
