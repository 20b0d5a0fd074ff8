"""Peaks and level sets of concave functions: narrow, flat, one-sided."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.numerics.concave import level_set, peak


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 30.0),
    st.floats(1e-3, 1e3),
)
def test_the_ends_of_a_parabola(top, sharpness, depth):
    steep = math.exp(sharpness)
    low, high = level_set(lambda x: -steep * (x - top) ** 2, -depth)
    half = math.sqrt(depth / steep)
    assert low == pytest.approx(max(top - half, 0.0), abs=1e-12)
    assert high == pytest.approx(min(top + half, 1.0), abs=1e-12)


@given(st.floats(0.0, 1.0), st.floats(0.1, 1e6), st.floats(0.1, 1e6))
def test_the_peak_of_a_roof(top, left, right):
    assert peak(lambda x: np.minimum(left * (x - top), right * (top - x))) == pytest.approx(
        top, abs=1e-12
    )


def test_ends_lie_outside_or_at_the_border():
    def function(x):
        return -((x - 0.25) ** 2)

    low, high = level_set(function, -1e-3)
    assert function(low) <= -1e-3
    assert function(high) <= -1e-3
    assert level_set(function, -0.1)[0] == 0.0
    assert level_set(function, -1.0) == (0.0, 1.0)


def test_what_is_no_number_is_not_left_out():
    assert level_set(lambda x: np.full_like(x, np.nan), -1.0) == (0.0, 1.0)
