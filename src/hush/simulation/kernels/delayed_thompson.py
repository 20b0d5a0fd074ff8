"""Lazy Thompson policies whose rewards come late: windows of rounds, in parts, exactly.

As in :mod:`hush.simulation.kernels.thompson`; but chances change where a release comes due, and not
where a batch is full. So a window may last until the next release, however many batches it fills.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers
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
from hush.simulation.kernels.thompson_counts import play_part, step_part
from hush.simulation.kernels.thompson_parts import new_parts, next_part, no_part, open_parts
from hush.simulation.kernels.thompson_windows import PLAIN_ROUNDS, blank_window, open_window

__all__ = ["leap_delayed_thompson"]


@njit(inline="always", error_model="numpy")
def rounds_ahead(arms: Arms, most: int, delay: int) -> int:
    """Return how many rounds may pass before a release comes: one that waits, or of a new batch."""
    rounds = min(1 + delay, most)
    for j in range(arms.needed.size):
        rounds = min(rounds + arms.needed[j] - 1, most)
    return rounds


@njit(cache=True, nogil=True, error_model="numpy")
def leap_delayed_thompson(
    rule: Rule, parameters: Floats, late: Late, source: Generator, record: Record
) -> tuple[Integers, int, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted, the number of windows and of their
    parts, and the number of rounds that were looked at one by one.
    """
    problem, traits = late.problem, late.traits
    n_arms, horizon = problem.means.size, record.checkpoints[-1]
    handle = parameters.ctypes
    arms, parts = fresh_arms(problem), new_parts(n_arms)
    endless = np.full(n_arms, 2**60)  # a batch that is full does not end a window
    queue, segments = no_batches(), no_segments(record)
    position, used = 0, 0
    if traits.explores_first:
        queue, position, segments, used = take_turns(problem, arms, record, 0, source)
    done = arms.played.sum()
    first = new_first(arms.played, done, traits.explores_first)
    left = n_arms if traits.explores_first else 0
    steps, looked = 0, 0
    plain_end, candidate = done, done
    part, window = no_part(done), blank_window()
    while done < horizon and record.stop[0] == 0:
        after, stretch = done, 1
        if left > 0 or done < plain_end:
            looked += 1
            arm = first_arm(first, problem.lengths[0]) if left > 0 else -1
            if arm < 0:
                arm = pick(rule, handle, arms, first.waiting, traits, done + 1, source)
        elif done >= part.window_end:
            rounds = rounds_ahead(arms, min(next_due(queue), horizon) - done, problem.delay)
            window = open_window(
                rule, handle, arms, done + 1, rounds, endless, parts.coefficients, window
            )
            if window.points == 0:
                plain_end = done + min(window.rounds, PLAIN_ROUNDS)
            else:
                steps += 1
                part = open_parts(parts, window, done)
            continue
        elif done >= part.end:
            steps += 1
            part, candidate = next_part(parts, part), done
            continue
        else:
            until = min(part.end, next_due(queue), record.checkpoints[position])
            if record.segments:
                looked += 1
                stretch, arm, candidate = step_part(
                    parts, part, window, done, candidate, until, arms.needed, source
                )
            else:
                after, arm, looks = play_part(
                    parts, part, window, done, until, arms.needed, arms.played, source
                )
                looked += looks
        if after == done:  # not played yet
            after += stretch
            arms.played[arm] += stretch
            arms.needed[arm] -= stretch
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, after - done, arm)
        done = after
        position = pass_checkpoints(record, 0, position, done, 0, arm, arms.played)
        if arm >= 0:
            queue = filled_by(queue, arms, arm, done, problem, source)
        if left > 0:
            first = first_passed(first, arm, done, problem.delay)
        if next_due(queue) == done:
            batch = next_batch(queue)
            absorb(arms, batch, released_sum(batch.total, problem, source), traits.cumulative)
            left -= first_release(first, batch.arm)
            plain_end = done  # what was computed no longer holds
            part = no_part(done)
    return segments[:used], steps, looked
