"""The challenger rule's formulas."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.numerics.challenger import Constants, due

RULE = Constants()


def near(leader):
    return max(0.0, -math.log(2.0 * (1.0 - leader)))


def crowd(n_arms):
    return max(1.0, n_arms / RULE.few)


def share(log_time, start):
    """Return how far a ramp that begins at ``start`` has been climbed."""
    return min(1.0, max(0.0, (log_time - start) / RULE.ramp))


def earliness(log_time, evidence, count, leader, first, n_arms):
    """Return by how many nats a test is earlier in a round, as the page says it."""
    whole = RULE.early * min(1.0, max(evidence, 0.0) / RULE.full) * (first / count) ** (1 / 3)
    whole += RULE.near_one * near(leader) / crowd(n_arms)
    return whole * share(log_time, math.log(n_arms * first) + RULE.rest)


def lateness(log_time, leader, first, n_arms):
    """Return by how many nats a crowd makes a test later in a round, as the page says it."""
    start = math.log(n_arms * first / (1.0 - leader)) + RULE.ramp
    whole = RULE.crowded * near(leader) * math.log(crowd(n_arms))
    return whole * (1.0 - share(log_time, start))


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
    left = evidence + math.log(count) + RULE.slow * math.log1p(max(evidence, 0.0))
    left += RULE.many * math.log(crowd(n_arms))
    without = RULE._replace(early=0.0, near_one=0.0)
    late = due(evidence, count, leader, first, n_arms, False, without)
    assert left + lateness(late, leader, first, n_arms) == pytest.approx(late, abs=1e-9)
    found = due(evidence, count, leader, first, n_arms, False, RULE)
    early = earliness(found, evidence, count, leader, first, n_arms)
    assert late - early == pytest.approx(found, abs=1e-9)


def test_no_second_look_before_every_arm_could_have_been_met():
    late = due(1.0, 10.0, 0.5, 10.0, 100, True, RULE)
    assert due(1.0, 10.0, 0.5, 10.0, 100, False, RULE) == late
    assert due(9.0, 10.0, 0.5, 10.0, 3, False, RULE) < due(9.0, 10.0, 0.5, 10.0, 3, True, RULE) - 3


def test_the_better_the_leader_the_earlier():
    by_leader = [due(9.0, 10.0, leader, 10.0, 3, False, RULE) for leader in (0.3, 0.5, 0.9, 0.99)]
    assert by_leader[0] == by_leader[1] > by_leader[2] > by_leader[3]


def test_in_a_crowd_near_one_tests_are_later_until_arms_can_be_told_apart():
    def later(evidence):
        key = due(evidence, 10.0, 0.99, 10.0, 50, True, RULE)
        return key - due(evidence, 10.0, 0.99, 10.0, 50, True, RULE._replace(crowded=0.0))

    assert later(1.0) == pytest.approx(RULE.crowded * near(0.99) * math.log(10.0))
    assert 0.0 < later(9.0) < later(1.0)
    assert later(20.0) == 0.0
