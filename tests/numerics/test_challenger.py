"""The challenger rule's formulas."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.numerics.challenger import Constants, due

RULE = Constants()


def earliness(t, evidence, count, leader, first, n_arms):
    """Return by how many nats a test is earlier in round t, as the page says it."""
    share = (math.log(t) - math.log(n_arms * first) - RULE.rest) / RULE.ramp
    whole = RULE.early * min(1.0, max(evidence, 0.0) / RULE.full) * (first / count) ** (1 / 3)
    whole += RULE.near_one * max(0.0, -math.log(2.0 * (1.0 - leader)))
    return whole * min(1.0, max(0.0, share))


@given(
    evidence=st.floats(-0.6, 40.0),
    count=st.floats(4.0, 1e6),
    leader=st.floats(0.01, 0.999),
    first=st.sampled_from([2.0, 4.0, 16.0]),
    n_arms=st.integers(2, 100),
)
def test_a_test_is_due_in_the_round_that_solves_the_pages_equation(
    evidence, count, leader, first, n_arms
):
    count = max(count, first)
    found = due(evidence, count, leader, first, n_arms, False, RULE)
    left = evidence + math.log(count) + RULE.slow * math.log1p(max(evidence, 0.0))
    left += RULE.many * math.log(max(1.0, n_arms / RULE.few))
    left -= earliness(math.exp(found), evidence, count, leader, first, n_arms)
    assert left == pytest.approx(found, abs=1e-9)


def test_no_second_look_before_every_arm_could_have_been_met():
    late = due(1.0, 10.0, 0.5, 10.0, 100, True, RULE)
    assert due(1.0, 10.0, 0.5, 10.0, 100, False, RULE) == late
    assert due(9.0, 10.0, 0.5, 10.0, 3, False, RULE) < due(9.0, 10.0, 0.5, 10.0, 3, True, RULE) - 3


def test_the_better_the_leader_the_earlier():
    by_leader = [due(9.0, 10.0, leader, 10.0, 3, False, RULE) for leader in (0.3, 0.5, 0.9, 0.99)]
    assert by_leader[0] == by_leader[1] > by_leader[2] > by_leader[3]
