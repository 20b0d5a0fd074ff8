"""Draws from posteriors: exact inverses, and the law of who is the largest."""

import numpy as np
import pytest
from scipy.stats import chi2

from hush.numerics.posterior import Posterior
from hush.numerics.posterior_chances import win_chances
from hush.numerics.posterior_draws import LEVELS, PosteriorDraws, inverse
from hush.numerics.prior import Prior


def posterior_of(releases, epsilon=1.0, prior=(2.0, 2.0)):
    known = Posterior.before(epsilon=epsilon, prior=Prior(*prior))
    for count, value in releases:
        known = known.given(count, value)
    return known


KNOWN = [
    posterior_of([]),
    posterior_of([], prior=(0.5, 0.5)),
    posterior_of([(4, 2.0)]),
    posterior_of([(4, 9.0), (2, -3.0)]),
    posterior_of([(40, 3.5), (20, 1.0), (30, 4.0)], epsilon=0.1),
    posterior_of([(10**6, 3e5)], epsilon=5.0),
    posterior_of([(10**12, 5e11)], prior=(1.0, 1.0)),
    posterior_of([(50, 25.0), (50, 400.0)]),
]


def rows(known):
    draws = PosteriorDraws(len(known))
    for arm, posterior in enumerate(known):
        draws.put(arm, posterior)
    return draws


@pytest.mark.parametrize("known", KNOWN)
def test_the_inverse_meets_the_distribution_function(known):
    levels = np.concatenate(
        [LEVELS[:-1], np.linspace(0.0, 1.0, 401), np.random.default_rng(1).random(500)]
    )
    x = inverse([known] * levels.size, levels)
    assert np.abs(known.below(x) - levels).max() < 1e-9
    assert ((x >= known.edges[0]) & (x <= known.edges[-1])).all()
    assert (np.diff(inverse([known] * 401, np.linspace(0.0, 1.0, 401))) >= 0.0).all()


def test_levels_at_the_panels_ends_are_met():
    known = KNOWN[3]
    for levels in (known.base, np.nextafter(known.base[1:], 0.0), np.nextafter(known.base, 1.0)):
        x = inverse([known] * levels.size, levels)
        assert np.abs(known.below(x) - levels).max() < 1e-9


def test_every_draw_lies_between_its_quantiles():
    draws, levels = rows(KNOWN), np.random.default_rng(2).random(2000)
    step = LEVELS.searchsorted(levels, side="right")
    for table, known in zip(draws._tables, KNOWN, strict=True):
        x = inverse([known] * levels.size, levels)
        assert (np.diff(table) >= 0.0).all()
        assert (x >= table[step - 1] - 1e-12).all()
        assert (x <= table[step] + 1e-12).all()


@pytest.mark.untraced
def test_the_largest_is_the_largest_of_all_draws():
    rng = np.random.default_rng(3)
    known = [posterior_of([(4, float(v))]) for v in rng.normal(2.0, 1.5, 60)]
    draws, arms = rows(known), np.arange(60)
    for seed in range(300):
        x = inverse(known, np.random.default_rng(seed).random(60))
        assert draws.largest(arms, np.random.default_rng(seed)) == x.argmax()
        x = inverse(known[20:50], np.random.default_rng(seed).random(30))
        part = draws.largest(arms[20:50], np.random.default_rng(seed))
        assert part == 20 + x.argmax()


@pytest.mark.untraced
@pytest.mark.parametrize("known", [KNOWN[2:4] * 3 + KNOWN[:2], [KNOWN[2]] * 40])
def test_the_largest_has_the_law_of_the_chances(known):
    """A chi-square test of 20,000 seeded draws; it would alarm falsely once in 10^6 seeds."""
    draws, generator, arms = rows(known), np.random.default_rng(4), np.arange(len(known))
    wins = [draws.largest(arms, generator) for _ in range(20_000)]
    expected = 20_000 * win_chances(known)
    observed = np.bincount(wins, minlength=len(known))
    statistic = float(((observed - expected) ** 2 / expected).sum())
    assert chi2.sf(statistic, len(known) - 1) > 1e-6
