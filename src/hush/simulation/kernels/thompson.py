"""The leap engine for lazy Thompson policies: exact in law, by thinning.

Between releases the chance of each arm to win a round depends on time alone, through its centre
``a(t)``, and smoothly so. The engine works on windows of rounds:

1. It interpolates every arm's chance to win over the window
   (:mod:`hush.simulation.kernels.thompson_windows`).
2. On each of 16 parts of the window it bounds each chance from above. With leader l, a round is
   a candidate with probability q, the sum of the others' bounds: it skips geometrically to the next
   candidate, all rounds before being the leader's, picks an arm in proportion to the bounds, and
   accepts it with its true chance over its bound, else plays the leader. Where q is large it draws
   each round by rejection instead.

A window cannot outlast the rounds in which some epoch must end. Where that is soon, rounds are
played one by one with Beta draws, which is cheaper.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.beta import MOST_PANELS
from hush.numerics.compiled.draws import standard_exponential
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import fresh_arms, largest_draw, settle
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.records import Problem, Record, Traits
from hush.simulation.kernels.thompson_windows import (
    MOST_POINTS,
    PLAIN_ROUNDS,
    bound_others,
    end_of_part,
    open_window,
    polynomial,
)

__all__ = ["leap_thompson"]

FOREVER = 2**61
FEW = 0.5  # candidates rarer than this are leapt to; else every round is looked at


@njit(inline="always", error_model="numpy")
def geometric(slowness: float, chance: float, source: Generator) -> int:
    """Draw how many rounds pass before the next candidate; ``slowness`` is -1 / log(1 - chance)."""
    if chance <= 0.0:
        return FOREVER
    return int(min(standard_exponential(source) * slowness, float(FOREVER)))


@njit(inline="always", error_model="numpy")
def thinned(
    coefficients: Floats,
    points: int,
    bound: Floats,
    leader: int,
    others: float,
    u: float,
    source: Generator,
) -> int:
    """Decide a candidate round: an arm other than the leader if it is accepted, else the leader."""
    pick = source.random() * others
    for j in range(bound.size):
        if j != leader:
            if pick < bound[j]:
                return j if pick < np.exp(polynomial(coefficients, j, points, u)) else leader
            pick -= bound[j]
    return leader


@njit(inline="always", error_model="numpy")
def rejected(
    coefficients: Floats, points: int, bound: Floats, whole: float, u: float, source: Generator
) -> int:
    """Decide a round by rejection: propose in proportion to the bounds until one is accepted."""
    while True:
        pick = source.random() * whole
        for j in range(bound.size):
            if pick < bound[j]:
                if pick < np.exp(polynomial(coefficients, j, points, u)):
                    return j
                break
            pick -= bound[j]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_thompson(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    source: Generator,
    record: Record,
) -> tuple[Integers, int, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted, the number of windows and the
    number of rounds that were looked at one by one.
    """
    n_arms = problem.means.size
    handle = parameters.ctypes
    arms = fresh_arms(problem)
    mean, count, needed, played = arms.means, arms.counts, arms.needed, arms.played
    segments = no_segments(record)
    edges = np.empty(MOST_PANELS)
    coefficients = np.zeros((n_arms, MOST_POINTS))
    bound = np.zeros(n_arms)
    horizon, stop = record.checkpoints[-1], record.stop
    unreleased = n_arms if traits.explores_first else 0
    used, position, windows, looked, done = 0, 0, 0, 0, 0
    plain_end, window_end, part_end, candidate = 0, 0, 0, 0
    points, part, leader = 0, 0, 0
    others, slowness, middle, half = 0.0, 0.0, 0.0, 1.0
    while done < horizon and stop[0] == 0:
        repeat = 1
        if unreleased > 0:
            arm = n_arms - unreleased
            repeat = min(needed[arm], horizon - done)
        elif done < plain_end:
            looked += 1
            arm = largest_draw(rule, handle, mean, count, done + 1, source)
        elif done >= window_end:
            points, rounds = open_window(
                rule, handle, arms, done + 1, horizon - done, edges, coefficients
            )
            if points == 0:
                plain_end = done + min(rounds, PLAIN_ROUNDS)
            else:
                windows += 1
                window_end, part_end, part = done + rounds, done, -1
                left, right = np.log(float(done + 1)), np.log(float(done + rounds))
                middle, half = 0.5 * (left + right), max(0.5 * (right - left), 1e-300)
            continue
        elif done >= part_end:
            part += 1
            part_end = end_of_part(part, window_end, middle, half)
            leader, others = bound_others(coefficients, points, part, bound)
            slowness = -1.0 / np.log1p(-others) if others < FEW else 0.0
            candidate = done + 1 + geometric(slowness, others, source)
            continue
        elif others >= FEW:
            looked += 1
            u = (np.log(float(done + 1)) - middle) / half
            arm = rejected(coefficients, points, bound, others + bound[leader], u, source)
        elif done + 1 < candidate:
            arm = leader
            repeat = min(needed[leader], part_end - done, candidate - done - 1)
        else:
            looked += 1
            u = (np.log(float(done + 1)) - middle) / half
            arm = thinned(coefficients, points, bound, leader, others, u, source)
            candidate = done + 2 + geometric(slowness, others, source)
        position = pass_checkpoints(record, 0, position, done, repeat, arm, played)
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, repeat, arm)
        played[arm] += repeat
        needed[arm] -= repeat
        done += repeat
        if needed[arm] == 0:
            drawn = binomial(arms.lengths[arm], problem.means[arm], source)
            released = released_sum(drawn, problem, source)
            settle(arms, arm, released, traits.cumulative, problem.lengths)
            unreleased = max(0, unreleased - 1)
            plain_end, window_end = done, done  # what was computed no longer holds
    return segments[:used], windows, looked
