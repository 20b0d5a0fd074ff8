"""Parts (a) and (b) of the paper's corollary follow from its sum over brackets."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.numerics.bound import Setting
from hush.numerics.leader_corollaries import leader_corollaries
from hush.numerics.regret_constants import bracket_sum

GAPS = st.lists(st.floats(0.01, 0.5), min_size=1, max_size=12)


@given(GAPS, st.floats(0.001, 2.0))
def test_both_are_above_the_sum_over_brackets_where_they_hold(gaps, rate):
    setting = Setting((0.75, *(0.75 - gap for gap in gaps)), 1000, 1.0)
    for bound in leader_corollaries(setting, "the paper", rate):
        if bound.holds:
            assert bracket_sum(setting.gaps, rate) <= bound.value * (1.0 + 1e-12)


@pytest.mark.parametrize(
    ("means", "rate", "holds"),
    [
        ((0.6, 0.5, 0.5), 0.5, [True, True]),
        ((0.6, 0.5, 0.1), 0.6, [True, False]),
        ((0.75, 0.5, 0.25), 0.01, [False, True]),
    ],
)
def test_each_has_its_condition(means, rate, holds):
    found = list(leader_corollaries(Setting(means, 1000, 1.0), "the paper", rate))
    assert [bound.holds for bound in found] == holds
    assert [bound.name[:13] for bound in found] == ["corollary (a)", "corollary (b)"]
    assert all(bound.condition for bound in found)
    if holds[1]:
        least = min(0.1 if rate == 0.5 else 0.25, rate)
        assert found[1].value == pytest.approx(512 * (1 + math.log(2)) / least)


def test_equal_arms_have_none():
    assert not list(leader_corollaries(Setting((0.5, 0.5), 10, 1.0), "the paper", 1.0))


def test_what_the_theorem_needs_they_need():
    setting = Setting((0.6, 0.5), 10, 1.0)
    for bound in leader_corollaries(setting, "x", 1.0, proven=False, condition="growth = 2"):
        assert not bound.holds
        assert "growth = 2" in bound.condition
