"""Likelihoods of noisy sums, against enumeration."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.examples import examples

from hush.numerics.compiled.likelihood import log_likelihood as compiled_likelihood
from hush.numerics.likelihood import log_likelihood

GRID = np.linspace(1e-6, 1 - 1e-6, 4001)


def enumerated(x, n, value, epsilon):
    """The sum over all possible sums, term by term, in logarithms."""
    sums = np.arange(n + 1)
    terms = binom.logpmf(sums[:, None], n, x) - epsilon * np.abs(value - sums[:, None])
    return np.logaddexp.reduce(terms, axis=0)


@examples(150)
@given(st.integers(1, 40), st.floats(-30, 70), st.floats(0.02, 6), st.booleans())
def test_likelihoods_of_small_batches(n, value, epsilon, discrete):
    value = float(round(value)) if discrete else value
    got = log_likelihood(GRID, 1 - GRID, float(n), value, epsilon)
    assert np.abs(got - enumerated(GRID, n, value, epsilon)).max() < 1e-10


@pytest.mark.untraced
@given(st.integers(257, 3000), st.floats(0, 1), st.floats(-3, 3), st.floats(0.01, 6))
def test_likelihoods_of_larger_batches(n, mean, off, epsilon):
    """Wherever it matters: down to exp(-60) of its largest value."""
    value = n * mean + off * (math.sqrt(n) + 1 / epsilon)
    x = GRID[::10]
    got, wanted = (
        log_likelihood(x, 1 - x, float(n), value, epsilon),
        enumerated(x, n, value, epsilon),
    )
    matters = wanted > wanted.max() - 60
    assert np.abs(got - wanted)[matters].max() < 1e-9


def test_both_kinds_of_noise_share_the_likelihood():
    """Enumerate the joint law of (sum, discrete noise): the posterior is the same function."""
    n, value, epsilon = 7, 3, 0.4
    shrink = math.exp(-epsilon)
    mass = np.array([(1 - shrink) / (1 + shrink) * shrink ** abs(value - b) for b in range(n + 1)])
    joint = (binom.pmf(np.arange(n + 1)[:, None], n, GRID) * mass[:, None]).sum(axis=0)
    got = np.exp(log_likelihood(GRID, 1 - GRID, float(n), float(value), epsilon))
    assert np.ptp(got / joint) < 1e-9 * (got / joint).mean()


@pytest.mark.parametrize(
    ("n", "value", "epsilon"), [(3, 1.008, 42.0), (5, 1.05, 300.0), (76, 20.8, 16.0)]
)
def test_noise_of_no_weight_leaves_a_finite_logarithm(n, value, epsilon):
    """Terms far from the value are smaller than any double: their logarithm is not that of 0."""
    x = np.array([1e-12, 1e-6, 0.2, 0.5, 0.9, 1 - 1e-6, 1 - 2.0**-50])
    with np.errstate(all="raise", under="ignore"):
        got = log_likelihood(x, 1 - x, float(n), value, epsilon)
    wanted = enumerated(x, n, value, epsilon)
    near = wanted > wanted.max() - 60
    assert np.isfinite(got).all()
    assert got[near] == pytest.approx(wanted[near], abs=1e-9)
    assert (got[~near] < wanted.max() - 59).all()


@pytest.mark.parametrize("epsilon", [0.5, 20.0, 45.0, 300.0])
@pytest.mark.parametrize("value", [1.0, -0.2, 7.5])
def test_values_beyond_the_ends_keep_their_digits(epsilon, value):
    """With x = exp(-40) of a coin and hardly any noise: the sum, not a difference to 1."""
    x = np.array([1e-300, 1e-40, 1e-17, 1e-9, 0.3, 0.999])
    got = log_likelihood(x, 1 - x, 1.0, value, epsilon)
    with localcontext() as context:
        context.prec = 60
        for one, found in zip(x, got, strict=True):
            fall = [(-Decimal(epsilon) * abs(Decimal(value) - b)).exp() for b in (0, 1)]
            wanted = ((1 - Decimal(one)) * fall[0] + Decimal(one) * fall[1]).ln()
            assert found == pytest.approx(float(wanted), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [10**8, 10**12, 10**15])
@pytest.mark.parametrize(("value", "epsilon"), [(0.8, 0.2), (3.0, 1.0), (60.5, 0.05), (400.0, 2.0)])
def test_rare_successes_keep_their_digits(n, value, epsilon):
    """Means of a few in n: the sums that matter are few, and each has an exact probability."""
    rate = value * np.array([1e-3, 0.1, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0])
    x = rate / n
    sums = np.arange(1500)[:, None]
    steps = np.log((n - sums[:-1]) * x / (sums[:-1] + 1))
    logs = np.vstack((np.zeros((1, x.size)), np.cumsum(steps, axis=0)))
    logs += (n - sums) * np.log1p(-x) - epsilon * np.abs(value - sums)
    wanted = np.logaddexp.reduce(logs, axis=0)
    total = np.zeros(x.size)
    compiled_likelihood(x, float(n), value, epsilon, total)
    matters = wanted > wanted.max() - 60
    for found in (log_likelihood(x, 1 - x, float(n), value, epsilon), total):
        assert found[matters] == pytest.approx(wanted[matters], abs=1e-8)
