"""Bounds of our own for Lazy-DP-TS: the odds that they rest on, and simulated regret."""

import math

import numpy as np
import pytest
from scipy.stats import beta, binom
from tests.theory.random_bandits import nearest_to_epochs

import hush
from hush.policies.core.lazy_thompson_bounds import odds_of_failure


def mean_odds(count, mean, level):
    """The mean of P(draw <= level) / P(draw > level) over all outcomes of ``count`` coins."""
    ones = np.arange(count + 1)
    chances = binom.logpmf(ones, count, mean)
    ones, chances = ones[np.isfinite(chances)], chances[np.isfinite(chances)]
    below, above = (law(level, ones + 1, count - ones + 1) for law in (beta.logcdf, beta.logsf))
    seen = np.isfinite(below) & np.isfinite(above)
    return float(np.exp((chances + below - above)[seen]).sum())


@pytest.mark.untraced
def test_odds_of_failure_are_no_larger_than_said():
    rng, nearest = np.random.default_rng(1), 0.0
    for _ in range(1500):
        count = int(2 ** rng.integers(0, 12))
        mean = 1.0 if rng.random() < 0.2 else 1.0 - rng.random() ** rng.choice([1.0, 3.0])
        level = mean * (1.0 - rng.random() ** rng.choice([1.0, 4.0]))
        if mean - level < 1e-4 or level <= 0.0:
            continue
        found = mean_odds(count, mean, level)
        said = float(odds_of_failure(np.array([float(count)]), np.array([mean - level]))[0, 0])
        assert found <= said + 1e-300
        nearest = max(nearest, found / said if said > 1e-200 else 0.0)
    assert nearest > 0.5


@pytest.mark.untraced
def test_regret_of_lazy_dp_ts_lies_below_its_bounds():
    """Means of 4 runs. All bounds are on the mean; a run above three times one would be rare."""
    nearest = nearest_to_epochs(
        hush.LazyDPTS,
        seed=17, instances=100, shapes=[0.5, 1.0, 4.0], largest=1.5, reach=5.0, runs=4,
    )  # fmt: skip
    assert nearest > 0.1  # far from the horizon, too


def test_known_values():
    for epsilon, wanted in ((0.25, 10_241), (0.5, 7_826), (1.0, 6_724)):
        report = hush.bounds(hush.LazyDPTS(epsilon), hush.paper_s1(), 10**6)
        assert report["epochs"].value == pytest.approx(wanted, rel=1e-3)
        assert report.upper == report["epochs"].value
        assert report["gaps, closed form"].value == pytest.approx(
            math.log(10**6) * (126.0 * (8 + 4 + 8 / 3 + 2) + 4 * 64.0 / epsilon)
        )
    assert not hush.bounds(hush.LazyDPTS(0.5), hush.paper_s1(), 1)["epochs"].holds
