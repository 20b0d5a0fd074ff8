"""Intervals hold on the laws of the policies, and on those that make it hard."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import hush
from hush.simulation.summary import (
    far_share,
    mean_interval,
    median_interval,
    summarise,
    tells,
    typical,
)


@pytest.mark.parametrize("runs", [5, 10, 20, 100, 1000, 10_000])
@pytest.mark.parametrize("level", [0.95, 0.999])
def test_no_law_of_two_values_is_covered_less_often_than_said(runs, level):
    """Computed, not drawn: regret is 1 with some chance, else 0."""
    counts = np.arange(runs + 1)
    mean = counts / runs
    spread = np.sqrt(mean * (1.0 - mean) * runs / (runs - 1.0))
    # The same mean and deviation as so many ones among zeros.
    ends = np.array([_ends(m, s, runs, level) for m, s in zip(mean, spread, strict=True)])
    for chance in np.concatenate([np.logspace(-5, -0.302, 60), 1.0 - np.logspace(-5, -0.302, 60)]):
        held = (ends[:, 0] <= chance) & (chance <= ends[:, 1])
        assert binom.pmf(counts, runs, chance)[held].sum() >= level - 1e-9


def _ends(mean, spread, runs, level):
    ones = round(mean * runs)
    if runs <= 100:
        values = np.array([[1.0] * ones + [0.0] * (runs - ones)])
        _, low, high = mean_interval(values, 1.0, level)
        return low[0], high[0]
    # Two values at the ends stand for all: the interval depends on mean and deviation alone.
    from scipy.special import stdtrit

    half = stdtrit(runs - 1, 0.5 + level / 2) * spread / math.sqrt(runs)
    unseen = 1.0 - ((1.0 - level) / 2) ** (1.0 / runs)
    return mean - half - unseen * mean, mean + half + unseen * (1.0 - mean)


LAWS = {
    "DPIMED": (hush.DPIMED(0.25), 20_000),
    "DPKLUCB": (hush.DPKLUCB(0.25), 10_000),
    "AnytimeLazyUCB": (hush.AnytimeLazyUCB(1.0), 5000),
    "DPSE": (hush.DPSE(1.0), 5000),
    "RNMFTNL": (hush.RNMFTNL(0.25), 5000),
}


@pytest.fixture(scope="module", params=LAWS, ids=str)
def law(request):
    policy, runs = LAWS[request.param]
    result = hush.simulate(
        policy, hush.paper_s1(), horizon=10**5, runs=runs, seed=5, checkpoints=[10**5]
    )
    return result.regret[0, :, -1], 0.5 * 10**5


@pytest.mark.untraced
@pytest.mark.parametrize("runs", [20, 200, 1000])
def test_what_is_printed_holds_on_the_laws_of_policies(law, runs):
    """2,000 samples each, at least 94 %: 95 % would fail once in 50, and most have 98 %."""
    values, most = law
    generator = np.random.default_rng(3)
    drawn = values[generator.integers(values.size, size=(2000, runs))]
    mean, low, high = mean_interval(drawn, most)
    _, left, right = median_interval(drawn)
    told = tells(mean, low, high)
    truth, middle = values.mean(), np.median(values)
    slack = 1e-9 * truth
    held = np.where(
        told,
        (low <= truth + slack) & (truth - slack <= high),
        (left <= middle + slack) & (middle - slack <= right),
    )
    assert held.mean() >= 0.94


@pytest.mark.untraced
def test_students_interval_alone_would_not_do():
    """DPIMED has rare runs that cost hundreds of times the median: 1,000 runs may have none."""
    policy, runs = LAWS["DPIMED"]
    result = hush.simulate(
        policy, hush.paper_s1(), horizon=10**6, runs=runs, seed=5, checkpoints=[10**6]
    )
    values = result.regret[0, :, -1]
    generator = np.random.default_rng(3)
    drawn = values[generator.integers(values.size, size=(2000, 1000))]
    _, low, high = mean_interval(drawn, 0.5 * 10**6, guarded=False)
    assert ((low <= values.mean()) & (values.mean() <= high)).mean() < 0.9


def test_equal_runs_have_no_interval_of_width_0_for_the_mean():
    values = np.full((1, 20), 60.0)
    mean, low, high = mean_interval(values, 1000.0)
    assert low[0] < mean[0] < high[0]
    assert typical(values[0], 1000.0).text() == "median 60.0 (60.0 to 60.0)"
    assert typical(np.full(2000, 60.0), 1000.0).text() == "60.00 (59.89 to 61.73)"


def test_the_medians_ends_are_the_tables():
    """Ranks from tables of the sign test: 6 runs 1 to 6, 20 runs 6 to 15, 100 runs 40 to 61."""
    for runs, low, high in ((6, 1, 6), (20, 6, 15), (100, 40, 61)):
        values = np.arange(1.0, runs + 1)[None, ::-1]
        _, left, right = median_interval(values)
        assert (left[0], right[0]) == (low, high)
    _, left, right = median_interval(np.arange(5.0)[None])
    assert math.isnan(left[0])
    assert math.isnan(right[0])


def test_which_one_is_printed_depends_on_95_percent_alone():
    values = np.concatenate([np.full(600, 100.0), np.full(600, 110.0)])
    assert typical(values, 7000.0).kind == "mean"
    assert typical(values, 7000.0, 0.9999).kind == "mean"
    assert typical(values, 7000.0, kind="median").kind == "median"
    assert typical(values, 70_000.0).kind == "median"


@given(
    st.lists(st.floats(0.0, 1000.0), min_size=2, max_size=60),
    st.floats(0.5, 0.9999),
)
def test_intervals_hold_the_value_and_stay_in_range(values, level):
    rows = np.array([values])
    mean, low, high = mean_interval(rows, 1000.0, level)
    assert 0.0 <= low[0] <= mean[0] * (1 + 1e-12)
    assert mean[0] <= high[0] <= 1000.0 * (1 + 1e-12)
    wider = mean_interval(rows, 1000.0, 0.5 + level / 2)
    assert wider[1][0] <= low[0] + 1e-9
    assert wider[2][0] >= high[0] - 1e-9
    median, left, right = median_interval(rows, level)
    assert math.isnan(left[0]) or left[0] <= median[0] <= right[0]
    assert 0.0 <= far_share(rows)[0] <= 0.5
    assert summarise(rows, 1000.0)["runs"] == len(values)
