"""Sequential halving: exact chances against simulated ones, and against a sum by hand."""

import math

import numpy as np
import pytest
from tests.every import sampled

import hush
from hush.errors import ParameterError
from hush.numerics.kept_sets import kept_chances
from hush.numerics.noisy_sums import laplace_laws, win_chances
from hush.theory import halving_chances, halving_error

CASES = [
    ([0.75, 0.625, 0.5, 0.375, 0.25], 1.0, 400),
    ([0.6, 0.55, 0.5, 0.5, 0.45, 0.4, 0.3, 0.2], 0.3, 1500),
    ([0.5, 0.4], 1.0, 50),
    ([1.0, 0.9, 0.0], 0.5, 30),
]


@pytest.mark.untraced
@pytest.mark.parametrize("case", sampled(CASES, 2), ids=str)
def test_chances_are_those_of_runs(case):
    """Each of at most 8 counts in 4,000 runs within 6 deviations: false alarms below 1e-7."""
    means, epsilon, budget = case
    policy, env = hush.PrivateSequentialHalving(epsilon, horizon=budget), hush.Bernoulli(means)
    chances = halving_chances(policy, env)
    assert chances.sum() == pytest.approx(1.0, abs=1e-11)
    found = hush.identify(policy, env, runs=4000, seed=9, most=budget)
    counts = np.bincount(found.arms[0], minlength=env.n_arms)
    spread = np.sqrt(4000 * chances * (1.0 - chances))
    assert (np.abs(counts - 4000 * chances) <= 6.0 * spread + 1.0).all()


def test_two_arms_are_a_noisy_argmax():
    policy, env = hush.PrivateSequentialHalving(0.5, horizon=200), hush.Bernoulli([0.45, 0.5])
    expected = win_chances(env.means, 100, "laplace", 2.0)
    assert halving_chances(policy, env) == pytest.approx(expected, abs=1e-12)
    assert halving_error(policy, env) == pytest.approx(expected[0], abs=1e-12)


def test_two_coins_by_hand():
    """One toss each: sums differ by -1, 0 or 1, two Laplace draws by a known law."""
    p, q, scale = 0.7, 0.2, 1.5
    beyond = 0.25 * (2.0 + 1.0 / scale) * math.exp(-1.0 / scale)  # a difference above 1
    first = p * (1 - q) * (1 - beyond) + (1 - p) * q * beyond + 0.5 * (p * q + (1 - p) * (1 - q))
    laws = list(laplace_laws(np.array([p, q]), 1, scale))
    assert kept_chances(laws, (0, 1), 1)[0,] == pytest.approx(first, abs=1e-12)


def test_sets_of_arms_add_up_to_one():
    laws = list(laplace_laws(np.array([0.5, 0.2, 0.9, 0.4]), 40, 3.0))
    for kept in (1, 2, 3):
        assert sum(kept_chances(laws, (0, 1, 2, 3), kept).values()) == pytest.approx(1.0, abs=1e-12)


def test_more_budget_errs_less():
    env = hush.paper_s1()
    errors = [
        halving_error(hush.PrivateSequentialHalving(1.0, horizon=budget), env)
        for budget in (100, 1000, 3000)
    ]
    assert errors == sorted(errors, reverse=True)
    assert 0.0 < errors[-1] < 1e-4


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(ParameterError, match="budget"):
        halving_error(hush.PrivateSequentialHalving(1.0), hush.paper_s1())
    with pytest.raises(ParameterError, match="up to 8 arms"):
        halving_error(hush.PrivateSequentialHalving(1.0, horizon=99), hush.Bernoulli([0.5] * 9))
