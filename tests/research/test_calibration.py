"""Intervals and chances of insight are right as often as they say, with delayed rewards."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from research.calibration import Runs, live_runs, simulated_runs, table

PAGE = Path(__file__).parents[2] / "docs" / "insight.md"


@cache
def simulated():
    return simulated_runs(25_000, seed=20261118)


def close(one, other):
    """Tell whether two means agree within 3.5 standard errors: a false alarm in 2,000."""
    error = np.sqrt(one.var() / one.size + other.var() / other.size)
    return abs(one.mean() - other.mean()) < 3.5 * error


@pytest.mark.slow
def test_intervals_and_chances_are_right_as_often_as_they_say():
    """75,000 intervals: one that covers 95 % leaves 94 to 96 % with a chance below 1e-20.

    Each tenth of the chances is off by 3.5 standard errors with a chance of 1 in 2,000.
    """
    runs = simulated()
    assert 0.94 < runs.covered.mean() < 0.96
    assert len(runs.deciles()) == 10
    for start, size, _, _, z in runs.deciles():
        assert size > 500, start
        assert abs(z) < 3.5, start


@pytest.mark.slow
def test_live_runs_agree_with_the_simulation_and_with_the_page():
    """Of 200 live runs four figures are compared: a false alarm in 500."""
    runs, live = simulated(), live_runs(200, seed=7)
    assert close(runs.covered, live.covered)
    assert close(runs.chances[runs.best], live.chances[live.best])
    assert close(runs.counts[runs.best], live.counts[live.best])
    assert close((runs.highs - runs.lows).mean(axis=1), (live.highs - live.lows).mean(axis=1))
    assert table(runs, live) in PAGE.read_text()


def test_a_few_runs_have_what_is_asked_for():
    runs = simulated_runs(20, seed=1)
    assert runs.means.shape == runs.chances.shape == (20, 3)
    assert np.allclose(runs.chances.sum(axis=1), 1.0)
    assert (runs.lows < runs.highs).all()
    assert (runs.best.sum(axis=1) == 1).all()
    assert (runs.counts > 0).all()


def test_deciles_find_chances_that_are_wrong():
    """Of 4,000 chances of 0.3 to 0.4 half come true: some 20 standard errors."""
    generator = np.random.default_rng(2)
    means = generator.random((4_000, 2))
    said = np.stack([np.full(4_000, 0.35), np.full(4_000, 0.65)], axis=1)
    wrong = Runs(means, means, means, said, means).deciles()
    assert [(row[0], row[1]) for row in wrong] == [(0.3, 4_000), (0.6, 4_000)]
    assert wrong[0][4] > 10.0
    assert wrong[1][4] < -10.0
