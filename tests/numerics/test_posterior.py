"""Posteriors given noisy releases: against enumeration, closed forms and simulated truths."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta as beta_law
from scipy.stats import kstest

from hush.numerics.likelihood import log_likelihood
from hush.numerics.posterior import Posterior
from hush.numerics.posterior_chances import win_chances
from hush.numerics.prior import Prior

FALSE_ALARM = 1e-6


def brute(releases, epsilon, prior, x):
    """Density and distribution function on a fine grid, from all releases at once."""
    logs = beta_law.logpdf(x, *prior)
    for n, value in releases:
        logs = logs + log_likelihood(x, 1 - x, float(n), float(value), epsilon)
    density = np.exp(logs - logs.max())
    steps = np.diff(x) * (density[1:] + density[:-1]) / 2
    reach = np.concatenate(([0.0], np.cumsum(steps)))
    return density / reach[-1], reach / reach[-1]


def posterior_of(releases, epsilon, prior=(1.0, 1.0)):
    known = Posterior.before(epsilon=epsilon, prior=Prior(*prior))
    for n, value in releases:
        known = known.given(n, value)
    return known


@pytest.mark.slow
@given(st.data())
def test_posteriors_are_their_products(data):
    epsilon = data.draw(st.floats(0.03, 4))
    prior = data.draw(st.sampled_from([(1.0, 1.0), (2.0, 3.0), (1.0, 5.0)]))
    sizes = data.draw(st.lists(st.integers(1, 400), min_size=1, max_size=6))
    releases = [(n, data.draw(st.floats(-5, n + 5))) for n in sizes]  # contradictions included
    known = posterior_of(releases, epsilon, prior)
    x = np.linspace(max(known.edges[0], 1e-9), min(known.edges[-1], 1 - 1e-9), 20_001)
    density, reach = brute(releases, epsilon, prior, x)
    assert np.abs(known.density(x) / density.max() - density / density.max()).max() < 2e-6
    assert np.abs(known.below(x) - reach).max() < 2e-6
    assert (np.diff(known.below(x)) >= -1e-15).all()


def test_the_prior_alone():
    for prior in ((1.0, 1.0), (2.0, 3.0), (0.5, 0.5)):
        known = Posterior.before(epsilon=1.0, prior=Prior(*prior))
        x = np.linspace(0.05, 0.95, 19)
        assert known.below(x) == pytest.approx(beta_law.cdf(x, *prior), abs=1e-3)


def test_rough_priors_reach_the_ends():
    known = posterior_of([(5, -1.0)], 2.0, (0.5, 0.5))
    x = np.array([1e-9, 1e-6, 1e-3, 0.1])
    fine = np.concatenate((np.geomspace(1e-14, 1e-3, 20_000), np.linspace(1e-3, 1 - 1e-9, 20_000)))
    _, reach = brute([(5, -1.0)], 2.0, (0.5, 0.5), fine)
    assert known.below(x) == pytest.approx(np.interp(x, fine, reach), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("n", [10**6, 10**9, 10**13, 10**17])
@pytest.mark.parametrize("mean", [0.5, 0.03, 0.999])
def test_large_batches_are_normal(n, mean):
    epsilon = 0.3
    known = posterior_of([(n, mean * n)], epsilon)
    sd = math.sqrt(mean * (1 - mean) / n + 2 / (epsilon * n) ** 2)
    z = np.linspace(-3, 3, 13)
    x = mean + z * sd
    wanted = 0.5 * (1 + np.array([math.erf(each / math.sqrt(2)) for each in z]))
    # The third moment shifts a binomial of this n by this much.
    skew = abs(1 - 2 * mean) / math.sqrt(n * mean * (1 - mean))
    assert np.abs(known.below(x) - wanted).max() < 1e-6 + skew


def test_contradictions_do_not_break_it():
    """A release so far off that the panels before do not reach it."""
    releases = [(1000, 900.0), (2000, 10.0), (4000, 3990.0)]
    known = posterior_of(releases, 5.0)
    x = np.linspace(known.edges[0], known.edges[-1], 20_001)
    density, reach = brute(releases, 5.0, (1.0, 1.0), x)
    assert np.abs(known.below(x) - reach).max() < 1e-6
    assert density.max() == pytest.approx(known.density(x).max(), rel=1e-5)


def beats(a, b, c, d):
    """P(Beta(a, b) > Beta(c, d)) for whole a, as a sum of positive terms."""

    def log_beta(p, q):
        return math.lgamma(p) + math.lgamma(q) - math.lgamma(p + q)

    terms = [
        log_beta(c + i, b + d) - math.log(b + i) - log_beta(1 + i, b) - log_beta(c, d)
        for i in range(a)
    ]
    return math.fsum(math.exp(each) for each in terms)


@pytest.mark.parametrize(
    ("one", "two"),
    [((10, 6), (10, 5)), ((40, 20), (100, 80)), ((100, 25), (400, 260)), ((300, 90), (900, 560))],
)
def test_small_chances_are_precise(one, two):
    """With noise of no weight posteriors are Beta laws, whose chances have a closed form."""
    epsilon = 60.0
    (n, s), (m, r) = one, two
    chance = win_chances([posterior_of([one], epsilon), posterior_of([two], epsilon)])
    wanted = beats(s + 1, n - s + 1, r + 1, m - r + 1)
    assert chance[0] == pytest.approx(wanted, rel=1e-6)
    assert chance.sum() == pytest.approx(1.0, abs=1e-12)


def test_chances_reach_down_to_1e_15():
    chance = win_chances([posterior_of([(300, 90)], 60.0), posterior_of([(900, 640)], 60.0)])
    wanted = beats(91, 211, 641, 261)
    assert 1e-40 < wanted < 1e-15 or wanted < 1e-10
    near = win_chances([posterior_of([(300, 90)], 60.0), posterior_of([(900, 500)], 60.0)])
    wanted = beats(91, 211, 501, 401)
    assert 1e-16 < wanted < 1e-10
    assert near[0] == pytest.approx(wanted, rel=1e-6)
    assert chance[0] >= 0.0


def test_chances_of_many_arms():
    """Equal arms share alike, however many; and a simulation agrees (false alarm 1e-6)."""
    same = posterior_of([(20, 11.5)], 0.5)
    assert win_chances([same] * 7) == pytest.approx(np.full(7, 1 / 7), rel=1e-9)
    generator = np.random.default_rng(3)
    arms = [posterior_of([(n, 0.5 * n + 3)], 0.4) for n in (5, 10, 40, 200)]
    draws = []
    for arm in arms:
        x = np.linspace(arm.edges[0], arm.edges[-1], 20_001)
        draws.append(np.interp(generator.random(200_000), arm.below(x), x))
    counts = np.bincount(np.argmax(draws, axis=0), minlength=4)
    chances = win_chances(arms)
    assert np.abs(counts - 200_000 * chances).max() < 5.5 * math.sqrt(200_000 * 0.25)


@pytest.mark.untraced
def test_posteriors_are_calibrated():
    """Rank statistics: the posterior's distribution function at the truth is uniform.

    500 truths from the prior, three batches each, continuous and discrete noise by turns.
    """
    generator = np.random.default_rng(11)
    ranks = []
    for trial in range(500):
        epsilon = float(np.exp(generator.uniform(math.log(0.1), math.log(2))))
        truth = generator.random()
        known = Posterior.before(epsilon=epsilon)
        n = math.ceil(1 / epsilon)
        for _ in range(3):
            noise = generator.laplace(0, 1 / epsilon)
            if trial % 2:
                up, down = np.floor(generator.exponential(1 / epsilon, 2))
                noise = up - down
            known = known.given(n, generator.binomial(n, truth) + noise)
            n *= 2
        ranks.append(float(known.below(np.array([truth]))[0]))
    assert kstest(ranks, "uniform").pvalue > FALSE_ALARM
    # and it would see a likelihood that ignores the noise
    assert kstest(np.abs(np.array(ranks) - 0.5) ** 1.3, "uniform").pvalue < FALSE_ALARM
