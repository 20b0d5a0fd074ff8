"""The privacy that Gaussian draws have by themselves: against a list of all sequences."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import hush
from hush.theory import epoch_loss, expected_thompson_loss, gaussian_delta, thompson_loss


def chance(arms, rewards, lead):
    """Return the probability of the arms given the rewards of each, by what ``lead`` knows."""
    product = 1.0
    for t, arm in enumerate(arms):
        seen = [[r for a, r in zip(arms[:t], rewards[:t], strict=True) if a == j] for j in (0, 1)]
        first = lead(*seen)
        product *= first if arm == 0 else 1.0 - first
    return product


def gaussian_lead(zero, one):
    means = [sum(each) / (len(each) + 1) for each in (zero, one)]
    width = math.sqrt(1 / (len(zero) + 1) + 1 / (len(one) + 1))
    return norm.cdf((means[0] - means[1]) / width)


def last_epoch(seen):
    """Return the last full epoch of 1, 2, 4, ... rewards."""
    length = 1
    while 2 * length - 1 + 2 * length <= len(seen):
        length *= 2
    return seen[length - 1 : 2 * length - 1]


def epoch_lead(spread):
    def lead(zero, one):
        if not zero or not one:
            return 1.0 if not zero else 0.0
        epochs = [last_epoch(each) for each in (zero, one)]
        means = [sum(each) / len(each) for each in epochs]
        width = math.sqrt(spread * sum(1 / len(each) for each in epochs))
        return norm.cdf((means[0] - means[1]) / width)

    return lead


def losses(rounds, lead):
    """Return the worst loss and the worst relative entropy of fixed rewards."""
    worst = 0.0
    for arms in itertools.product((0, 1), repeat=rounds):
        chances = {
            rewards: chance(arms, rewards, lead)
            for rewards in itertools.product((0, 1), repeat=rounds)
        }
        for rewards, one in chances.items():
            if one > 0.0:
                for t in range(rounds):
                    other = (*rewards[:t], 1 - rewards[t], *rewards[t + 1 :])
                    worst = max(worst, math.log(one / chances[other]))
    return worst


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_gaussian_draws_on_all_rewards(rounds):
    found = thompson_loss(rounds, prior="gaussian").loss
    assert found == pytest.approx(losses(rounds, gaussian_lead), abs=1e-12)


@pytest.mark.parametrize(("rounds", "alpha"), [(2, 0.0), (4, 0.5), (5, 0.0)])
def test_gaussian_draws_on_epochs(rounds, alpha):
    policy = hush.DPTSUCB(horizon=rounds, alpha=alpha)
    wanted = losses(rounds, epoch_lead(policy.spread))
    assert epoch_loss(policy) == pytest.approx(wanted, abs=1e-12)


def test_expected_losses_lie_below_what_gaussian_privacy_allows():
    """With mu-Gaussian privacy the relative entropy is at most ``mu^2 / 2``; mu is sqrt(T / 2)."""
    for rounds in (2, 8, 30):
        assert expected_thompson_loss(rounds, prior="gaussian") <= rounds / 4


def test_a_learner_draws_as_the_law_says():
    """4,000 decisions, within 5 standard deviations."""
    policy = hush.DPTSUCB(horizon=10**4, alpha=0.5, c0=100.0)
    side = policy._public_side(2)
    side.absorb(hush.Release(0, 0, 1, 1.0, "exact", math.inf))
    side.absorb(hush.Release(1, 1, 2, 0.0, "exact", math.inf))
    generator, rounds = np.random.default_rng(5), 4000
    assert policy.most_draws > rounds
    found = sum(side.choose(9, generator) == 0 for _ in range(rounds))
    wanted = norm.cdf(1.0 / math.sqrt(policy.spread * 1.5))
    assert abs(found - rounds * wanted) < 5 * math.sqrt(rounds * wanted * (1 - wanted))


def test_after_its_draws_an_arm_stands_by_the_largest():
    policy = hush.DPTSUCB(horizon=100, alpha=1.0, c0=1.0)
    side, generator = policy._public_side(2), np.random.default_rng(1)
    for arm in (0, 1):
        side.absorb(hush.Release(arm, 0, 1, 0.5, "exact", math.inf))
    for t in range(policy.most_draws):
        side.choose(3 + t, generator)
    largest = list(side._largest)
    later = {side.choose(50 + t, generator) for t in range(20)}
    assert later == {int(np.argmax(largest))}
    assert side._largest == largest
    side.absorb(hush.Release(0, 1, 2, 1.0, "exact", math.inf))
    assert side._left == [policy.most_draws, 0]
    assert side._largest[0] is None


def test_the_largest_of_all_draws_is_above_the_mean():
    """Given that the epoch's mean is off by ``sqrt(ln T / n)``: but for a chance of 1 / T."""
    for horizon in (10, 10**3, 10**6, 10**12):
        for alpha in (0.0, 0.3, 0.7, 1.0):
            policy = hush.DPTSUCB(horizon=horizon, alpha=alpha)
            z = math.sqrt(math.log(horizon) / policy.spread)
            assert policy.most_draws * math.log1p(-norm.sf(z)) <= -math.log(horizon)


def test_what_gaussian_privacy_leaves_at_an_epsilon():
    """The hockey-stick divergence of N(0, 1) and N(mu, 1), integrated."""
    for mu, epsilon in ((0.5, 0.0), (1.0, 1.0), (2.0, 0.3)):
        wanted = quad(
            lambda x, mu=mu, epsilon=epsilon: max(
                0.0, norm.pdf(x - mu) - math.exp(epsilon) * norm.pdf(x)
            ),
            epsilon / mu + mu / 2,
            20.0,
        )[0]
        assert gaussian_delta(mu, epsilon) == pytest.approx(wanted, abs=1e-9)


def test_what_is_refused():
    with pytest.raises(hush.ParameterError, match="no more rounds"):
        epoch_loss(hush.DPTSUCB(horizon=40, alpha=1.0))
    with pytest.raises(hush.ParameterError, match="horizon"):
        epoch_loss(hush.DPTSUCB(horizon=100))
    with pytest.raises(hush.ParameterError, match="pair of whole numbers"):
        thompson_loss(3, prior="cauchy")
    for bad in (-0.1, 1.5, True, "1", math.nan):
        with pytest.raises(hush.ParameterError, match="alpha"):
            hush.DPTSUCB(alpha=bad)
