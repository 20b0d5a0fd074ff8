"""Figures made of measured ones lie between what the intervals allow."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.studies.report.measured import Measured, off_the_line, slope

ENDS = st.tuples(*[st.floats(0.1, 1000.0)] * 3).map(sorted)
ONE = ENDS.map(lambda ends: Measured(ends[1], ends[0], ends[2]))


@given(ONE, ONE)
def test_differences_and_ratios_reach_their_ends(one, other):
    corners = [a - b for a, b in product((one.low, one.high), (other.low, other.high))]
    found = one - other
    assert (found.low, found.high) == (min(corners), max(corners))
    ratio = one.log() - other.log()
    corners = [a / b for a, b in product((one.low, one.high), (other.low, other.high))]
    assert math.exp(ratio.low) == pytest.approx(min(corners))
    assert math.exp(ratio.high) == pytest.approx(max(corners))


@given(st.lists(ONE, min_size=3, max_size=3))
def test_slopes_reach_their_ends(values):
    x = [0.0, 1.0, 3.0]
    found = slope(x, values)

    def steep(y):
        return slope(x, [Measured(each, each, each) for each in y]).value

    corners = [steep(y) for y in product(*((each.low, each.high) for each in values))]
    assert found.value == pytest.approx(steep([each.value for each in values]))
    assert found.low == pytest.approx(min(corners))
    assert found.high == pytest.approx(max(corners))


def test_what_is_not_above_0_has_no_logarithm():
    assert math.isnan(Measured(-1.0, -2.0, 3.0).log().value)
    assert Measured(1.0, -2.0, 3.0).log().low == -math.inf
    middle = [Measured(0.0, -1.0, 1.0), Measured(1.0, -math.inf, 2.0), Measured(2.0, 1.0, 3.0)]
    assert slope([0.0, 1.0, 2.0], middle) == Measured(1.0, 0.0, 2.0)  # the middle has no weight


def test_points_within_their_intervals_are_on_the_line():
    near = [Measured(v, v - 0.3, v + 0.3) for v in (0.0, 1.2, 2.0)]
    assert off_the_line([0.0, 1.0, 2.0], near) == 0.0
    far = [Measured(v, v, v) for v in (0.0, 3.0, 0.0)]
    assert off_the_line([0.0, 1.0, 2.0], far) == pytest.approx(2.0)
