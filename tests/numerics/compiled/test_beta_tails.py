"""Tails of Beta laws by proposals: bounds that hold, and draws of the right law."""

import numpy as np
import pytest
from numba import njit
from scipy import stats

from hush.numerics.compiled.beta_tails import log_density, propose, upper_tail

FALSE_ALARM = 1e-6  # of each test; there are two for each of the cases below
LAWS = [
    (0.0, 3.0),
    (0.25, 0.75),
    (7.5, 2.5),
    (3.0, 0.0),
    (40.0, 60.0),
    (999.0, 1.0),
    (1.0, 3e5),
    (3e6, 1e6),
    (7e11, 3e11),
]


@njit
def proposals(tail, k, rest, place, n, source):
    """Return what is drawn beyond the place in n proposals; -1 where nothing is."""
    found = np.empty(n)
    for i in range(n):
        found[i] = propose(tail, k, rest, place, source)
    return found


def places(k, rest):
    """Yield places from the law's ninth decile to where one draw in 10^12 lies."""
    law = stats.beta(k + 1.0, rest + 1.0)
    for beyond in (0.1, 1e-3, 1e-12):
        place = float(law.isf(beyond))
        if upper_tail(k, rest, place).mass < 1.0:
            yield place


@pytest.mark.parametrize(("k", "rest"), LAWS)
def test_densities(k, rest):
    law = stats.beta(k + 1.0, rest + 1.0)
    for x in law.ppf([1e-9, 0.1, 0.5, 0.9, 1.0 - 1e-9]):
        # scipy's own has lost digits where there are so many tosses
        wanted = pytest.approx(law.logpdf(x), rel=1e-8, abs=1e-12 * (k + rest) + 1e-9)
        assert log_density(k, rest, float(x)) == wanted


def test_a_density_of_many_tosses_has_its_digits():
    """At the mode of a symmetric law: a series in 1/n."""
    n = 1e12
    wanted = 0.5 * np.log(2.0 * n / np.pi) + np.log1p(0.75 / n)
    assert log_density(n / 2, n / 2, 0.5) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("k", "rest"), LAWS)
def test_a_tangent_lies_above_every_law_further_below(k, rest):
    for place in places(k, rest):
        tail = upper_tail(k, rest, place)
        for fewer in (1.0, 0.999, 0.9, 0.3, 0.0):
            for more in (1.0, 1.001, 1.1, 3.0):
                for away in (0.0, 1e-3, 0.1, 1.0, 5.0, 30.0):
                    x = place + away / tail.fall
                    if x < 1.0:
                        height = log_density(fewer * k, more * rest, x)
                        assert height <= tail.log_top - away + 1e-9 * (1.0 + abs(height))


@pytest.mark.untraced
@pytest.mark.parametrize(("k", "rest"), LAWS)
def test_what_is_proposed_and_accepted_is_the_tail(k, rest):
    """How often, by an exact test of a binomial; where, by Kolmogorov and Smirnov's.

    Each has a false-alarm rate of 1e-6. Of 100,000 proposals, most of which are accepted, a
    frequency that is 2 % too low is rejected with near certainty, which is checked.
    """
    found = list(places(k, rest))
    assert found or rest == 0.0  # a density that only rises
    for place in found:
        tail = upper_tail(k, rest, place)
        for fewer, more in ((k, rest), (0.99 * k, 1.01 * rest)):
            law = stats.beta(fewer + 1.0, more + 1.0)
            chance = law.sf(place) / tail.mass
            draws = proposals(tail, fewer, more, place, 100_000, np.random.default_rng(3))
            beyond = draws[draws > 0.0]
            assert stats.binomtest(beyond.size, draws.size, chance).pvalue > FALSE_ALARM
            if chance > 0.5:
                seen = stats.binomtest(round(0.98 * beyond.size), draws.size, chance)
                assert seen.pvalue < FALSE_ALARM
            if beyond.size > 20:
                levels = law.sf(beyond) / law.sf(place)
                assert stats.kstest(levels, "uniform").pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("k", "rest", "place"),
    [
        (5.0, 5.0, 0.5),
        (5.0, 5.0, 0.0),
        (5.0, 5.0, 1.0),
        (9.0, 0.0, 0.9),
        (-1.0, 5.0, 0.9),
        (np.nan, 1.0, 0.9),
        (5.0, np.nan, 0.9),
        (1.0, 5.0, np.nan),
    ],
)
def test_where_there_is_no_bound_its_mass_is_infinite(k, rest, place):
    assert upper_tail(k, rest, place).mass == np.inf
