"""Index policies whose rewards come late: whole stretches of rounds in one step, exactly.

As in :mod:`hush.simulation.kernels.index`, an arm that leads is played for as long as it surely
leads. Here a stretch ends where a release comes due, and a full batch changes nothing: it waits.
Until the first reward comes arms take turns, which is one step; then rounds are looked at one by
one until every arm has a release, about twice as many as their first batches hold.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import fresh_arms
from hush.simulation.kernels.common import (
    add_segment,
    no_segments,
    pass_checkpoints,
)
from hush.simulation.kernels.delayed_arms import absorb, pick, value_of
from hush.simulation.kernels.index import (
    FAR,
    UNKNOWN,
    Watch,
    certified_window,
    find_leader,
)
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

__all__ = ["leap_delayed_index"]


@apart
def play_delayed_index(
    rule: Rule, parameters: Floats, late: Late, source: Generator, record: Record, run: int
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints, unless ``run`` is negative.

    Returns the played segments (start, length, arm) if wanted, and the number of windows. Where
    ``script`` is not empty, its entry (arm, epoch) is released instead of a drawn sum.
    """
    problem, traits = late.problem, late.traits
    n_arms, horizon = problem.means.size, record.checkpoints[-1]
    handle = parameters.ctypes
    arms = fresh_arms(problem)
    mean, count = arms.means, arms.counts
    ceiling, ceiling_until = np.zeros(n_arms), np.zeros(n_arms, np.int64)
    safe_until = np.full(n_arms, UNKNOWN)
    watch = Watch(ceiling, ceiling_until, safe_until)
    queue, segments = no_batches(), no_segments(record)
    position, used = 0, 0
    if traits.explores_first:
        queue, position, segments, used = take_turns(problem, arms, record, run, source)
    done = arms.played.sum()
    first = new_first(arms.played, done, traits.explores_first)
    left = n_arms if traits.explores_first else 0
    leader, windows, committed, trial = 0, 1, -1, FAR
    while done < horizon and record.stop[0] == 0:
        windows += 1
        span = min(next_due(queue), horizon) - done
        window = span if left == 0 else 1
        arm = first_arm(first, problem.lengths[0]) if left > 0 else -1
        if arm < 0:
            arm = committed
        if arm < 0 and (left > 0 or traits.commits or traits.relative):
            arm = pick(rule, handle, arms, first.waiting, traits, done + 1, source)
            committed = arm if traits.commits else -1
        elif arm < 0:
            leader, value = find_leader(
                rule, handle, mean, count, ceiling, ceiling_until, leader, done + 1
            )
            for j in range(n_arms):
                safe_until[j] = UNKNOWN
            tried = min(trial, span)
            window = certified_window(
                rule, handle, mean, count, watch, (leader, value), done + 1, (span, tried)
            )
            trial = FAR if window == span else (window if window < tried else 4 * window)
            arm = leader
        window = min(window, arms.needed[arm])
        position = pass_checkpoints(record, run, position, done, window, arm, arms.played)
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, window, arm)
        arms.played[arm] += window
        arms.needed[arm] -= window
        done += window
        queue = filled_by(queue, arms, arm, done, problem, source)
        if left > 0:
            first = first_passed(first, arm, done, problem.delay)
        if next_due(queue) == done:
            batch = next_batch(queue)
            absorb(arms, batch, value_of(batch, problem, late.script, source), traits.cumulative)
            left -= first_release(first, batch.arm)
            committed = -1 if batch.arm == committed else committed
            ceiling_until[batch.arm] = 0
    return segments[:used], windows


@njit(cache=True, nogil=True, error_model="numpy")
def leap_delayed_index(
    rule: Rule, parameters: Floats, late: Late, source: Generator, record: Record, skipped: int
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of windows of all recorded.
    """
    segments = np.empty((0, 3), np.int64)
    windows = 0
    for run in range(-skipped, record.pulls.shape[0]):
        segments, more = play_delayed_index(rule, parameters, late, source, record, run)
        windows += more if run >= 0 else 0
    return segments, windows
