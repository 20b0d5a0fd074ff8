"""The compiled posteriors against the ones that a live learner uses, number for number."""

import math

import numpy as np
import pytest
from scipy.stats import kstest

from hush.numerics import posterior as plain
from hush.numerics.compiled import posterior as compiled
from hush.numerics.posterior import Posterior
from hush.simulation.leap_posterior import rows_of


@pytest.mark.parametrize("n", [1, 3, 40, 256, 257, 3000, 10**6, 10**12, 10**17])
@pytest.mark.parametrize("epsilon", [0.02, 0.3, 3.0])
def test_likelihoods_agree(n, epsilon):
    generator = np.random.default_rng(n % 1000)
    for _ in range(6):
        mean = generator.random()
        value = generator.binomial(n, mean) + generator.laplace(0, 1 / epsilon)
        spread = math.sqrt(0.25 / n + 2 / (epsilon * n) ** 2)
        x = np.clip(value / n + spread * np.linspace(-8, 8, 33), 1e-6, 1 - 1e-6)
        total = np.zeros(x.size)
        compiled.log_likelihood(x, float(n), float(value), epsilon, total)
        wanted = plain.log_likelihood(x, 1 - x, float(n), float(value), epsilon)
        assert np.abs(total - wanted).max() < 1e-9 + 1e-14 * math.sqrt(n)


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
    edges, panels, series, base, integral = rows_of(n_arms)
    kept = (np.empty(0), np.empty(0), np.empty(0), np.empty((0, 0)), np.empty((0, 0)))
    chances = np.zeros(n_arms)
    known = [Posterior.before(epsilon=epsilon, prior=prior) for _ in range(n_arms)]
    for number, (arm, n, value) in enumerate(releases):
        known[arm] = known[arm].given(n, value)
        panels[arm] = compiled.extend(
            edges[arm], panels[arm], series[arm], base[arm], integral[arm],
            known[arm].counts, known[arm].values, epsilon, *prior,
        )  # fmt: skip
        size = panels[arm]
        assert edges[arm, [0, size]] == pytest.approx(known[arm].edges[[0, -1]], abs=1e-9)
        if number < n_arms - 1:
            continue
        kept = compiled.win_chances(
            edges, panels, series, base, integral, *prior, arm, *kept, chances
        )
        wanted = plain.win_chances(known)
        seen = wanted > 1e-15
        assert np.abs(chances[seen] / wanted[seen] - 1).max() < 1e-6
        assert chances[~seen].max(initial=0.0) < 2e-15


def test_compiled_posteriors_are_calibrated():
    """Rank statistics over 3,000 truths, six batches each; false alarm 1e-6."""
    generator = np.random.default_rng(5)
    ranks = []
    for _ in range(3000):
        epsilon = float(np.exp(generator.uniform(math.log(0.05), math.log(2))))
        truth = generator.random()
        edges, panels, series, base, integral = rows_of(1)
        counts, values = [], []
        n = math.ceil(1 / epsilon)
        for _ in range(6):
            counts.append(float(n))
            values.append(generator.binomial(n, truth) + generator.laplace(0, 1 / epsilon))
            panels[0] = compiled.extend(
                edges[0], panels[0], series[0], base[0], integral[0],
                np.array(counts), np.array(values), epsilon, 1.0, 1.0,
            )  # fmt: skip
            n *= 2
        below, hazard = np.empty(1), np.empty(1)
        compiled.fill_row(
            np.array([truth]), edges[0], panels[0], series[0], base[0], integral[0], 1.0, 1.0,
            below, hazard,
        )  # fmt: skip
        ranks.append(below[0])
    assert kstest(ranks, "uniform").pvalue > 1e-6
