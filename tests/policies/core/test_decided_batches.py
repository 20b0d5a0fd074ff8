"""Batches of decisions: where each decision is, whatever is dropped or taken over."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from hush.errors import ParameterError, StateError
from hush.policies.core.decided_batches import DecidedBatches


def shown(batches):
    return batches.played, batches.released, batches.begun, batches.lacking, batches.waiting


def decided(sizes, many):
    """Return batches of one arm whose sizes are given one after the other."""
    batches, left = DecidedBatches(1), list(sizes)
    for _ in range(many):
        batches.decide(0, left[0])
        if not batches.begun[0]:
            left.pop(0)
    return batches


def test_a_full_batch_waits_and_the_next_one_opens():
    batches = decided([2, 3, 9], 6)
    assert (batches.waiting, batches.begun, batches.lacking) == ([[2, 3]], [1], [8])
    assert batches.waits(0)
    batches.release(0, 2)
    assert batches.waits(0)
    batches.release(0, 3)
    assert not batches.waits(0)
    assert (batches.played, batches.released, batches.waiting) == ([6], [5], [[]])


@examples(100)
@given(st.lists(st.integers(1, 4), min_size=6, max_size=6), st.integers(1, 6), st.integers(0, 6))
def test_a_dropped_decision_was_never_made(sizes, many, more):
    """Whatever it had filled or opened; what comes next goes where it would have gone."""
    batches = decided(sizes, min(many + more, sum(sizes) - 1))
    extra = batches.played[0] - many
    for _ in range(extra):
        batches.drop(0)
    assert shown(batches) == shown(decided(sizes, many if extra > 0 else batches.played[0]))


def test_nothing_released_can_be_dropped():
    batches = decided([2, 2], 2)
    batches.release(0, 2)
    batches.drop(0)
    assert shown(batches) == ([2], [2], [0], [0], [[]])


def test_taking_over_what_is_known_is_no_news():
    batches = decided([2, 3, 9], 6)
    assert not batches.take_over((6,), (1,), (8,))
    assert batches.waiting == [[2, 3]]
    assert batches.take_over((7,), (2,), (7,))
    assert batches.waits(0)
    batches.release(0, 2)  # one release of the two that wait
    assert (batches.waits(0), batches.waiting) == (True, [[3]])
    assert batches.take_over((7,), (0,), (0,))  # closed by its age
    assert (batches.waiting, batches.lacking) == ([[5]], [0])


def test_a_state_is_taken_over():
    batches = decided([2, 3, 9], 6)
    batches.release(0, 2)
    other = DecidedBatches(1)
    other.release(0, 2)
    other.restore(json.loads(json.dumps(batches.state())))
    assert shown(other) == shown(batches)


@pytest.mark.parametrize(
    "damage",
    [{"played": [1, 2]}, {"begun": [1]}, {"lacking": [-1]}, {"waiting": [0]}, {"waiting": [[0]]}],
)
def test_a_damaged_state_is_refused(damage):
    with pytest.raises((StateError, ParameterError)):
        DecidedBatches(1).restore({**decided([2, 3], 2).state(), **damage})
