"""The compiled posteriors against the ones that a live learner uses, number for number."""

import math

import numpy as np
import pytest
from scipy.stats import kstest

from hush.numerics import posterior_chances as plain
from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend
from hush.numerics.compiled.posterior_chances import Grid, blank_grid, fill_row, win_chances
from hush.numerics.posterior import MOST_PANELS, Posterior
from hush.numerics.prior import Prior


def histories(generator, n_arms):
    """Releases of several arms, in the order in which they come."""
    epsilon = float(np.exp(generator.uniform(math.log(0.05), math.log(3))))
    means, totals = generator.uniform(0.05, 0.95, n_arms), np.zeros(n_arms)
    order = np.repeat(np.arange(n_arms), generator.integers(1, 16, n_arms))
    first = np.arange(n_arms)
    releases = []
    for arm in (*first, *generator.permutation(order)):
        n = math.ceil(max(1 / epsilon, 0.7 * totals[arm]))
        value = generator.binomial(n, means[arm]) + generator.laplace(0, 1 / epsilon)
        totals[arm] += n
        releases.append((int(arm), n, float(value)))
    return epsilon, releases


@pytest.mark.parametrize("prior", [(1.0, 1.0), (2.0, 3.0), (0.5, 0.5)])
@pytest.mark.parametrize("seed", range(4))
def test_posteriors_and_chances_agree_release_by_release(prior, seed):
    """The compiled engine keeps its grid from release to release; the other lays it anew."""
    generator = np.random.default_rng(seed)
    n_arms = 2 + seed
    epsilon, releases = histories(generator, n_arms)
    posteriors, kept = blank_posteriors(n_arms), blank_grid()
    chances = np.zeros(n_arms)
    known = [Posterior.before(epsilon=epsilon, prior=Prior(*prior)) for _ in range(n_arms)]
    for number, (arm, n, value) in enumerate(releases):
        known[arm] = known[arm].given(n, value)
        extend(
            posteriors, arm, Releases(known[arm].counts, known[arm].values, epsilon), Prior(*prior)
        )
        size = posteriors.panels[arm]
        assert posteriors.edges[arm, [0, size]] == pytest.approx(
            known[arm].edges[[0, -1]], abs=1e-9
        )
        if number < n_arms - 1:
            continue
        kept = win_chances(posteriors, Prior(*prior), arm, kept, chances)
        wanted = plain.win_chances(known)
        seen = wanted > 1e-15
        assert np.abs(chances[seen] / wanted[seen] - 1).max() < 1e-4
        assert chances[~seen].max(initial=0.0) < 2e-15


@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.7, 40.0), (2.0, 2.0)])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 8.0, 45.0])
def test_panels_stay_within_their_room(prior, epsilon):
    """Run with NUMBA_BOUNDSCHECK=1 too: rough priors have the most edges, sure coins the finest."""
    generator = np.random.default_rng(9)
    for mean in (0.0, 1e-9, 0.3, 0.98, 1.0):
        posteriors, grid, chances = blank_posteriors(2), blank_grid(), np.zeros(2)
        counts, values = [], []
        for n in (1, 3, 8, 40, 257, 3000, 50_000, 10**6):
            counts.append(float(n))
            values.append(
                float(round(generator.binomial(n, mean) + generator.laplace(0, 1 / epsilon)))
            )
            known = Releases(np.array(counts), np.array(values), epsilon)
            extend(posteriors, 0, known, Prior(*prior))
            if n == 1:
                extend(posteriors, 1, known, Prior(*prior))
            size = posteriors.panels[0]
            assert 1 <= size <= MOST_PANELS
            assert (np.diff(posteriors.edges[0, : size + 1]) > 0).all()
            grid = win_chances(posteriors, Prior(*prior), 1, blank_grid(), chances)
            grid = win_chances(posteriors, Prior(*prior), 0, grid, chances)
            assert chances.sum() == pytest.approx(1.0, abs=1e-9)


def test_compiled_posteriors_are_calibrated():
    """Rank statistics over 3,000 truths, six batches each; false alarm 1e-6."""
    generator = np.random.default_rng(5)
    ranks = []
    for _ in range(3000):
        epsilon = float(np.exp(generator.uniform(math.log(0.05), math.log(2))))
        truth = generator.random()
        posteriors, prior = blank_posteriors(1), Prior(1.0, 1.0)
        counts, values = [], []
        n = math.ceil(1 / epsilon)
        for _ in range(6):
            counts.append(float(n))
            values.append(generator.binomial(n, truth) + generator.laplace(0, 1 / epsilon))
            known = Releases(np.array(counts), np.array(values), epsilon)
            extend(posteriors, 0, known, prior)
            n *= 2
        none, row = np.zeros(1), np.empty((1, 1))
        at = Grid(none, np.array([truth]), none, none, row, row.copy())
        fill_row(posteriors, 0, at)
        ranks.append(at.below[0, 0])
    assert kstest(ranks, "uniform").pvalue > 1e-6
