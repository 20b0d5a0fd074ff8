"""Rules for sums: exact for polynomials, and panels that leave nothing out."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.numerics.panels import cell_rule, layout, panel_rule, rule
from hush.numerics.running_sums import RunningSums


@pytest.mark.parametrize("length", [1, 5, 12, 13, 40, 1000, 12345])
def test_rules_sum_polynomials_of_degree_23(length):
    points, weights = rule(length)
    assert points.size == min(length, 12)
    assert points.min() >= -1e-9
    assert points.max() <= length - 1 + 1e-9
    middle = (length - 1) / 2
    scale = max(middle, 1.0)
    for degree in (0, 1, 2, 7, 22):
        plain = (((np.arange(length) - middle) / scale) ** degree).sum()
        assert weights @ ((points - middle) / scale) ** degree == pytest.approx(plain, abs=1e-9)


def test_rules_do_not_break_at_the_largest_lengths():
    points, weights = rule(2**45)
    assert weights.sum() == pytest.approx(2.0**45, rel=1e-12)
    assert (weights > 0).all()
    assert (np.diff(points) > 0).all()


@given(
    st.integers(-1000, 1000),
    st.integers(1, 10**6),
    st.lists(st.tuples(st.floats(-2e3, 2e5), st.floats(1.0, 1e5), st.floats(0.0, 1e4)), max_size=6),
    st.sets(st.integers(-1000, 10**5), max_size=3),
)
def test_panels_cover_the_range_and_respect_zones_and_cuts(low, length, zones, cuts):
    rows = np.array([(s, s + w, step) for s, w, step in zones]).reshape(-1, 3)
    edges = layout(low, low + length, rows, cuts)
    assert edges[0] == low
    assert edges[-1] == low + length
    assert all(a < b for a, b in itertools.pairwise(edges))
    assert {c for c in cuts if low < c < low + length} <= set(edges)
    for start, end in itertools.pairwise(edges):
        for zone_start, zone_end, step in rows:
            if zone_start <= start < zone_end:
                assert end - start <= max(12, step)
    points, weights = panel_rule(edges)
    assert weights.sum() == pytest.approx(length)
    assert points.size == weights.size


@pytest.mark.parametrize("scale", [1e-4, 0.01, 0.3, 0.99, 1.0, 7.0, 100.0])
def test_cells_hold_noise_that_begins_at_either_end(scale):
    points, weights = cell_rule(scale)
    mass = scale * -np.expm1(-1.0 / scale)
    assert weights @ np.exp(-points / scale) == pytest.approx(mass, rel=1e-9)
    assert weights @ np.exp((points - 1.0) / scale) == pytest.approx(mass, rel=1e-9)
    assert weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("count", [1, 30, 64, 65, 100, 129, 5000, 10**6])
def test_running_sums_are_sums(count):
    sums = RunningSums(lambda n: np.array([1.0 / n, np.exp(-n / 500.0)]))
    numbers = np.arange(1, count + 1)
    plain = [(1.0 / numbers).sum(), np.exp(-numbers / 500.0).sum()]
    assert sums.total(count) == pytest.approx(plain, rel=1e-10)
