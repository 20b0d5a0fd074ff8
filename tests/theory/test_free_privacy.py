"""The loss of Thompson sampling without noise: against all sequences, and against its policy."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import hush
from hush.errors import ParameterError
from hush.numerics.beta import win_chances
from hush.theory import expected_thompson_loss, thompson_loss


@cache
def first_wins(a, b, c, d):
    """P(X > Y) of whole Beta parameters: X is the a-th of a + b - 1 uniforms, Y the c-th of its."""
    n, m = a + b - 1, c + d - 1
    # The c-th Y has j of the Xs below it, at most a - 1; c - 1 Ys and j Xs come before it.
    ways = sum(math.comb(c - 1 + j, j) * math.comb(n - j + m - c, n - j) for j in range(a))
    return Fraction(ways, math.comb(n + m, n))


def chance(arms, rewards, prior):
    """The exact probability of the arms."""
    counts = [list(prior), list(prior)]
    product = Fraction(1)
    for arm, reward in zip(arms, rewards, strict=True):
        product *= first_wins(*counts[arm], *counts[1 - arm])
        counts[arm][1 - reward] += 1
    return product


def neighbours(rounds):
    for rewards in itertools.product((0, 1), repeat=rounds):
        for place in range(rounds):
            yield rewards, (*rewards[:place], 1 - rewards[place], *rewards[place + 1 :])


@pytest.mark.parametrize("prior", [(1, 1), (2, 1), (1, 3), (4, 4)])
@pytest.mark.parametrize("rounds", [1, 2, 3, 4, pytest.param(6, marks=pytest.mark.slow)])
def test_the_worst_of_all_sequences(rounds, prior):
    wanted = max(
        chance(arms, rewards, prior) / chance(arms, other, prior)
        for arms in itertools.product((0, 1), repeat=rounds)
        for rewards, other in neighbours(rounds)
    )
    found = thompson_loss(rounds, prior=prior)
    assert math.exp(found.loss) == pytest.approx(float(wanted), rel=1e-12)
    both = [chance(found.arms, each, prior) for each in (found.rewards, found.neighbour)]
    assert both[0] / both[1] == wanted
    assert sum(a != b for a, b in zip(found.rewards, found.neighbour, strict=True)) == 1


@pytest.mark.parametrize("rounds", [6, 20, 100])
def test_uniform_priors_lose_the_factorial(rounds):
    found = thompson_loss(rounds)
    assert found.loss == pytest.approx(math.lgamma(rounds + 1), abs=1e-10)
    both = [chance(found.arms, each, (1, 1)) for each in (found.rewards, found.neighbour)]
    assert both[0] / both[1] == math.factorial(rounds)


def test_no_round_loses_more_than_its_number():
    """The proof's step: after n rounds one success more changes a chance by n + 1 at most."""
    for n0, n1 in itertools.product(range(1, 8), range(8)):
        for s0, s1 in itertools.product(range(n0), range(n1 + 1)):
            arm_1 = (s1 + 1, n1 - s1 + 1)
            more, less = (s0 + 2, n0 - s0), (s0 + 1, n0 - s0 + 1)
            ratios = (
                first_wins(*more, *arm_1) / first_wins(*less, *arm_1),
                first_wins(*arm_1, *less) / first_wins(*arm_1, *more),
            )
            assert max(ratios) <= n1 + 2 <= n0 + n1 + 1
    assert first_wins(2, 1, 1, 6) / first_wins(1, 2, 1, 6) < 7
    assert first_wins(1, 6, 1, 2) / first_wins(1, 6, 2, 1) == 7


def test_more_arms_lose_no_less():
    """The other arms have won all their n rewards: each play of arm 0 loses ln(n + K)."""
    for n_arms, others, failures in itertools.product((3, 5), (0, 4), (0, 1, 6)):
        first = np.ones(n_arms)
        first[1] += others
        second = np.ones(n_arms)
        chances = []
        for success in (1, 0):
            first[0], second[0] = 1.0 + success, 2.0 - success + failures
            chances.append(win_chances(first, second)[0])
        assert chances[0] / chances[1] == pytest.approx(others + n_arms, rel=1e-9)


def test_the_policy_has_these_chances():
    found = thompson_loss(7)
    for rewards in (found.rewards, found.neighbour):
        public = hush.ThompsonSampling()._public_side(2)
        product = 1.0
        counts = [0, 0]
        for t, (arm, reward) in enumerate(zip(found.arms, rewards, strict=True), 1):
            product *= public.chances(t)[arm]
            counts[arm] += 1
            public.absorb(hush.Release(arm, counts[arm] - 1, 1, reward, "sum", math.inf))
        assert product == pytest.approx(float(chance(found.arms, rewards, (1, 1))), rel=1e-9)


def entropy(rounds, rewards, other):
    laws = [
        [chance(arms, each, (1, 1)) for arms in itertools.product((0, 1), repeat=rounds)]
        for each in (rewards, other)
    ]
    return sum(float(p) * math.log(p / q) for p, q in zip(*laws, strict=True))


def test_the_expected_loss_on_given_rewards():
    """Coins that are almost sure are rewards that are known: all 0 but the first."""
    rounds = 5
    one, none = (1, 0, 0, 0, 0), (0, 0, 0, 0, 0)
    wanted = max(entropy(rounds, one, none), entropy(rounds, none, one))
    found = expected_thompson_loss(rounds, means=(1e-12, 1e-12))
    assert found == pytest.approx(wanted, rel=1e-9)
    assert found <= expected_thompson_loss(rounds) <= thompson_loss(rounds).loss


def test_one_round_tells_nothing():
    assert thompson_loss(1).loss == expected_thompson_loss(1) == 0.0
    assert expected_thompson_loss(1, means=(0.5, 0.5)) == 0.0


@pytest.mark.parametrize("words", [{"rounds": 101}, {"prior": (0, 1)}, {"prior": (1, 1, 1)}])
def test_what_is_refused(words):
    with pytest.raises(ParameterError):
        thompson_loss(**{"rounds": 4, **words})
