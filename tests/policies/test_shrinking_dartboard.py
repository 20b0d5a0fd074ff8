"""The shrinking dartboard: its rates, its first action, what it keeps."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from hush import Bernoulli, SeededNoise, ShrinkingDartboard, bounds
from hush.auditing import enumerate_law
from hush.auditing.enumeration import worst_event


@pytest.mark.parametrize("horizon", [1, 3, 4, 100, 10**12])
def test_its_rates_are_the_formulas(horizon):
    policy = ShrinkingDartboard(0.8, horizon=horizon)
    p = min(0.5, 1 / math.sqrt(horizon))
    assert policy.switch_chance == pytest.approx(p)
    assert policy.budget == math.floor(4 * horizon * p)
    eta = policy.rate
    coin = max(math.log1p(eta * (1 - p) / p), -math.log1p(-eta))
    assert coin - 2 * policy.budget * math.log1p(-eta) == pytest.approx(0.8, rel=1e-11)
    assert eta > 2 * p * 0.8 / 20  # more than twice the paper's
    assert ShrinkingDartboard(1e3, horizon=4).rate == 0.5


class Law:
    """The dartboard again, by its formulas: the chance that given actions are played."""

    def __init__(self, policy, n_arms):
        self.policy, self.n_arms = policy, n_arms

    def log_chance(self, rewards, actions):
        """Sum over which rounds had a draw; ``rewards`` has a 0/1 vector a round."""
        eta, p, budget = self.policy.rate, self.policy.switch_chance, self.policy.budget
        losses = np.zeros(self.n_arms)
        used, total = np.zeros(budget + 1), -math.log(self.n_arms)
        used[0] = 1.0
        for row, now, later in zip(rewards, actions, actions[1:], strict=False):
            losses += 1.0 - np.asarray(row)
            weights = (1.0 - eta) ** (losses - losses.min())
            keep = (1.0 - p) * (1.0 if row[now] else 1.0 - eta)
            drawn = np.concatenate([[0.0], used[:-1]]) * (1.0 - keep)
            kept = np.append(used[:-1] * keep, used[-1]) * (now == later)
            used = kept + drawn * weights[later] / weights.sum()
            total += math.log(used.sum())
            used /= used.sum()
        return total


def worst_pair(policy, n_arms):
    """Two tables and the actions that tell them apart best: every draw is of one that gained.

    In the first round action 2 loses under one table, 0 and 1 lose under the other; then a draw
    leaves 2, and all others go between 0 and 1, which most of the weight is against.
    """
    rounds = policy.budget + 1
    first = np.zeros((rounds, n_arms))
    second = first.copy()
    first[0, :2], second[0, 2:] = 1, 1
    return first, second, [2, *(number % 2 for number in range(policy.budget))]


@pytest.mark.parametrize("horizon", [4, 9, 100, 2500])
def test_with_many_actions_all_of_epsilon_is_lost_and_no_more(horizon):
    """Where a draw is 10^4 to 1 against what is drawn, as good as nothing is left."""
    policy = ShrinkingDartboard(1.0, horizon=horizon)
    law = Law(policy, 10**4)
    first, second, actions = worst_pair(policy, law.n_arms)
    loss = law.log_chance(first, actions) - law.log_chance(second, actions)
    low = 0.999 if horizon > 4 else 0.95  # at p = 1/2 keeping loses more than a draw, unseen
    assert low < loss <= 1.0


@pytest.mark.parametrize(("n_arms", "low"), [(3, 0.4), (7, 0.6)])
def test_the_learner_itself_loses_what_the_formulas_say(n_arms, low):
    """All outcomes are listed: two draws at most, over three rounds past its horizon."""
    policy = ShrinkingDartboard(1.0, horizon=1)
    assert policy.budget == 2
    first, second, _ = worst_pair(policy, n_arms)
    chances = []
    for table in (first, second):
        listed = enumerate_law(policy, table.astype(np.int8), start=0)
        opening = next(iter(listed.chances))[0]  # drawn without rewards, and fixed here
        law = Law(policy, n_arms)
        for arms, chance in listed.chances.items():
            expected = math.exp(law.log_chance(table, arms)) * n_arms
            assert arms[0] == opening
            assert chance == pytest.approx(expected, rel=1e-9)
        chances.append(listed)
    found = [worst_event(*pair).loss for pair in (chances, chances[::-1])]
    assert low < max(found) <= 1.0


@pytest.mark.parametrize(("epsilon", "horizon"), [(0.1, 10**4), (1.0, 10**6), (40.0, 10**4)])
def test_its_bound_adds_the_chance_of_too_many_draws(epsilon, horizon):
    """Chernoff's bound is above the binomial tail; where eta is large there is none."""
    policy = ShrinkingDartboard(epsilon, horizon=horizon)
    bound = bounds(policy, Bernoulli([0.5, 0.4, 0.4]), horizon)["oblivious adversary"]
    weights = policy.rate * horizon + math.log(3) / policy.rate
    chance = policy.switch_chance + (1 - policy.switch_chance) * policy.rate
    tail = horizon * binom.sf(policy.budget, horizon, chance)
    assert weights + tail <= bound.value * (1 + 1e-12)
    assert bound.value <= weights + (horizon if epsilon > 30 else 1e-6)
    assert bound.holds


@pytest.mark.untraced
def test_its_first_action_is_random_and_its_last_release_is_kept():
    """Of 2,000 learners; within 6 standard deviations: false alarms below 1e-8."""
    policy, noise = ShrinkingDartboard(0.8, horizon=50), SeededNoise(3)
    firsts = [policy.learner(2, noise=noise).select() for _ in range(2000)]
    assert abs(sum(firsts) - 1000) < 6 * 500**0.5
    learner = policy.learner(2, noise=noise)
    for number in range(1, 6):
        learner.select()
        learner.update([0, 1])
        assert [release.epoch for release in learner.releases] == [number - 1]
