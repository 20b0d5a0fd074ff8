"""Scored policies, round by round: a score may look at all arms and at a random number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.numerics.compiled.draws import normal
from hush.simulation.kernels.arms import Handle, fresh_arms, settle
from hush.simulation.kernels.common import add_segment, no_segments, released_sum
from hush.simulation.kernels.records import Problem, Record, Streams, Traits

__all__ = ["rounds_scores"]

Score = Any  # a pointer to the rule; numba has no types
UNIFORM, NORMAL = 1, 2  # places in policies' DRAWS


@njit(inline="always", error_model="numpy")
def largest_score(
    score: Score,
    handle: Handle,
    known: tuple[Floats, Floats],
    t: int,
    draws: int,
    source: Generator,
) -> int:
    """Return the arm with the largest score in round ``t``, lowest first on a tie."""
    mean, count = known
    arm, best = 0, -np.inf
    for j in range(mean.size):
        draw = 0.0
        if draws == UNIFORM:
            draw = source.random()
        elif draws == NORMAL:
            draw = normal(source, 0.0, 1.0)
        value = score(j, mean.ctypes, count.ctypes, mean.size, float(t), draw, handle)
        if value > best:
            arm, best = j, value
    return arm


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_scores(
    score: Score,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    draws: int,
    script: Floats,
    streams: Streams,
    record: Record,
) -> Integers:
    """Play one run; fill ``record.pulls`` at the checkpoints, and return segments if wanted.

    Where ``script`` is not empty, its entry (arm, epoch) is released instead of a drawn sum.
    """
    n_arms, horizon = problem.means.size, record.checkpoints[-1]
    arms = fresh_arms(problem)
    known = (arms.means, arms.counts)
    running = np.zeros(n_arms, np.int64)
    segments, used, place = no_segments(record), 0, 0
    unreleased = n_arms if traits.explores_first else 0
    for t in range(1, horizon + 1):
        if record.stop[0] != 0:
            break
        if unreleased > 0:
            arm = n_arms - unreleased
        else:
            arm = largest_score(score, parameters.ctypes, known, t, draws, streams.selection)
        if record.segments:
            segments, used = add_segment(segments, used, t, 1, arm)
        arms.played[arm] += 1
        arms.needed[arm] -= 1
        running[arm] += 1 if streams.reward.random() < problem.means[arm] else 0
        if arms.needed[arm] == 0:
            total = script[arm, arms.epochs[arm]] if script.size else 0.0
            if not script.size:
                total = released_sum(running[arm], problem, streams.noise)
            settle(arms, arm, total, traits.cumulative, problem.lengths)
            running[arm] = 0
            unreleased = max(0, unreleased - 1)
        while place < record.checkpoints.size and record.checkpoints[place] == t:
            copy_row(arms.played, record.pulls[0], place)
            place += 1
    return segments[:used]
