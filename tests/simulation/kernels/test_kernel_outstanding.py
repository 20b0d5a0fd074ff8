"""Pieces of the loops for late rewards: the queue of full batches, and who is played first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.policies.core.first_releases import FirstReleases
from hush.simulation.kernels import outstanding
from hush.simulation.kernels.arms import fresh_arms
from hush.simulation.kernels.outstanding import Batch
from hush.simulation.kernels.records import Problem, Record


@pytest.mark.untraced
@given(st.lists(st.booleans(), max_size=300))
def test_batches_leave_the_queue_as_they_came(steps):
    queue, expected, number = outstanding.no_batches(), [], 0
    for joins in steps:
        if joins:
            batch = Batch(number % 3, number, number + 1, number // 2)
            queue = outstanding.joined(queue, 10 + number, batch)
            expected.append((10 + number, batch))
            number += 1
        elif expected:
            due, batch = expected.pop(0)
            assert outstanding.next_due(queue) == due
            assert outstanding.next_batch(queue) == batch
        assert outstanding.next_due(queue) == (expected[0][0] if expected else outstanding.NEVER)


@pytest.mark.untraced
@given(
    n_arms=st.integers(1, 5),
    wanted=st.integers(1, 6),
    delay=st.integers(0, 40),
    turns=st.booleans(),
)
def test_the_first_arms_are_those_of_a_learner(n_arms, wanted, delay, turns):
    """Round by round, and after all the rounds in turn that come before any reward."""
    plain, arms, came = FirstReleases(n_arms, wanted), [], [0] * n_arms
    skipped = delay if turns else 0
    first = None
    for t in range(1, 150):
        if t == skipped + 1:
            done = np.array([arms.count(arm) for arm in range(n_arms)])
            first = outstanding.new_first(done, skipped, True)
        arm = plain.next()
        if first is not None:
            found = outstanding.first_arm(first, wanted)
            assert found == (-1 if arm is None else arm)
        if arm is None:
            arm = plain.with_release()[t % len(plain.with_release())]
        arms.append(arm)
        plain.decided(arm)
        if first is not None:
            first = outstanding.first_passed(first, arm, t, delay)
        if t > delay:
            told = arms[t - delay - 1]
            plain.settled(told)
            came[told] += 1
            if came[told] == wanted:
                plain.released(told)
                assert outstanding.first_release(first, told) == 1
        if not plain.left:
            return
    pytest.fail("some arm never had a release")


@pytest.mark.untraced
@given(
    n_arms=st.integers(1, 5),
    delay=st.integers(0, 90),
    horizon=st.integers(1, 120),
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=6),
)
def test_turns_fill_the_batches_that_rounds_in_turn_fill(n_arms, delay, horizon, lengths):
    problem = Problem(np.full(n_arms, 0.5), np.array(lengths), 1.0, False, delay)
    points = np.unique([1, (horizon + 1) // 2, horizon])
    pulls = np.zeros((1, points.size, n_arms), np.int64)
    record = Record(points, pulls, True, np.zeros(1, np.int64))
    arms = fresh_arms(problem)
    source = np.random.default_rng(1)
    queue, position, segments, used = outstanding.take_turns(problem, arms, record, 0, source)
    rounds = min(delay, horizon)
    lacking, epoch, filled = [lengths[0]] * n_arms, [0] * n_arms, []
    for t in range(rounds):
        arm = t % n_arms
        lacking[arm] -= 1
        if not lacking[arm]:
            size = lengths[min(epoch[arm], len(lengths) - 1)]
            filled.append((t + 1 + delay, arm, epoch[arm], size))
            epoch[arm] += 1
            lacking[arm] = lengths[min(epoch[arm], len(lengths) - 1)]
    assert [tuple(row[:4]) for row in queue[queue[0, 0] : queue[0, 1]].tolist()] == filled
    assert arms.needed.tolist() == lacking
    assert arms.epochs.tolist() == epoch
    assert arms.played.sum() == rounds
    assert position == (points <= rounds).sum()
    assert (pulls[0, :position].sum(axis=1) == points[:position]).all()
    played = np.repeat(segments[:used, 2], segments[:used, 1])
    assert played.tolist() == [t % n_arms for t in range(rounds)]
