import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import ParameterError, RewardError
from hush.mechanisms import RewardRange

finite = st.floats(-1e12, 1e12)


@given(finite, st.floats(1e-3, 1e12), st.floats(0, 1))
def test_a_reward_in_range_maps_into_the_unit_interval(low, width, part):
    ends = RewardRange(low, low + width)
    unit = ends.unit(min(ends.high, max(ends.low, low + part * width)))
    assert 0.0 <= unit <= 1.0
    assert ends.unit(ends.low) == 0.0
    assert ends.unit(ends.high) == 1.0


@pytest.mark.parametrize("kind", [int, float, np.int64, np.float32, np.uint8])
def test_number_types(kind):
    assert RewardRange().unit(kind(1)) == 1.0


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, -math.inf, -1e-9, 1.0000001, True, np.True_, None, "1", 1j, [1.0]]
)
def test_bad_rewards_are_refused_and_not_shown(bad):
    with pytest.raises(RewardError) as caught:
        RewardRange().unit(bad)
    assert "1.0000001" not in str(caught.value)
    with pytest.raises(RewardError):
        RewardRange().units([0.0, bad], 2)


@pytest.mark.parametrize(
    "bad", [(1, 1), (1, 0), (math.nan, 1), (0, math.inf), ("0", 1), (False, True), (0,), 3, "01"]
)
def test_bad_ranges_are_refused(bad):
    with pytest.raises(ParameterError, match="reward_range"):
        RewardRange.of(bad)


def test_vectors():
    assert RewardRange(0, 2).units(np.array([0, 1, 2]), 3) == [0.0, 0.5, 1.0]
    for bad in ([1.0], [1.0] * 3, 1.0, "ab", {0: 1.0, 1: 1.0}, None):
        with pytest.raises(RewardError):
            RewardRange().units(bad, 2)


def test_ends_are_floats_and_may_be_far_apart():
    ends = RewardRange(0, 1)
    assert (type(ends.low), type(ends.high)) == (float, float)
    assert RewardRange(1e308, 1.7e308).unit(1.7e308) == 1.0
    with pytest.raises(ParameterError, match="reward_range"):
        RewardRange(-1e308, 1e308)  # their distance is no double


def test_a_number_of_fewer_bits_stays_within_the_unit_interval():
    """As float32 these lie on the ends of the range; as doubles, just outside."""
    assert float(np.float32(0.1)) > 0.1
    assert RewardRange(0, 0.1).unit(np.float32(0.1)) == 1.0
    assert float(np.float32(0.7)) < 0.7
    assert RewardRange(0.7, 1).unit(np.float32(0.7)) == 0.0


def test_refusals_say_what_kind_of_thing_it_was():
    for bad, why in (("1", "not str"), (math.nan, "NaN"), (-math.inf, "NaN"), (2.0, "outside")):
        with pytest.raises(RewardError, match=why):
            RewardRange().unit(bad)
