"""Lazy Thompson policies whose rewards come late: windows of rounds, skipped and thinned exactly.

As in :mod:`hush.simulation.kernels.thompson`; but chances change where a release comes due, and not
where a batch is full. So a window may last until the next release, however many batches it fills.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.beta import MOST_PANELS
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Arms, fresh_arms
from hush.simulation.kernels.common import (
    add_segment,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.delayed_arms import absorb, pick
from hush.simulation.kernels.outstanding import (
    filled_by,
    first_arm,
    first_passed,
    first_release,
    new_first,
    next_batch,
    next_due,
    no_batches,
    take_turns,
)
from hush.simulation.kernels.records import Late, Record
from hush.simulation.kernels.thompson import FEW, geometric, rejected, thinned
from hush.simulation.kernels.thompson_windows import (
    MOST_POINTS,
    PLAIN_ROUNDS,
    bound_others,
    end_of_part,
    fit_window,
    smooth_rounds,
)

__all__ = ["leap_delayed_thompson"]


@njit(inline="always", error_model="numpy")
def rounds_ahead(arms: Arms, most: int, delay: int) -> int:
    """Return how many rounds may pass before a release comes: one that waits, or of a new batch."""
    rounds = min(1 + delay, most)
    for j in range(arms.needed.size):
        rounds = min(rounds + arms.needed[j] - 1, most)
    return rounds


class Part(NamedTuple):
    """A part of a window: bounds of the chances, who leads, how rare the others are.

    And the window's middle and half width in ln t, with its polynomials' coefficients.
    """

    coefficients: Floats
    points: int
    bound: Floats
    leader: int
    others: float
    slowness: float
    middle: float
    half: float


@njit(cache=True, nogil=True, error_model="numpy")
def play_part(
    part: Part, done: int, candidate: int, until: int, single: bool, arms: Arms, source: Generator
) -> tuple[int, int, int, int]:
    """Play rounds until ``until``, or until a batch is full; only one stretch if ``single``.

    Returns how many rounds are done, the arm of the last one, the next candidate, and how many
    rounds were looked at. A loop of its own, so that nothing else is looked at in every round.
    """
    coefficients, points, bound = part.coefficients, part.points, part.bound
    leader, others, needed, played = part.leader, part.others, arms.needed, arms.played
    whole, arm, looked = others + bound[leader], leader, 0
    while done < until:
        repeat = 1
        if others < FEW and done + 1 < candidate:
            arm = leader
            repeat = min(needed[leader], until - done, candidate - 1 - done)
        else:
            looked += 1
            u = (np.log(float(done + 1)) - part.middle) / part.half
            if others >= FEW:
                arm = rejected(coefficients, points, bound, whole, u, source)
            else:
                arm = thinned(coefficients, points, bound, leader, others, u, source)
                candidate = done + 2 + geometric(part.slowness, others, source)
        played[arm] += repeat
        needed[arm] -= repeat
        done += repeat
        if single or needed[arm] == 0:
            break
    return done, arm, candidate, looked


@njit(cache=True, nogil=True, error_model="numpy")
def leap_delayed_thompson(
    rule: Rule, parameters: Floats, late: Late, source: Generator, record: Record
) -> tuple[Integers, int, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted, the number of windows and the
    number of rounds that were looked at one by one.
    """
    problem, traits = late.problem, late.traits
    n_arms, horizon = problem.means.size, record.checkpoints[-1]
    handle = parameters.ctypes
    arms = fresh_arms(problem)
    mean, count = arms.means, arms.counts
    edges, bound = np.empty(MOST_PANELS), np.zeros(n_arms)
    coefficients = np.zeros((n_arms, MOST_POINTS))
    queue, segments = no_batches(), no_segments(record)
    position, used = 0, 0
    if traits.explores_first:
        queue, position, segments, used = take_turns(problem, arms, record, 0, source)
    done = arms.played.sum()
    first = new_first(arms.played, done, traits.explores_first)
    left = n_arms if traits.explores_first else 0
    windows, looked = 0, 0
    plain_end, window_end, part_end, candidate = 0, 0, 0, 0
    points, part, leader = 0, 0, 0
    others, slowness, middle, half = 0.0, 0.0, 0.0, 1.0
    while done < horizon and record.stop[0] == 0:
        after = done
        if left > 0 or done < plain_end:
            looked += 1
            arm = first_arm(first, problem.lengths[0]) if left > 0 else -1
            if arm < 0:
                arm = pick(rule, handle, arms, first.waiting, traits, done + 1, source)
        elif done >= window_end:
            rounds = rounds_ahead(arms, min(next_due(queue), horizon) - done, problem.delay)
            rounds = smooth_rounds(rule, handle, mean, count, done + 1, rounds)
            points = 0
            if rounds > PLAIN_ROUNDS:
                points, rounds = fit_window(
                    rule, handle, mean, count, done + 1, rounds, edges, coefficients
                )
            if points == 0:
                plain_end = done + min(rounds, PLAIN_ROUNDS)
                continue
            windows += 1
            window_end, part_end, part = done + rounds, done, 0
            ends = np.log(float(done + 1)), np.log(float(done + rounds))
            middle, half = 0.5 * (ends[0] + ends[1]), max(0.5 * (ends[1] - ends[0]), 1e-300)
            continue
        elif done >= part_end:
            part_end = end_of_part(part, window_end, middle, half)
            leader, others = bound_others(coefficients, points, part, bound)
            slowness = -1.0 / np.log1p(-others) if others < FEW else 0.0
            part += 1
            candidate = done + 1 + geometric(slowness, others, source)
            continue
        else:
            until = min(part_end, next_due(queue), record.checkpoints[position])
            here = Part(coefficients, points, bound, leader, others, slowness, middle, half)
            after, arm, candidate, looks = play_part(
                here, done, candidate, until, record.segments, arms, source
            )
            looked += looks
        if after == done:  # not played yet
            after += 1
            arms.played[arm] += 1
            arms.needed[arm] -= 1
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, after - done, arm)
        done = after
        position = pass_checkpoints(record, 0, position, done, 0, arm, arms.played)
        queue = filled_by(queue, arms, arm, done, problem, source)
        if left > 0:
            first = first_passed(first, arm, done, problem.delay)
        if next_due(queue) == done:
            batch = next_batch(queue)
            absorb(arms, batch, released_sum(batch.total, problem, source), traits.cumulative)
            left -= first_release(first, batch.arm)
            plain_end, window_end = done, done  # what was computed no longer holds
    return segments[:used], windows, looked
