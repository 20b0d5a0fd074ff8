"""Chances to win a noisy argmax, against computations that share no code with them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import binom

from hush.noise.laws import SUM_LAWS
from hush.numerics.noisy_sums import win_chances

NOISES = ("exponential", "laplace", "gumbel")


def laplace_above(x):
    """Return ``P(Y > -x)`` for a standard Laplace Y."""
    return 1.0 - 0.5 * np.exp(-x) if x >= 0 else 0.5 * np.exp(x)


def lead(law, x):
    """Return the chance that the first of two sums wins which is x scales ahead: closed forms."""
    if law == "gumbel":
        return 1.0 / (1.0 + math.exp(-x))
    if law == "exponential":
        return laplace_above(x)
    half = 0.5 * math.exp(-abs(x)) * (1.0 + 0.5 * abs(x))  # the difference of two Laplace
    return 1.0 - half if x >= 0 else half


def winner_law(law, sums, scale):
    """Return the law of the winner given the sums, in closed form."""
    sums = np.asarray(sums, dtype=float)
    if law == "none":
        return np.eye(sums.size)[int(sums.argmax())]
    if law == "gumbel":
        weights = np.exp((sums - sums.max()) / scale)
        return weights / weights.sum()
    if law == "laplace":
        first = lead(law, (sums[0] - sums[1]) / scale)
        return np.array([first, 1.0 - first])
    found = []  # exponential: expand the product of the others' functions
    for j, own in enumerate(sums):
        others = np.delete(sums, j)
        start = max(0.0, (others.max() - own) / scale)
        total = 0.0
        for size in range(others.size + 1):
            for chosen in itertools.combinations(others, size):
                ahead = sum((own - other) / scale for other in chosen)
                total += (-1) ** size * math.exp(-ahead - (1 + size) * start) / (1 + size)
        found.append(total)
    return np.array(found)


def enumerated(means, n, law, scale):
    """Return the chances by going through all outcomes."""
    masses = [binom.pmf(np.arange(n + 1), n, mean) for mean in means]
    chances = np.zeros(len(means))
    for sums in itertools.product(range(n + 1), repeat=len(means)):
        weight = math.prod(mass[s] for mass, s in zip(masses, sums, strict=True))
        if weight > 0.0:
            chances += weight * winner_law(law, sums, scale)
    return chances


@pytest.mark.parametrize("law", SUM_LAWS)
@pytest.mark.parametrize("scale", [0.02, 0.5, 2.0, 40.0])
@pytest.mark.parametrize(
    ("means", "n"),
    [
        ([0.3, 0.6], 1),
        ([0.5, 0.5], 7),
        ([0.0, 1.0], 3),
        ([1.0, 0.98], 40),
        ([0.2, 0.8, 0.7], 5),
        ([0.0, 0.4, 1.0], 4),
        ([0.45, 0.5, 0.45], 9),
    ],
)
def test_small_sizes_by_enumeration(law, scale, means, n):
    if law == "laplace" and len(means) > 2:
        means = means[:2]
    found = win_chances(np.array(means), n, law, scale)
    assert found == pytest.approx(enumerated(means, n, law, scale), abs=1e-9)


@pytest.mark.parametrize("law", NOISES)
@pytest.mark.parametrize("scale", [0.3, 2.0, 30.0, 1000.0])
@pytest.mark.parametrize(("one", "two"), [(0.5, 0.47), (0.02, 0.01), (0.999, 0.98)])
def test_two_arms_of_thousands_of_tosses_by_a_double_sum(law, scale, one, two):
    n = 3000
    lag = np.convolve(
        binom.pmf(np.arange(n + 1), n, one), binom.pmf(np.arange(n + 1), n, two)[::-1]
    )
    ahead = [
        lead(law, (d - n) / scale) if abs(d - n) / scale < 700 else d > n for d in range(2 * n + 1)
    ]
    wanted = float(lag @ np.array(ahead, dtype=float))
    found = win_chances(np.array([one, two]), n, law, scale)
    assert found[0] == pytest.approx(wanted, abs=1e-9)
    assert found.sum() == pytest.approx(1.0, abs=1e-9)


def laplace_by_cells(means, n, scale):
    """Return Laplace chances by plain sums in cells of a unit, and twelve points in each."""
    points, weights = np.polynomial.legendre.leggauss(12)
    starts = np.arange(-math.ceil(60 * scale), n + math.ceil(60 * scale))
    x = (starts[:, None] + 0.5 * (points + 1.0)).ravel()
    w = np.tile(0.5 * weights, starts.size)
    away = (x[:, None] - np.arange(n + 1)) / scale
    small = 0.5 * np.exp(-np.abs(away))
    mass = np.array([binom.pmf(np.arange(n + 1), n, mean) for mean in means])
    below, density = mass @ np.where(away > 0, 1 - small, small).T, mass @ small.T / scale
    return np.array(
        [(w * density[j] * np.delete(below, j, 0).prod(axis=0)).sum() for j in range(len(means))]
    )


@pytest.mark.parametrize("scale", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("n", [3, 60])
def test_many_arms_with_laplace_noise(scale, n):
    means = np.array([0.2, 0.5, 0.55, 0.55, 0.9, 0.0])
    wanted = laplace_by_cells(means, n, scale)
    assert win_chances(means, n, "laplace", scale) == pytest.approx(wanted, abs=1e-9)


def exponential_by_cells(means, n, scale, low, high):
    """Return exponential chances by plain sums from low to high, twelve points to a cell."""
    points, weights = np.polynomial.legendre.leggauss(12)
    starts = np.arange(low, high)
    x = (starts[:, None] + 0.5 * (points + 1.0)).ravel()
    w = np.tile(0.5 * weights, starts.size)
    away = (x[:, None] - np.arange(n + 1)) / scale
    rest = np.where(away > 0, np.exp(-np.maximum(away, 0.0)), 0.0)
    mass = np.array([binom.pmf(np.arange(n + 1), n, mean) for mean in means])
    below, density = mass @ ((away > 0) - rest).T, mass @ rest.T / scale
    product = np.exp(np.log(np.maximum(below, 1e-300)).sum(axis=0))
    return ((w * product) * density / np.maximum(below, 1e-300)).sum(axis=1)


@pytest.mark.untraced
@pytest.mark.parametrize("scale", [0.7, 4.0, 10.0])
@pytest.mark.parametrize(
    ("low", "high", "n"),
    [(0.5, 0.501, 12), (0.5, 0.51, 700), (0.3, 0.7, 300), (0.02, 0.021, 900), (0.499, 0.501, 1700)],
)
def test_many_arms_close_together(low, high, n, scale):
    """300 arms: functions between few means, steps from place to place, and only noise on top."""
    means = np.linspace(low, high, 300)
    spread = 14.0 * math.sqrt(n * high * (1.0 - high)) + 20.0
    ends = max(0, int(n * low - spread)), int(min(n, n * high + spread) + 45 * scale)
    wanted = exponential_by_cells(means, n, scale, *ends)
    assert win_chances(means, n, "exponential", scale) == pytest.approx(wanted, rel=1e-8, abs=1e-13)


@pytest.mark.parametrize("law", NOISES)
def test_equal_arms_among_many(law):
    """Groups of equal arms share what one of them would win alone, had the others its law."""
    means = np.repeat(np.linspace(0.5, 0.52, 40), 5)
    found = win_chances(means, 2**14, law, 4.0)
    apart = win_chances(means + np.tile(np.arange(5) * 1e-13, 40), 2**14, law, 4.0)
    assert found == pytest.approx(apart, rel=1e-7)
    assert found.sum() == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(("law", "variance"), [("laplace", 2.0), ("exponential", 1.0)])
def test_the_longest_epochs_are_normal_to_ten_digits(law, variance):
    """Around 1/2 a binomial of 2^40 tosses has no skewness: the normal law errs by about 1e-12."""
    n, gap, scale = 2**40, 4e-7, 20.0
    means = np.array([0.5 + gap / 2, 0.5 - gap / 2])
    spread = math.sqrt(2 * n * (0.25 - gap**2 / 4) + 2 * variance * scale**2)
    found = win_chances(means, n, law, scale)
    assert found[0] == pytest.approx(float(ndtr(n * gap / spread)), abs=1e-9)


def test_rare_wins_have_good_digits():
    """Two arms far apart: the chance is that of a tail, in closed form for coins that are sure."""
    found = win_chances(np.array([1.0, 0.0]), 100, "exponential", 2.0)
    assert found[1] == pytest.approx(0.5 * math.exp(-50.0), rel=1e-9)
    found = win_chances(np.array([1.0, 0.0]), 60, "gumbel", 2.0)
    assert found[1] == pytest.approx(1.0 / (1.0 + math.exp(30.0)), rel=1e-9)


@given(
    st.lists(
        st.one_of(st.floats(0.0, 1.0), st.floats(0.4999, 0.5001), st.floats(1 - 1e-10, 1.0)),
        min_size=2,
        max_size=8,
    ),
    st.integers(0, 40),
    st.sampled_from(SUM_LAWS),
    st.floats(-5.0, 9.0),
)
def test_chances_add_up_and_follow_the_order_of_means(means, exponent, law, power):
    chances = win_chances(np.array(means), 2**exponent, law, math.exp(power))
    assert (chances >= 0.0).all()
    assert chances.sum() == pytest.approx(1.0, abs=1e-8)
    if law != "none":  # ties favour low positions there
        order = np.argsort(means, kind="stable")
        assert (np.diff(chances[order]) >= -1e-7).all()
