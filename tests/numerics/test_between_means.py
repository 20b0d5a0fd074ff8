"""Functions of many means, taken at a few: against all of them."""

import numpy as np
import pytest
from scipy.stats import binom

from hush.numerics.between_means import at_many_means


@pytest.mark.parametrize(
    ("low", "high", "count"),
    [(0.5, 0.5001, 500), (0.5, 0.5 + 1e-6, 2**40), (0.3, 0.7, 2**10), (0.001, 0.0012, 2e5)],
)
@pytest.mark.parametrize("number", [1000, 5000])
def test_tails_of_binomials_between_few_means(low, high, count, number):
    """From eight standard deviations below to eight above; a mean itself has sixteen digits."""
    means = np.random.default_rng(1).permutation(np.linspace(low, high, number))
    spread = np.sqrt(count * low * (1.0 - low))
    asked = []

    def tails(some):
        asked.append(some.size)
        if count > 2**30:  # no digits left in k
            away = (np.linspace(-8.0, 8.0, 9) * spread - count * (some - low)[:, None]) / spread
            return np.exp(-0.5 * away * away)
        places = np.rint(count * low + np.arange(-8, 9, 2) * spread)
        return np.stack([binom.cdf(places, count, mean) for mean in some])

    found = at_many_means(means, float(count), tails)
    wanted = tails(means)
    assert found == pytest.approx(wanted, rel=2e-11 + 1e-15 * spread * 8.0)
    if number == 5000:
        assert asked[0] < number / 2


@pytest.mark.parametrize(
    ("means", "count"),
    [
        (np.linspace(0.1, 0.9, 50), 10**6),  # far apart
        (np.full(100, 0.5), 10**6),  # all the same
        (np.linspace(0.5, 0.5001, 100), 10),  # narrow
        (np.linspace(0.0, 0.001, 100), 10**9),  # one is sure
    ],
)
def test_where_it_does_not_pay_all_are_asked(means, count):
    assert at_many_means(means, float(count), lambda some: some).tolist() == means.tolist()


def test_values_without_digits_are_computed_one_by_one():
    means = np.linspace(0.5, 0.5001, 200)
    asked = []

    def step(some):
        asked.append(some.size)
        return np.where(some > 0.50005, 1.0, 0.0)

    assert at_many_means(means, 1e4, step).tolist() == step(means).tolist()
    assert asked[1] == 200
