"""Leaders on a noisy tree: their bounds, their first action, and adversaries."""

import math

import numpy as np
import pytest

import hush
from hush.policies.core.tree_leader import largest_noise

LEADERS = [hush.TreeFTRL, hush.TreeFTAL]


@pytest.mark.parametrize(("n_arms", "draws"), [(2, 1), (5, 20), (50, 3), (1, 4)])
def test_the_largest_noise_is_bounded_and_not_by_much(n_arms, draws):
    """The mean of 20,000 largest is below it, within 6 standard errors, and above a third of it."""
    noise = np.random.default_rng(3).laplace(scale=2.0, size=(20_000, n_arms, draws)).sum(axis=2)
    most, bound = noise.max(axis=1), largest_noise(n_arms, draws, 2.0)
    error = most.std() / math.sqrt(most.size)
    if n_arms == 1:
        assert bound == 0.0
        assert abs(most.mean()) < 6 * error
    else:
        assert 0.35 * bound < most.mean() < bound + 6 * error


@pytest.mark.parametrize("cls", LEADERS)
@pytest.mark.parametrize("make", [hush.alternating, hush.fair_coins, hush.constrained])
def test_regret_in_hindsight_is_below_the_bound(cls, make):
    """The mean of 8 runs; the bound is on the expectation, and far enough away."""
    env, policy = make(600), cls(4.0)
    regret = hush.simulate(policy, env, horizon=600, runs=8, seed=1).regret[0, :, -1]
    coins = hush.Bernoulli([0.5] * env.n_arms)
    bound = hush.bounds(policy, coins, 600)["oblivious adversary"]
    assert bound.holds
    assert regret.mean() < bound.value


@pytest.mark.parametrize("cls", LEADERS)
def test_regret_on_coins_is_below_the_bound_and_falls_with_epsilon(cls):
    """Means of 20 runs, of epsilons so far apart that they cannot change places."""
    policies = [cls(epsilon) for epsilon in (0.5, 5.0, 500.0)]
    result = hush.simulate(policies, hush.paper_s1(), horizon=10**5, runs=20, seed=1)
    means = result.regret[:, :, -1].mean(axis=1)
    assert means[0] > 2 * means[1] > 2 * means[2]
    for policy, mean in zip(policies, means, strict=True):
        assert mean < hush.bounds(policy, hush.paper_s1(), 10**5)["oblivious adversary"].value


def test_the_bounds_by_hand():
    policy = hush.TreeFTRL(2.0, horizon=1000)
    eta = math.sqrt(8 * math.log(3) / 1000)
    assert policy.levels == 10
    assert policy.rule(3).rate == eta
    noise = largest_noise(3, 10, 3 * 10 / 2.0)
    env = hush.Bernoulli([0.5, 0.4, 0.4])
    bound = hush.bounds(policy, env, 1000)["oblivious adversary"]
    assert bound.value == pytest.approx(math.sqrt(1000 * math.log(3) / 2) + noise)
    assert hush.bounds(policy, env, 500)["oblivious adversary"].holds
    assert not hush.bounds(policy, env, 1001)["oblivious adversary"].holds
    other = hush.TreeFTAL(2.0, horizon=1000)
    h, log = other.rule(3).strength, 1 + math.log(1000)
    assert h == pytest.approx(math.sqrt(3 * log / 2000))
    by_hand = (math.sqrt(3) / 2 + h) ** 2 * log / h + h * 1000 / 3 + noise
    assert hush.bounds(other, env, 1000)["oblivious adversary"].value == pytest.approx(by_hand)


@pytest.mark.parametrize("cls", LEADERS)
def test_the_first_action_is_random_and_the_last_stays(cls):
    """Of 2,000 learners; within 6 standard deviations: false alarms below 1e-8."""
    policy, noise = cls(0.8, horizon=4), hush.SeededNoise(3)
    firsts = [policy.learner(2, noise=noise).select() for _ in range(2000)]
    assert abs(sum(firsts) - 1000) < 6 * 500**0.5
    learner = policy.learner(2, noise=noise)
    actions = []
    for _ in range(12):
        actions.append(learner.select())
        learner.update([0, 1])
    assert len(set(actions[3:])) == 1  # room for three rounds
    assert [release.epoch for release in learner.releases] == [2]


@pytest.mark.parametrize("cls", LEADERS)
def test_a_rule_of_your_own_goes_through_the_learner(cls):
    class Bent(cls):
        def rule(self, n_arms):
            return Even()

    class Even:
        def weights(self, sums, step):
            return [1.0] * len(sums)

    result = hush.simulate(Bent(1.0), hush.paper_s1(), horizon=50, runs=1, seed=1)
    assert result.engines == ("rounds (learner)",)
    with pytest.raises(hush.ParameterError, match="Even, which no loop knows"):
        hush.simulate(Bent(1.0), hush.paper_s1(), horizon=50, engine="leap")


def test_one_action_is_played_without_noise_in_the_way():
    for cls in LEADERS:
        result = hush.simulate(cls(1.0), hush.Bernoulli([0.5]), horizon=20, runs=1, seed=1)
        assert result.regret[0, 0, -1] == 0.0
