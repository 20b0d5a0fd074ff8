import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import ParameterError
from hush.mechanisms import EveryRound, Geometric


def test_doubling():
    assert [Geometric().length(r) for r in range(62)] == [2**r for r in range(62)]
    assert Geometric().length(1000) == 2**62
    assert EveryRound().length(10**9) == 1


@given(st.floats(1.01, 50.0), st.integers(1, 10**18))
def test_lengths_cover_the_horizon_and_grow(growth, horizon):
    lengths = Geometric(growth).lengths(horizon)
    assert lengths.dtype == np.int64
    assert (np.diff(lengths) >= 0).all()
    assert sum(lengths.tolist()) >= horizon
    assert sum(lengths.tolist()[:-1]) < horizon


@pytest.mark.parametrize("growth", [1.0, 0.5, -2, math.nan, math.inf, "2", True, 1e7])
def test_growth_is_checked(growth):
    with pytest.raises(ParameterError, match="growth"):
        Geometric(growth)


@pytest.mark.parametrize("schedule", [Geometric(), EveryRound()], ids=str)
def test_lengths_are_whole_numbers_of_one_kind(schedule):
    lengths = schedule.lengths(1)
    assert lengths.dtype == np.int64
    assert lengths.tolist() == [1]
