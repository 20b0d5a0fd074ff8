"""Upper bounds with constants of our own, against regret on many random instances."""

import math

import numpy as np
import pytest
from scipy.stats import binom
from tests.every import DEFAULT, OTHER, sampled
from tests.theory.random_bandits import nearest_to_epochs

import hush
from hush.numerics.bound import Setting
from hush.theory.constants import sample_exponent


@pytest.mark.untraced
def test_regret_of_anytime_lazy_ucb_lies_below_its_bounds():
    """Means of 8 runs. All bounds are on the mean; a run above three times one would be rare."""
    nearest = nearest_to_epochs(
        hush.AnytimeLazyUCB,
        seed=16, instances=500, shapes=[1.0, 4.0], largest=1.0, reach=7.0, runs=8,
    )  # fmt: skip
    assert nearest > 0.45  # far from the horizon, too: less than half of it would not hold


@pytest.mark.untraced
@pytest.mark.parametrize("make", sampled([hush.LazyKLUCB, hush.LazyUCBV], 2))
def test_regret_of_the_other_lazy_indices_lies_below_their_bounds(make):
    """Means of 8 runs. All bounds are on the mean; a run above three times one would be rare."""
    found = nearest_to_epochs(
        make, seed=17, instances=120, shapes=[1.0, 4.0], largest=1.0, reach=6.0, runs=8
    )
    assert found > 0.4  # and they are not far above it


@pytest.mark.parametrize(
    ("make", "wanted"),
    [(hush.LazyKLUCB, (9_729, 6_657, 4_865)), (hush.LazyUCBV, (13_312, 9_728, 6_656))],
)
def test_the_bounds_of_the_other_lazy_indices_are_what_the_proofs_page_says(make, wanted):
    for epsilon, value in zip((0.25, 0.5, 1.0), wanted, strict=True):
        found = hush.bounds(make(epsilon), hush.paper_s1(), 10**6)["epochs"].value
        assert math.floor(found) == value


def test_the_divergence_tells_arms_apart_sooner_and_the_plays_after_that_are_few():
    """The sums that the proofs page bounds, and that the index is never much above its peer's."""
    terms = [(1 + math.log2(t)) / t**3 for t in range(2, 10**5)]
    assert 4 * sum(terms) < 2
    assert 9 * sum(terms[14:]) < 1
    means, t = np.linspace(-1, 2, 301), 1000.0
    for count, epsilon in ((1, 0.1), (64, 1.0), (4096, 3.0)):
        mine = hush.LazyKLUCB(epsilon).index(means, count, t, np.array([epsilon]))
        peer = hush.AnytimeLazyUCB(epsilon).index(means, count, t, np.array([epsilon]))
        assert (mine <= np.maximum(peer, math.sqrt(3 * math.log(t) / count)) + 1e-12).all()


def test_a_gap_within_rounding_ends_no_search():
    bound = next(
        bound
        for bound in hush.AnytimeLazyUCB(0.5).bounds(Setting((5e-324, 0.0), 1000, 0.5))
        if bound.name == "epochs"
    )
    assert bound.value == pytest.approx(0.0, abs=1e-300)


def test_the_bound_is_what_it_says():
    report = hush.bounds(hush.AnytimeLazyUCB(0.5), hush.Bernoulli([0.9, 0.4]), 1000)
    logarithm, pulls = math.log(1000), 2**10
    widths = [math.sqrt(3 * logarithm / n) + 6 * logarithm / n for n in (pulls, pulls / 2)]
    assert widths[0] < 0.25 <= widths[1]
    assert report["epochs"].value == 0.5 * 1000  # 2^11 pulls are more than there are rounds
    later = hush.bounds(hush.AnytimeLazyUCB(0.5), hush.Bernoulli([0.9, 0.4]), 10**4)
    assert later["epochs"].value == 0.5 * 2**11
    assert later["gaps, closed form"].value == pytest.approx(48 * math.log(10**4) * 4)
    for epsilon, wanted in ((0.25, 13_312), (0.5, 9_728), (1.0, 8_704)):
        found = hush.bounds(hush.AnytimeLazyUCB(epsilon), hush.paper_s1(), 10**6)
        assert found["epochs"].value == wanted


@pytest.mark.untraced
@pytest.mark.parametrize(
    "means", sampled([[0.5, 5e-324, 0.0], [5e-324, 0.0], [1e-200, 0.0], [1.0, 1e-300]], 4)
)
def test_gaps_whose_squares_are_below_the_smallest_double(means):
    """No horizon shows them; arms that differ by less than 1e-100 count as equally good."""
    for policy in [*DEFAULT, *OTHER]:
        for horizon in (1, 2, 10**18):
            report = hush.bounds(policy, hush.Bernoulli(means), horizon)
            assert all(np.isfinite(bound.value) for bound in report)
            assert 0.0 <= report.lower <= report.upper
    assert sample_exponent(1e-200, 1.0, 1000, 24.0) == 1337


@pytest.mark.parametrize("n", [1, 2, 5, 17, 64, 300, 1024])
@pytest.mark.parametrize("share", [1e-4, 1e-3, 0.01, 0.05, 0.2])
def test_the_empirical_bernstein_bound_of_coins(n, share):
    """Exact chances, at the means just above each bound, where they are largest."""
    averages = np.arange(n + 1) / n
    highs = averages + np.sqrt(2.0 * averages * (1.0 - averages) * share) + 3.0 * share
    chances = [
        binom(n, high).pmf(np.flatnonzero(highs <= high)).sum() for high in highs if high < 1.0
    ]
    assert max(chances, default=0.0) <= math.exp(-n * share)


def test_bounds_of_moss_are_its_sources():
    means, horizon = [0.9, 0.8, 0.5], 10**6
    known = hush.bounds(hush.MOSS(), hush.Bernoulli(means), horizon)
    share = horizon * 0.1**2 / 3
    assert known["gaps"].value == pytest.approx(23 * 3 / 0.1 * math.log(110 * share))
    assert known["any gaps"].value == pytest.approx(25 * math.sqrt(3 * horizon))
    short = hush.bounds(hush.MOSS(), hush.Bernoulli(means), 100)
    assert short["gaps"].value == pytest.approx(23 * 3 / 0.1 * math.log(1e4))
    anytime = hush.bounds(hush.MOSS(anytime=True), hush.Bernoulli(means), horizon)
    wanted = 75 * 3 / 0.1 * (math.log(2 * share) + 1) + 0.4
    assert anytime["gaps"].value == pytest.approx(wanted)
    assert anytime["any gaps"].value == pytest.approx(113 * math.sqrt(3 * horizon) + 0.4)
    assert all(bound.quoted and bound.binding for bound in (known["gaps"], anytime["gaps"]))
    assert not hush.bounds(hush.MOSS(horizon=10), hush.Bernoulli(means), 20)["gaps"].holds
