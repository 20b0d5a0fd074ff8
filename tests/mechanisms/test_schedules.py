import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import ParameterError
from hush.mechanisms import EveryRound, Fixed, Geometric
from hush.mechanisms.schedules import GrowingTotal


def test_one_length():
    schedule = Fixed(3)
    assert [schedule.length(epoch) for epoch in (0, 1, 10**9)] == [3, 3, 3]
    assert [schedule.after(total) for total in (0, 1, 2, 3, 10**15)] == [3, 2, 1, 3, 2]
    for bad in (0, -1, 1.5, 2**63, True):
        with pytest.raises(ParameterError, match="each"):
            Fixed(bad)


def test_doubling():
    assert [Geometric().length(r) for r in range(62)] == [2**r for r in range(62)]
    assert Geometric().length(1000) == 2**62
    assert EveryRound().length(10**9) == 1


def test_other_ratios_are_rounded_up_and_capped():
    uneven = Geometric(1.5)
    assert [uneven.length(r) for r in (0, 1, 2, 50)] == [1, 2, 3, math.ceil(1.5**50)]
    assert uneven.length(105) == math.ceil(1.5**105) < 2**62
    assert uneven.length(106) == 2**62 < 1.5**106


def test_totals_grow_by_their_ratio():
    assert [GrowingTotal().length(r) for r in range(64)] == [1, *(2**r for r in range(63))]
    lengths = [GrowingTotal(1.5, first=4).length(r) for r in range(6)]
    assert lengths == [4, 2, 3, 5, 7, 11]  # totals 4, 6, 9, 14, 21, 32
    slow = GrowingTotal(1.001)
    assert [slow.length(r) for r in (0, 1, 1000, 1001, 1998)] == [1, 1, 1, 2, 4]
    assert slow.length(1) == 1  # whatever was asked for before


class Interleaved(list):
    """Lets another thread extend the totals between a look at the last one and what follows."""

    def __getitem__(self, place):
        value = super().__getitem__(place)
        if not isinstance(place, slice) and len(self) == 3:
            self.append(2 * super().__getitem__(2))
        return value


def test_two_threads_that_extend_one_schedule_agree():
    schedule = GrowingTotal()
    object.__setattr__(schedule, "_totals", Interleaved([0, 1, 2]))
    assert [schedule.length(r) for r in (2, 3, 4, 5)] == [2, 4, 8, 16]


def test_a_total_beyond_any_horizon_ends_no_epoch():
    for schedule in (
        GrowingTotal(),
        GrowingTotal(1.5, first=3),
        GrowingTotal(1e6),
        GrowingTotal(1.001),
    ):
        assert schedule.length(200_000) == schedule.length(100_000) == 2**62
        assert sum(schedule.lengths(2**62).tolist()) >= 2**62
    assert GrowingTotal(first=2**62).length(0) == GrowingTotal(first=2**62).length(1) == 2**62
    assert GrowingTotal(1.5, first=2**62).length(1) == 2**62
    assert GrowingTotal(4.0, first=2**62 - 1).length(1) == 2**62
    with pytest.raises(ParameterError, match="first must"):
        GrowingTotal(first=2**62 + 1)


@given(st.floats(1.01, 50.0), st.integers(1, 10**18))
def test_lengths_cover_the_horizon_and_grow(growth, horizon):
    lengths = Geometric(growth).lengths(horizon)
    assert lengths.dtype == np.int64
    assert (np.diff(lengths) >= 0).all()
    assert sum(lengths.tolist()) >= horizon
    assert sum(lengths.tolist()[:-1]) < horizon


@pytest.mark.parametrize("growth", [1.0, 0.5, -2, math.nan, math.inf, "2", True, 1e6 + 0.5])
def test_growth_is_checked(growth):
    with pytest.raises(ParameterError, match="growth"):
        Geometric(growth)


def test_the_ends_of_what_a_ratio_may_be_are_in():
    assert [Geometric(growth).length(1) for growth in (1.001, 1e6)] == [2, 10**6]


@pytest.mark.parametrize("schedule", [Geometric(), EveryRound()], ids=str)
def test_lengths_are_whole_numbers_of_one_kind(schedule):
    lengths = schedule.lengths(1)
    assert lengths.dtype == np.int64
    assert lengths.tolist() == [1]


SCHEDULES = [EveryRound(), Geometric(), Geometric(1.5), GrowingTotal(), GrowingTotal(1.3, first=7)]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_after_whole_epochs_comes_the_next_one(schedule):
    total = 0
    for epoch in range(20):
        assert schedule.after(total) == schedule.length(epoch)
        total += schedule.length(epoch)


@given(st.sampled_from(SCHEDULES), st.integers(0, 5_000))
def test_an_epoch_that_was_cut_short_is_made_up_for(schedule, total):
    wanted = schedule.after(total)
    assert wanted >= 1
    ends = np.cumsum([schedule.length(epoch) for epoch in range(total + 2)][: total + 2])
    assert total + wanted == ends[ends > total][0]


def test_after_very_many_the_next_is_capped():
    assert 1 <= Geometric().after(2**70) <= 2**62
    assert 1 <= GrowingTotal().after(2**70) <= 2**62
