"""What the loops of index and Thompson policies share: statistics of arms, and a loop by rounds.

A policy's rule comes in as a function pointer, so that one compiled (and cached) loop serves
every policy of its family, your own included.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers, copy_row, largest
from hush.numerics.compiled.draws import beta
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.common import add_segment, no_segments, released_sum
from hush.simulation.kernels.records import Problem, Record, Streams, Traits

__all__ = ["Arms", "rounds_arms"]

Handle = Any  # a bare pointer to a rule's parameters


class Arms(NamedTuple):
    """What is known of every arm, and where its epoch stands."""

    counts: Floats
    totals: Floats
    means: Floats
    epochs: Integers
    lengths: Integers
    needed: Integers
    played: Integers


@njit(inline="always", error_model="numpy")
def fresh_arms(problem: Problem) -> Arms:
    """Return arms of which nothing is known."""
    n_arms = problem.means.size
    length = np.full(n_arms, problem.lengths[0])
    return Arms(
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms, np.int64),
        length,
        length.copy(),
        np.zeros(n_arms, np.int64),
    )


@njit(inline="always", error_model="numpy")
def settle(arms: Arms, arm: int, released: float, cumulative: bool, lengths: Integers) -> None:
    """Let a release replace the arm's statistic, or add to it, and open its next epoch."""
    if cumulative:
        arms.totals[arm] += released
        arms.counts[arm] += arms.lengths[arm]
    else:
        arms.totals[arm] = released
        arms.counts[arm] = arms.lengths[arm]
    arms.means[arm] = arms.totals[arm] / arms.counts[arm]
    arms.epochs[arm] += 1
    arms.lengths[arm] = lengths[min(arms.epochs[arm], lengths.size - 1)]
    arms.needed[arm] = arms.lengths[arm]


@njit(inline="always", error_model="numpy")
def largest_draw(
    rule: Rule, handle: Handle, mean: Floats, count: Floats, t: int, selection: Generator
) -> int:
    """Draw once from every arm's Beta law and return the arm of the largest draw."""
    arm, best = 0, -1.0
    for j in range(mean.size):
        center = rule(mean[j], count[j], float(t), handle)
        draw = beta(selection, center * count[j] + 1.0, (1.0 - center) * count[j] + 1.0)
        if draw > best:
            arm, best = j, draw
    return arm


@njit(inline="always", error_model="numpy")
def largest_index(rule: Rule, handle: Handle, mean: Floats, count: Floats, x: float) -> int:
    """Return the arm with the largest index, lowest first on a tie.

    ``x`` is what all arms' indices have in common: the round, or the best mean.
    """
    arm, best = 0, -np.inf
    for j in range(mean.size):
        index = rule(mean[j], count[j], x, handle)
        if index > best:
            arm, best = j, index
    return arm


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_arms(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    script: Floats,
    streams: Streams,
    record: Record,
) -> Integers:
    """Play one run round by round; fill ``record.pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted. Where ``script`` is not empty, its
    entry (arm, epoch) is released instead of a drawn sum.
    """
    means, lengths = problem.means, problem.lengths
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    n_arms = means.size
    handle = parameters.ctypes
    arms = fresh_arms(problem)
    count, mean, needed, played = arms.counts, arms.means, arms.needed, arms.played
    running = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, t, arm = 0, 0, 0
    choose = True
    unreleased = n_arms if traits.explores_first else 0
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if unreleased > 0:
                arm = n_arms - unreleased
            elif traits.thompson:
                arm = largest_draw(rule, handle, mean, count, t, streams.selection)
            elif choose:
                x = largest(mean) if traits.relative else float(t)
                arm = largest_index(rule, handle, mean, count, x)
                choose = not traits.commits
            if record.segments:
                segments, used = add_segment(segments, used, t, 1, arm)
            played[arm] += 1
            needed[arm] -= 1
            if streams.reward.random() < means[arm]:
                running[arm] += 1
            if needed[arm] == 0:
                if script.size:
                    released = script[arm, arms.epochs[arm]]
                else:
                    released = released_sum(running[arm], problem, streams.noise)
                settle(arms, arm, released, traits.cumulative, lengths)
                running[arm] = 0
                choose = True
                unreleased = max(0, unreleased - 1)
        copy_row(played, pulls, c)
    return segments[:used]
