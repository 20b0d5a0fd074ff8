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
FARTHEST = 2**20  # rounds that a leader is tried for


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
def beta_draw(
    rule: Rule, handle: Handle, mean: float, count: float, t: int, selection: Generator
) -> float:
    """Draw from an arm's Beta law in round ``t``."""
    center = rule(mean, count, float(t), handle)
    return float(beta(selection, center * count + 1.0, (1.0 - center) * count + 1.0))


@njit(inline="always", error_model="numpy")
def largest_draw(
    rule: Rule, handle: Handle, mean: Floats, count: Floats, t: int, selection: Generator
) -> int:
    """Draw once from every arm's Beta law and return the arm of the largest draw."""
    arm, best = 0, -1.0
    for j in range(mean.size):
        draw = beta_draw(rule, handle, mean[j], count[j], t, selection)
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


@njit(inline="always", error_model="numpy")
def sure_leader(
    rule: Rule, handle: Handle, mean: Floats, count: Floats, t: int, span: int
) -> tuple[int, float, float]:
    """Return the leader of round ``t``, its index, and what no other exceeds in ``span`` rounds.

    Indices never fall while statistics stand still, so that the last one is a ceiling.
    """
    arm, best, rival = 0, -np.inf, -np.inf
    for j in range(mean.size):
        index = rule(mean[j], count[j], float(t), handle)
        if index > best:
            arm, best = j, index
    for j in range(mean.size):
        if j != arm and rival < best:
            rival = max(rival, rule(mean[j], count[j], float(t + span - 1), handle))
    return arm, best, rival


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

    Until round ``sure`` the leader has the largest index as long as it exceeds ``rival``, which is
    looked at when the leader's changes. How many rounds that is tried for follows what last held.
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
    sure, span, rival = 0, 1, np.inf
    choose = True
    unreleased = n_arms if traits.explores_first else 0
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if unreleased > 0:
                arm = n_arms - unreleased
            elif choose and traits.relative:
                arm = largest_index(rule, handle, mean, count, largest(mean))
                choose = not traits.commits
            elif choose and t > sure:
                before = arm
                arm, index, rival = sure_leader(rule, handle, mean, count, t, span)
                if index > rival:
                    sure = t + span - 1
                    span = min(2 * span, FARTHEST)
                else:
                    span = max(1, span >> 2) if arm == before else 1
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
                if t < sure and not rule(mean[arm], count[arm], float(t + 1), handle) > rival:
                    sure = t
                    span = max(1, span >> 2)
        copy_row(played, pulls, c)
    return segments[:used]
