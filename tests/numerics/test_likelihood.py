"""Likelihoods of noisy sums, against enumeration."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from hush.numerics.likelihood import log_likelihood

GRID = np.linspace(1e-6, 1 - 1e-6, 4001)


def enumerated(x, n, value, epsilon):
    """The sum over all possible sums, term by term, in logarithms."""
    sums = np.arange(n + 1)
    terms = binom.logpmf(sums[:, None], n, x) - epsilon * np.abs(value - sums[:, None])
    return np.logaddexp.reduce(terms, axis=0)


@settings(max_examples=150)
@given(st.integers(1, 40), st.floats(-30, 70), st.floats(0.02, 6), st.booleans())
def test_likelihoods_of_small_batches(n, value, epsilon, discrete):
    value = float(round(value)) if discrete else value
    got = log_likelihood(GRID, 1 - GRID, float(n), value, epsilon)
    assert np.abs(got - enumerated(GRID, n, value, epsilon)).max() < 1e-10


@settings(max_examples=60)
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
