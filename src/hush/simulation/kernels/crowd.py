"""The leap engine for index policies with many arms.

It is that of few arms (:mod:`hush.simulation.kernels.index`), but who leads, and until when, is
found without a look at each arm (:mod:`hush.simulation.kernels.tournament`).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import fresh_arms, settle
from hush.simulation.kernels.ceilings import new_tree
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.records import Problem, Record, Traits
from hush.simulation.kernels.tournament import (
    NOBODY,
    leader_of,
    leads_until,
    new_notes,
    relative_leader,
    replace,
    take_note,
)

__all__ = ["leap_crowd"]


@apart
def play_crowd(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    script: Floats,
    source: Generator,
    record: Record,
    run: int,
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints, unless ``run`` is negative.

    Returns the played segments (start, length, arm) if wanted, and the number of windows. Where
    ``script`` is not empty, its entry (arm, epoch) is released instead of a drawn sum.
    """
    n_arms, handle, stop = problem.means.size, parameters.ctypes, record.stop
    arms = fresh_arms(problem)
    needed, played, horizon = arms.needed, arms.played, record.checkpoints[-1]
    ceiling, until = new_tree(n_arms)
    notes, places, pace = new_notes(n_arms)
    segments, used, position = no_segments(record), 0, 0
    checkpoints = record.checkpoints
    unreleased = n_arms if traits.explores_first else 0
    until_others_lead = not (traits.commits or traits.relative)
    best = NOBODY, -np.inf
    leader, windows, done = 0, 0, 0
    while done < horizon and stop[0] == 0:
        windows += 1
        if unreleased > 0:
            leader = n_arms - unreleased
        elif traits.relative:  # nothing depends on time
            leader, best = relative_leader(rule, handle, notes, ceiling, until, best, leader)
        else:
            asked = leader, done + 1
            leader = leader_of(rule, handle, notes, places, pace, ceiling, until, asked)
        window = min(needed[leader], horizon - done)
        if unreleased == 0 and until_others_lead:
            span = leader, done + 1, done + window
            last = leads_until(rule, handle, notes, places, pace, ceiling, until, span)
            window = last - done
        if checkpoints[position] <= done + window:
            position = pass_checkpoints(record, run, position, done, window, leader, played)
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, window, leader)
        played[leader] += window
        needed[leader] -= window
        done += window
        if needed[leader] == 0:
            if script.size:
                released = script[leader, arms.epochs[leader]]
            else:
                drawn = binomial(arms.lengths[leader], problem.means[leader], source)
                released = released_sum(drawn, problem, source)
            unreleased = max(0, unreleased - 1)
            settle(arms, leader, released, traits.cumulative, problem.lengths)
            take_note(notes, leader, arms.means[leader], arms.counts[leader], done)
            replace(places, ceiling, until, leader)
    return segments[:used], windows


@njit(cache=True, nogil=True, error_model="numpy")
def leap_crowd(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    script: Floats,
    source: Generator,
    record: Record,
    skipped: int,
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of windows of all recorded.
    """
    segments = np.empty((0, 3), np.int64)
    windows = 0
    for run in range(-skipped, record.pulls.shape[0]):
        segments, more = play_crowd(rule, parameters, problem, traits, script, source, record, run)
        windows += more if run >= 0 else 0
    return segments, windows
