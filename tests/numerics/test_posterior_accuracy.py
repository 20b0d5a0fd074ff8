"""The tolerance of posteriors: what they hold after many releases, against all releases at once.

Panels are as wide as they are because nothing needs them finer: log densities within 1e-4 down to
``exp(-DEPTH)`` of the peak, and chances to win, as small as 1e-12, within a factor of 1e-4 of 1.
"""

import math
import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from tests.every import sampled

from hush.numerics import posterior_chances as plain
from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend
from hush.numerics.compiled.posterior_chances import blank_grid, win_chances
from hush.numerics.edges import DEPTH
from hush.numerics.likelihood import log_likelihood
from hush.numerics.posterior import Posterior, log_prior
from hush.numerics.prior import Prior
from hush.numerics.series import POINTS, TO_INTEGRAL, WEIGHTS, inner

TO_POINTS = TO_INTEGRAL @ np.polynomial.chebyshev.chebvander(POINTS, POINTS.size).T


def history(generator, epsilon, mean, *, growth, most):
    """Releases of batches that let the total grow; one in twenty has noise that it should not."""
    releases, total, n = [], 0, math.ceil(4 / epsilon)
    while total < most:
        noise = generator.laplace(0, 1 / epsilon) * (3 if generator.random() < 0.05 else 1)
        noise = round(noise) if generator.random() < 0.5 else noise
        releases.append((n, float(generator.binomial(n, mean) + noise)))
        total += n
        n = math.ceil((growth - 1) * total)
    return releases


def direct(releases, epsilon, prior, edges):
    """Points, densities and distribution function from all releases at once, on fine panels."""
    half = 0.5 * np.diff(edges)[:, None]
    x = inner(edges[:-1, None] + half * (1 + POINTS))
    logs = log_prior(x.ravel(), prior)
    for n, value in releases:
        logs = logs + log_likelihood(x.ravel(), 1 - x.ravel(), float(n), value, epsilon)
    density = np.exp(logs - logs.max()).reshape(x.shape)
    masses = density @ WEIGHTS * half[:, 0]
    below = np.concatenate(([0.0], np.cumsum(masses)[:-1]))[:, None] + density @ TO_POINTS * half
    total = masses.sum()
    return x.ravel(), logs.ravel() - logs.max() - math.log(total), below.ravel() / total


def finer(edges, times):
    """Split panels into parts."""
    parts = [np.linspace(*pair, times + 1) for pair in pairwise(edges)]
    return np.unique(np.concatenate(parts))


@pytest.mark.untraced
@pytest.mark.parametrize("growth", [1.5, pytest.param(1.15, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("epsilon", "mean"),
    [
        (0.1, 0.02),
        (1.0, 0.5),
        (10.0, 0.999),
        pytest.param(0.01, 0.3, marks=pytest.mark.slow),
        pytest.param(0.25, 0.75, marks=pytest.mark.slow),
        pytest.param(1.0, 1e-4, marks=pytest.mark.slow),
        pytest.param(3.0, 0.97, marks=pytest.mark.slow),
    ],
)
def test_densities_after_many_releases_are_those_of_all_at_once(growth, epsilon, mean):
    """Up to 240 releases, n up to 10^15: errors of releases do not add up to anything."""
    generator = np.random.default_rng(int(1000 * epsilon + 100 * mean))
    prior = Prior(2.0, 2.0)
    releases = history(generator, epsilon, mean, growth=growth, most=10**15)
    assert len(releases) > 60
    known = Posterior.before(epsilon=epsilon, prior=prior)
    for number, (n, value) in enumerate(releases, 1):
        known = known.given(n, value)
        if number % 40 and number < len(releases):
            continue
        x, logs, below = direct(releases[:number], epsilon, prior, finer(known.edges, 3))
        deep = logs > logs.max() - DEPTH
        assert np.abs(np.log(known.density(x)) - logs)[deep].max() < 1e-4
        assert np.abs(known.below(x) - below).max() < 1e-5
        assert known.edges[0] == 0.0 or logs[0] < logs.max() - DEPTH
        assert known.edges[-1] == 1.0 or logs[-1] < logs.max() - DEPTH


def played(generator, n_arms):
    """Releases of arms of which the best has the most, in a random order."""
    epsilon = float(np.exp(generator.uniform(math.log(0.02), math.log(8))))
    best = generator.random() ** 0.3
    means = [best, *(best * generator.uniform(0.2, 0.98, n_arms - 1))]
    most = [10**12, *(10 ** generator.uniform(1, 4, n_arms - 1) / min(epsilon, 1.0))]
    told = [
        history(generator, epsilon, mean, growth=1.5, most=each)
        for mean, each in zip(means, most, strict=True)
    ]
    later = np.repeat(np.arange(n_arms), [len(each) - 1 for each in told])
    return epsilon, told, [*range(n_arms), *generator.permutation(later)]


def direct_chances(releases, epsilon, prior, all_edges):
    """Chances from all releases at once, on the panels of all arms."""
    grid = finer(np.unique(np.concatenate(all_edges)), 2)
    weights = (0.5 * np.diff(grid)[:, None] * WEIGHTS).ravel()
    densities, belows = [], []
    for told, edges in zip(releases, all_edges, strict=True):
        own = grid[(grid >= edges[0]) & (grid <= edges[-1])]
        x, logs, below = direct(told, epsilon, prior, own)
        first = POINTS.size * int(grid.searchsorted(own[0]))
        density, reach = np.zeros(weights.size), np.zeros(weights.size)
        density[first : first + x.size], reach[first : first + x.size] = np.exp(logs), below
        reach[first + x.size :] = 1.0
        densities.append(density)
        belows.append(reach)
    chances = [
        (weights * density * np.prod(belows[:i] + belows[i + 1 :], axis=0)).sum()
        for i, density in enumerate(densities)
    ]
    return np.array(chances)


@pytest.mark.untraced
@pytest.mark.parametrize("seed", sampled([0, 1, 2, 3, 5, 6, 7, 8], 3))
def test_chances_as_small_as_1e_12_are_precise(seed):
    """Both twins, release by release; the compiled one keeps its grid."""
    generator = np.random.default_rng(seed)
    n_arms, prior = 2 + seed % 4, Prior(2.0, 2.0)
    epsilon, told, order = played(generator, n_arms)
    known = [Posterior.before(epsilon=epsilon, prior=prior) for _ in range(n_arms)]
    posteriors, grid, chances = blank_posteriors(n_arms), blank_grid(), np.zeros(n_arms)
    smallest = 1.0
    for number, arm in enumerate(order, 1):
        known[arm] = known[arm].given(*told[arm][known[arm].counts.size])
        releases = Releases(known[arm].counts, known[arm].values, epsilon)
        extend(posteriors, arm, releases, prior)
        if number < n_arms:
            continue
        grid = win_chances(posteriors, prior, arm, grid, chances)
        if number % 16 and number < len(order):
            continue
        used = [each[: one.counts.size] for each, one in zip(told, known, strict=True)]
        wanted = direct_chances(used, epsilon, prior, [one.edges for one in known])
        seen = wanted > 1e-12
        smallest = min(smallest, wanted[seen].min())
        for found in (chances, plain.win_chances(known)):
            assert np.abs(found[seen] / wanted[seen] - 1).max() < 1e-4
            assert found[~seen].max(initial=0.0) < 1.01e-12
    assert smallest < 1e-3


SAME_SEEDS = """
import sys
import numpy as np
import hush
if sys.argv[1] == "tight":
    from hush.numerics.compiled import edges, posterior
    drops = [1.5, 5.0, 10.0, 15.0, 20.0, 26.0, 33.0, 41.0, 50.0, 60.0]
    edges.DROPS = posterior.DROPS = np.array(drops)
    edges.COARSEST, posterior.TOLERANCE = 1.0, 1e-9
policies = [hush.NoiseAwareTS(epsilon) for epsilon in (0.25, 0.5, 1.0)]
result = hush.simulate(
    policies, hush.paper_s1(), horizon=10**9, runs=400, seed=3, checkpoints=[10**9], workers=1
)
np.save(sys.argv[2], result.regret[:, :, -1])
"""


@pytest.mark.slow
def test_regret_is_that_of_panels_a_thousand_times_as_precise(tmp_path):
    """The same seeds: nearly all runs are the same to the last round, and so is the mean."""
    regrets = []
    for name in ("loose", "tight"):
        cache = {"NUMBA_CACHE_DIR": str(tmp_path / f"{name}-cache")}
        command = [sys.executable, "-c", SAME_SEEDS, name, str(tmp_path / f"{name}.npy")]
        subprocess.run(command, check=True, env={**os.environ, **cache})
        regrets.append(np.load(tmp_path / f"{name}.npy"))
    loose, tight = regrets
    assert (loose == tight).mean() > 0.9
    assert loose.mean(axis=1) == pytest.approx(tight.mean(axis=1), rel=3e-3)
    assert (loose != tight).any()  # the constants were taken
