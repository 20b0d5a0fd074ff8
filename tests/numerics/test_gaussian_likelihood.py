"""Likelihoods of sums with Gaussian noise: against the full sum, and compiled against plain."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.examples import examples

from hush.numerics.compiled.gaussian_likelihood import log_gaussian_likelihood as compiled
from hush.numerics.gaussian_likelihood import log_gaussian_likelihood
from hush.numerics.posterior import Posterior

EDGES = np.geomspace(1e-9, 1e-3, 20)
GRID = np.concatenate([EDGES, np.linspace(2e-3, 1 - 2e-3, 200), 1 - EDGES[::-1]])
TOLERANCE = 1e-7  # a tenth of what the panels of a posterior may be off


def enumerated(x, n, value, deviation):
    sums = np.arange(n + 1)[:, None]
    terms = binom.logpmf(sums, n, x) - 0.5 * ((value - sums) / deviation) ** 2
    return np.logaddexp.reduce(terms, axis=0)


def both(x, n, value, deviation):
    total = np.zeros(x.size)
    compiled(x, float(n), float(value), deviation, total)
    return log_gaussian_likelihood(x, 1 - x, float(n), float(value), deviation), total


@pytest.mark.untraced
@examples(120)
@given(
    st.one_of(st.integers(1, 60), st.integers(60, 4000)), st.floats(-0.5, 1.5), st.floats(-3, 3),
    st.floats(-2.5, 5.0), st.booleans(),
)  # fmt: skip
def test_likelihoods_are_the_full_sum(n, mean, off, log_deviation, discrete):
    """Down to exp(-600) of the largest value, and finite beyond."""
    deviation = math.exp(log_deviation)
    value = n * mean + off * (math.sqrt(n) + deviation)
    value = float(round(value)) if discrete else value
    wanted = enumerated(GRID, n, value, deviation)
    matters = wanted > wanted.max() - 600
    for got in both(GRID, n, value, deviation):
        assert np.isfinite(got).all()
        assert np.abs(got - wanted)[matters].max() < TOLERANCE


@pytest.mark.parametrize("n", [3000, 10**6, 10**9, 10**12, 10**15, 10**17])
@pytest.mark.parametrize("deviation", [0.3, 2.0, 30.0, 1e4])
def test_twins_agree_for_every_size(n, deviation):
    generator = np.random.default_rng(n % 1000)
    for mean in (generator.random(), 1e-3, 1 - 1e-3):
        value = generator.binomial(n, mean) + generator.normal(0.0, deviation)
        spread = math.sqrt(0.25 / n + (deviation / n) ** 2)
        x = np.clip(value / n + spread * np.linspace(-8, 8, 33), 1e-6, 1 - 1e-6)
        plain, other = both(x, n, value, deviation)
        assert np.abs(plain - other).max() < 1e-9 + 1e-14 * math.sqrt(n)


@pytest.mark.parametrize("n", [10**7, 10**12])
@pytest.mark.parametrize("share", [0.01, 1.0, 30.0])
def test_large_sums_are_normal(n, share):
    """A sum of very many tosses and its noise are about normal: to the skewness of the sum."""
    mean, deviation = 0.3, share * math.sqrt(0.21 * n)
    spread = math.sqrt(0.21 * n + deviation**2)
    x = mean + np.linspace(-3, 3, 13) * spread / n
    plain, other = both(x, n, mean * n, deviation)
    variance = n * x * (1 - x) + deviation**2
    normal = math.log(deviation) - 0.5 * np.log(variance) - 0.5 * (n * (mean - x)) ** 2 / variance
    for got in (plain, other):
        assert np.abs(got - normal).max() < 60.0 / math.sqrt(n)


def test_posteriors_are_what_quadrature_says():
    known = Posterior.before(epsilon=2.0 * math.sqrt(0.1), gaussian=True).given(40, 28.3)
    known = known.given(90, 55.0)
    x = np.linspace(5e-5, 1 - 5e-5, 10_000)
    logs = sum(enumerated(x, n, value, math.sqrt(5.0)) for n, value in ((40, 28.3), (90, 55.0)))
    density = np.exp(logs - logs.max())
    density /= density.mean()
    assert known.density(x) == pytest.approx(density, abs=1e-4)
    assert known.mean == pytest.approx((x * density).mean(), abs=1e-6)
