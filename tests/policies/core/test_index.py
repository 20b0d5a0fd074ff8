"""Index learners decide stretches of rounds, and never otherwise than their policy would."""

from dataclasses import dataclass

import numpy as np
import pytest

from hush import UCB1, AnytimeLazyUCB, SeededNoise


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
