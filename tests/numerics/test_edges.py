"""Edges of panels: where a density has fallen, and where several posteriors live."""

from itertools import pairwise

import numpy as np
import pytest

from hush.numerics import edges as plain
from hush.numerics.compiled import edges as compiled
from hush.numerics.edges import DROPS, common_edges

TWINS = pytest.mark.parametrize("twin", [plain, compiled], ids=["plain", "compiled"])
POINTS = np.array([0.1, 0.18, 0.3, 0.45, 0.5, 0.64, 0.8, 0.93])


@TWINS
def test_edges_of_a_normal_density_are_exact(twin):
    """Its top lies between points, and so do the places where it has fallen."""
    found = twin.drop_edges(POINTS, -900 * (POINTS - 0.57) ** 2, 0.0, 1.0)
    reach = np.sqrt(DROPS / 900)
    assert found == pytest.approx(np.concatenate((0.57 - reach[::-1], 0.57 + reach)), abs=1e-12)


@TWINS
def test_what_never_falls_far_reaches_the_ends(twin):
    for logs in (np.zeros(8), POINTS, -POINTS, np.abs(POINTS - 0.5) * 1e-3):
        assert (twin.drop_edges(POINTS, logs, 0.0, 1.0) == [0.0, 1.0]).all()


@TWINS
def test_a_density_that_only_falls_has_its_top_at_the_end(twin):
    found = twin.drop_edges(POINTS, -100 * POINTS, 0.0, 1.0)
    assert found[0] == 0.0
    assert found.size == 1 + DROPS.size
    fallen = 100 * (found[1:] - POINTS[0])
    assert np.abs(fallen - DROPS).max() < 0.5 * 100 * np.diff(POINTS).max()


def test_both_twins_lay_the_same_grid():
    generator = np.random.default_rng(1)
    for n_arms in (1, 2, 5):
        rows = [np.sort(generator.random(12)) ** generator.uniform(0.2, 3) for _ in range(n_arms)]
        start, end = max(row[0] for row in rows), max(row[-1] for row in rows)
        grid = compiled.common_edges(np.array(rows), np.full(n_arms, 11))
        assert grid == pytest.approx(common_edges(rows, start, end), abs=1e-15)
        for row in rows:  # no panel is wider than one of a posterior that it touches
            for left, right in pairwise(grid):
                touched = (row[1:] > left) & (row[:-1] < right)
                assert right - left <= np.diff(row)[touched].min(initial=np.inf) + 1e-15
