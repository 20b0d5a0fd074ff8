"""Improved UCB: round by round, and a phase a step.

As in :mod:`~hush.simulation.kernels.elimination` a phase is one binomial draw per survivor. Here
means are of all rewards so far, and lengths are known beforehand.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.simulation.kernels.common import binomial, no_segments
from hush.simulation.kernels.elimination import add_turns, eliminate, pass_turns, toss_turns
from hush.simulation.kernels.records import Phases, Problem, Record, Streams

__all__ = ["leap_improved_ucb", "rounds_improved_ucb"]


@apart
def play_improved_ucb(
    problem: Problem,
    phases: Phases,
    by_round: bool,
    script: Floats,
    streams: Streams,
    record: Record,
    run: int,
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints, unless ``run`` is negative.

    Returns the played segments if wanted, and the number of phases. Where ``script`` is not empty,
    its entry (arm, phase) is the sum of a phase instead of a drawn one.
    """
    means, horizon, stop = problem.means, record.checkpoints[-1], record.stop
    n_arms = means.size
    survivors, size = np.arange(n_arms), n_arms
    mean, total = np.zeros(n_arms), np.zeros(n_arms)
    sums = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, done, position, phase = 0, 0, 0, 0
    while done < horizon and stop[0] == 0:
        window = horizon - done
        whole = size > 1 and phases.pulls[phase] <= window // size
        if whole:
            window = phases.pulls[phase] * size
        if record.segments:
            segments, used = add_turns(segments, used, done, window, survivors, size)
        position = pass_turns(record, run, position, done, window, survivors, size, played)
        done += window
        if by_round:
            toss_turns(means, survivors, size, window, sums, streams.reward, stop)
        if not whole:
            continue
        best = survivors[0]
        for i in range(size):
            arm = survivors[i]
            if script.size:
                total[arm] += script[arm, phase]
            elif by_round:
                total[arm] += sums[i]
            else:
                total[arm] += binomial(phases.pulls[phase], means[arm], streams.reward)
            mean[arm] = total[arm] / played[arm]
            best = arm if mean[arm] > mean[best] else best
        size = eliminate(survivors, size, mean, phases.slacks[phase])
        phase += 1
        if phase == phases.pulls.size and size > 1:
            survivors[0], size = best, 1
    return segments[:used], phase


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_improved_ucb(
    problem: Problem, phases: Phases, script: Floats, streams: Streams, record: Record
) -> Integers:
    """Play one run, drawing every reward."""
    return play_improved_ucb(problem, phases, True, script, streams, record, 0)[0]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_improved_ucb(
    problem: Problem,
    phases: Phases,
    script: Floats,
    streams: Streams,
    record: Record,
    skipped: int,
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of phases of all recorded.
    """
    segments = np.empty((0, 3), np.int64)
    steps = 0
    for run in range(-skipped, record.pulls.shape[0]):
        segments, more = play_improved_ucb(problem, phases, False, script, streams, record, run)
        steps += more if run >= 0 else 0
    return segments, steps
