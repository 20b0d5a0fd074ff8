"""NoiseAwareIMED, whose rewards come late: a stretch a step, exactly.

As in :mod:`hush.simulation.kernels.batches`, what is played until the next release is known. Here a
full batch waits, and its arm is not tested meanwhile; the leader's next one opens. Before the first
release arms get their first batches and then take turns, of which whole cycles are one step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Integers
from hush.numerics.compiled.evidence import mean_of
from hush.numerics.prior import UNIFORM
from hush.simulation.kernels.batches import (
    FIRST_ROOM,
    LONGEST,
    Arms,
    blank_arms,
    blank_tests,
    turn,
    weigh,
)
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    no_segments,
    pass_checkpoints,
)
from hush.simulation.kernels.delayed_arms import value_of
from hush.simulation.kernels.outstanding import (
    Batch,
    joined,
    learnt,
    next_batch,
    next_due,
    no_batches,
)
from hush.simulation.kernels.records import LateBatches, Problem, Record, Streams

__all__ = ["leap_delayed_batches", "rounds_delayed_batches"]


class Open(NamedTuple):
    """The open batch of every arm: its number, how long it will be, and its sum so far."""

    epochs: Integers
    sizes: Integers
    running: Integers


@njit(inline="always", error_model="numpy")
def open_if_none(arms: Arms, opened: Open, arm: int, leader: int, first: int) -> None:
    """Open a batch of the arm, unless one is open: the leader's total doubles.

    So does that of an arm that is played on without a release.
    """
    if arms.needed[arm] > 0:
        return
    size = arms.played[arm] if arm == leader else arms.lengths[arm]
    if arms.released[arm] == 0:
        size = max(first, arms.played[arm])
    opened.sizes[arm] = arms.needed[arm] = size


@njit(inline="always", error_model="numpy")
def wait_if_full(
    queue: Integers,
    arms: Arms,
    opened: Open,
    arm: int,
    last: int,
    problem: Problem,
    streams: Streams,
    by_round: bool,
) -> Integers:
    """Let the arm's batch wait if round ``last`` has filled it; return the queue."""
    if arms.needed[arm] > 0:
        return queue
    total, size = opened.running[arm], opened.sizes[arm]
    if not by_round:
        total = binomial(size, problem.means[arm], streams.reward)
    batch = Batch(arm, opened.epochs[arm], size, total)
    opened.epochs[arm] += 1
    opened.running[arm] = 0
    arms.waiting[arm] += size
    return joined(queue, last + problem.delay, batch)


@njit(inline="always", error_model="numpy")
def without_release(arms: Arms, first: int) -> int:
    """Return the arm of a round in which nothing has been released: first batches, then turns."""
    arm = 0
    for j in range(arms.played.size):
        if max(first - 1, arms.played[j]) < max(first - 1, arms.played[arm]):
            arm = j
    return arm


@njit(inline="always", error_model="numpy")
def whole_cycles(arms: Arms, opened: Open, first: int, rounds: int) -> int:
    """Return for how many cycles all arms take turns before a batch is full; 0 where none."""
    for j in range(arms.played.size):
        if arms.played[j] < first or arms.played[j] != arms.played[0]:
            return 0
    if rounds < arms.played.size:
        return 0
    for j in range(arms.played.size):
        open_if_none(arms, opened, j, -1, first)
    return int(min(arms.needed[0], rounds // arms.played.size))


@apart
def cycle(
    arms: Arms, record: Record, position: int, segments: Integers, used: int, cycles: int
) -> tuple[int, Integers, int]:
    """Play all arms in turn; return how many checkpoints are passed, and segments."""
    n_arms, done = arms.played.size, arms.played.sum()
    while (
        position < record.checkpoints.size
        and record.checkpoints[position] <= done + cycles * n_arms
    ):
        more = record.checkpoints[position] - done
        for j in range(n_arms):
            record.pulls[0, position, j] = arms.played[j] + more // n_arms + (j < more % n_arms)
        position += 1
    if record.segments:
        for t in range(cycles * n_arms):
            segments, used = add_segment(segments, used, done + t + 1, 1, t % n_arms)
    for j in range(n_arms):
        arms.played[j] += cycles
        arms.needed[j] -= cycles
    return position, segments, used


@apart
def play_delayed_batches(
    late: LateBatches, by_round: bool, streams: Streams, record: Record
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments if wanted, and the number of stretches. Where ``script`` is not
    empty, its entry (arm, epoch) is released instead of a drawn sum.
    """
    problem, rule, script = late.problem, late.rule, late.script
    n_arms, first, horizon = problem.means.size, problem.lengths[0], record.checkpoints[-1]
    arms, tests = blank_arms(n_arms, first), blank_tests(n_arms)
    zeros = np.zeros((3, n_arms), np.int64)
    opened = Open(zeros[0], zeros[1], zeros[2])
    told = np.empty((2 * n_arms, FIRST_ROOM))
    queue, segments = no_batches(), no_segments(record)
    used, done, position, stretches, arm, leader, testing, rounds = 0, 0, 0, 0, 0, -1, -1, 0
    while done < horizon and record.stop[0] == 0:
        stretches += 1
        ahead = min(next_due(queue), horizon) - done
        cycles = 0
        if leader < 0 and not by_round:
            cycles = whole_cycles(arms, opened, first, ahead)
        if cycles > 0:
            position, segments, used = cycle(arms, record, position, segments, used, cycles)
            done += cycles * n_arms
            for j in range(n_arms):
                last = done - n_arms + j + 1
                queue = wait_if_full(queue, arms, opened, j, last, problem, streams, False)
        else:
            if testing >= 0:
                arm, rounds = testing, LONGEST
            elif leader < 0:
                arm = without_release(arms, first)
                rounds = max(1, first - arms.played[arm])
            elif rounds <= 0:
                arm, rounds = turn(arms, tests, leader, done)
                testing = arm if arm != leader else -1
            open_if_none(arms, opened, arm, leader, first)
            window = 1 if by_round else min(arms.needed[arm], rounds, ahead)
            position = pass_checkpoints(record, 0, position, done, window, arm, arms.played)
            if record.segments:
                segments, used = add_segment(segments, used, done + 1, window, arm)
            if by_round and streams.reward.random() < problem.means[arm]:
                opened.running[arm] += 1
            arms.played[arm] += window
            arms.needed[arm] -= window
            done += window
            rounds -= window
            queue = wait_if_full(queue, arms, opened, arm, done, problem, streams, by_round)
            if testing >= 0 and arms.needed[testing] == 0:
                testing, rounds = -1, 0
        if next_due(queue) == done:
            batch = next_batch(queue)
            value = value_of(batch, problem, script, streams.noise)
            told = learnt(arms.posteriors, told, batch, value, problem, UNIFORM)
            arms.means[batch.arm] = mean_of(arms.posteriors, batch.arm)
            arms.released[batch.arm] += batch.size
            arms.waiting[batch.arm] -= batch.size
            leader = weigh(arms, tests, batch.arm, leader, first, rule, problem.epsilon)
            rounds = 0
    return segments[:used], stretches


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_delayed_batches(late: LateBatches, streams: Streams, record: Record) -> Integers:
    """Play one run, round by round; return its segments."""
    return play_delayed_batches(late, True, streams, record)[0]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_delayed_batches(
    late: LateBatches, streams: Streams, record: Record
) -> tuple[Integers, int]:
    """Play one run, a stretch at a time; return its segments, and the number of stretches."""
    return play_delayed_batches(late, False, streams, record)
