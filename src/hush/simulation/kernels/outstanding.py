"""What is outstanding where rewards come late: full batches, and arms that have no release yet.

The reward of round t is known once round ``t + delay`` is decided. Every reward is late by the same
number of rounds, so that batches are released in the order in which they were filled: one queue
holds those of all arms. While a batch waits there, its arm's next one is filled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.posterior import Posteriors, Releases, extend
from hush.numerics.prior import Prior
from hush.simulation.kernels.arms import Arms
from hush.simulation.kernels.common import add_segment, binomial, doubled, length_of, no_segments
from hush.simulation.kernels.records import Problem, Record

__all__ = [
    "Batch",
    "First",
    "filled",
    "filled_by",
    "first_arm",
    "first_passed",
    "first_release",
    "joined",
    "learnt",
    "new_first",
    "next_batch",
    "next_due",
    "no_batches",
    "open_next",
    "take_turns",
]

NEVER = 2**62


class Batch(NamedTuple):
    """A full batch: its arm, which of the arm's batches it is, how many rewards, and their sum."""

    arm: int
    epoch: int
    size: int
    total: int


@njit(inline="always", error_model="numpy")
def no_batches() -> Integers:
    """Return an empty queue. Its first row says where the next batch is, and where the last ends.

    Every other row is a batch, and after which round it is released.
    """
    queue = np.zeros((16, 5), np.int64)
    queue[0, 0] = queue[0, 1] = 1
    return queue


@njit(inline="always", error_model="numpy")
def next_due(queue: Integers) -> int:
    """Return after which round the next batch is released."""
    return queue[queue[0, 0], 0] if queue[0, 0] < queue[0, 1] else NEVER


@njit(inline="always", error_model="numpy")
def next_batch(queue: Integers) -> Batch:
    """Take the next batch out of the queue."""
    row = queue[queue[0, 0]]
    queue[0, 0] += 1
    return Batch(row[1], row[2], row[3], row[4])


@njit(inline="always", error_model="numpy")
def learnt(
    posteriors: Posteriors, told: Floats, batch: Batch, value: float, problem: Problem, prior: Prior
) -> Floats:
    """Let an arm's posterior know a release; return what was told: counts and values, by arm."""
    arm, at = 2 * batch.arm, batch.epoch
    if at == told.shape[1]:
        told = doubled(told)
    told[arm, at], told[arm + 1, at] = float(batch.size), value
    known = Releases(
        told[arm, : at + 1], told[arm + 1, : at + 1], problem.epsilon, problem.gaussian
    )
    extend(posteriors, batch.arm, known, prior)
    return told


@apart
def joined(queue: Integers, due: int, batch: Batch) -> Integers:
    """Put a batch at the end of the queue, and return the queue."""
    first, end = queue[0, 0], queue[0, 1]
    if end == queue.shape[0]:
        waiting = end - first
        roomy = np.zeros((max(16, 2 * waiting + 2), 5), np.int64)
        for i in range(waiting):
            for k in range(5):
                roomy[1 + i, k] = queue[first + i, k]
        queue, end = roomy, 1 + waiting
        queue[0, 0] = 1
    queue[end, 0], queue[end, 1], queue[end, 2] = due, batch.arm, batch.epoch
    queue[end, 3], queue[end, 4] = batch.size, batch.total
    queue[0, 1] = end + 1
    return queue


@njit(inline="always", error_model="numpy")
def open_next(arms: Arms, arm: int, lengths: Integers) -> None:
    """Open an arm's next batch."""
    arms.epochs[arm] += 1
    arms.lengths[arm] = length_of(lengths, arms.epochs[arm])
    arms.needed[arm] = arms.lengths[arm]


@njit(inline="always", error_model="numpy")
def filled(
    queue: Integers, arms: Arms, arm: int, total: int, done: int, problem: Problem
) -> Integers:
    """Let the arm's batch, which the last round filled, wait; open the next; return the queue."""
    batch = Batch(arm, arms.epochs[arm], arms.lengths[arm], total)
    open_next(arms, arm, problem.lengths)
    return joined(queue, done + problem.delay, batch)


@njit(inline="always", error_model="numpy")
def filled_by(
    queue: Integers, arms: Arms, arm: int, done: int, problem: Problem, source: Generator
) -> Integers:
    """Do so if the arm's batch is full, with a sum that is drawn at once; return the queue."""
    if arms.needed[arm] > 0:
        return queue
    total = binomial(arms.lengths[arm], problem.means[arm], source)
    return filled(queue, arms, arm, total, done, problem)


class First(NamedTuple):
    """Which arms have no release yet, and how many decisions of theirs count towards it.

    The twin of :class:`hush.policies.core.first_releases.FirstReleases`. ``rounds`` holds how many
    rounds were played in turn and how many one by one since then; ``arms`` the arms of the latter.
    """

    waiting: NDArray[np.bool_]
    claimed: Integers
    outstanding: Integers
    rounds: Integers
    arms: Integers


@njit(inline="always", error_model="numpy")
def new_first(played: Integers, turns: int, explores: bool) -> First:
    """Return where arms stand after so many rounds in turn, of which no reward has come."""
    waiting = np.full(played.size, explores)
    return First(
        waiting, played.copy(), played.copy(), np.array([turns, 0]), np.empty(64, np.int64)
    )


@apart
def first_arm(first: First, wanted: int) -> int:
    """Return the arm to play for its first release; -1 where the rule may choose.

    Fewest outstanding first, then the lowest; an arm with enough of them is left alone once another
    has a release.
    """
    best, left_alone, released = -1, True, False
    for j in range(first.waiting.size):
        if not first.waiting[j]:
            released = True
            continue
        enough = first.claimed[j] >= wanted and first.outstanding[j] > 0
        fewer = best < 0 or first.outstanding[j] < first.outstanding[best]
        if best < 0 or (left_alone and not enough) or (enough == left_alone and fewer):
            best, left_alone = j, enough
    return -1 if left_alone and released else best


@apart
def first_decided(first: First, arm: int) -> First:
    """Take note of a decision, while an arm has no release."""
    known, arms = first.rounds[1], first.arms
    if known == arms.size:
        arms = np.empty(2 * known, np.int64)
        for i in range(known):
            arms[i] = first.arms[i]
    arms[known] = arm
    first.rounds[1] = known + 1
    first.claimed[arm] += 1
    first.outstanding[arm] += 1
    return First(first.waiting, first.claimed, first.outstanding, first.rounds, arms)


@njit(inline="always", error_model="numpy")
def first_passed(first: First, arm: int, t: int, delay: int) -> First:
    """Take note of the decision of round ``t``, and of the reward that comes after it, if any."""
    first = first_decided(first, arm)
    turns, settled = first.rounds[0], t - delay
    if settled >= 1:
        known = settled <= turns
        told = (settled - 1) % first.waiting.size if known else first.arms[settled - 1 - turns]
        first.outstanding[told] -= 1
    return first


@njit(inline="always", error_model="numpy")
def first_release(first: First, arm: int) -> int:
    """Take note of an arm's release; return by how many fewer arms have none."""
    had_none = first.waiting[arm]
    first.waiting[arm] = False
    return 1 if had_none else 0


@apart
def take_turns(
    problem: Problem, arms: Arms, record: Record, run: int, source: Generator
) -> tuple[Integers, int, Integers, int]:
    """Play the rounds in which no reward has come: arms that want a release take turns.

    Returns the queue, how many checkpoints are passed, and the segments with their number. After
    that ``played.sum()`` rounds are done.
    """
    n_arms = problem.means.size
    rounds = min(problem.delay, record.checkpoints[-1])
    position = 0
    while position < record.checkpoints.size and record.checkpoints[position] <= rounds:
        point = record.checkpoints[position]
        for j in range(n_arms):
            if run >= 0:
                record.pulls[run, position, j] = point // n_arms + (j < point % n_arms)
        position += 1
    queue, segments, used = no_batches(), no_segments(record), 0
    if record.segments:
        for t in range(rounds):
            segments, used = add_segment(segments, used, t + 1, 1, t % n_arms)
    for j in range(n_arms):
        arms.played[j] = rounds // n_arms + (j < rounds % n_arms)
    released, epoch, more = 0, 0, True
    while more:  # every arm's batch of this number, then of the next: the order of their last round
        more = False
        length = length_of(problem.lengths, epoch)
        for j in range(n_arms):
            if length <= arms.played[j] - released:
                last = (released + length - 1) * n_arms + j + 1
                total = binomial(length, problem.means[j], source)
                queue = joined(queue, last + problem.delay, Batch(j, epoch, length, total))
                open_next(arms, j, problem.lengths)
                more = True
        for j in range(n_arms):
            if arms.epochs[j] == epoch:  # its open batch
                arms.needed[j] = length - (arms.played[j] - released)
        released += length
        epoch += 1
    return queue, position, segments, used
