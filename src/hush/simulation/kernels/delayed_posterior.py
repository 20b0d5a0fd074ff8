"""Policies that sample from posteriors of releases that come late: a race per batch, exactly.

As in :mod:`hush.simulation.kernels.posterior`, every round is won by arm j with the same chance
until a release comes. A race tells which batch is full first; it waits, and the next race is run
with the same chances. Where a release comes due before any batch is full, the rounds until then
are multinomial, given that none is.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.numerics.compiled.posterior import Posteriors, blank_posteriors
from hush.numerics.compiled.posterior_chances import blank_grid, win_chances
from hush.numerics.prior import Prior
from hush.simulation.kernels.arms import fresh_arms
from hush.simulation.kernels.common import add_segment, binomial, no_segments, released_sum
from hush.simulation.kernels.outstanding import (
    filled,
    first_arm,
    first_passed,
    first_release,
    learnt,
    new_first,
    next_batch,
    next_due,
    no_batches,
    take_turns,
)
from hush.simulation.kernels.posterior import FIRST_ROOM, LOST, drawn_arm, stretch
from hush.simulation.kernels.records import Problem, Record, Streams

__all__ = ["leap_delayed_posterior", "rounds_delayed_posterior"]


@apart
def chances_among(
    posteriors: Posteriors, prior: Prior, waiting: NDArray[np.bool_], chances: Floats
) -> None:
    """Fill in the chances to win of the arms that have a release, among each other."""
    known = np.flatnonzero(~waiting)
    part = Posteriors(
        posteriors.edges[known],
        posteriors.panels[known],
        posteriors.series[known],
        posteriors.base[known],
        posteriors.integral[known],
    )
    among = np.zeros(known.size)
    win_chances(part, prior, 0, blank_grid(), among)
    for j in range(chances.size):
        chances[j] = 0.0
    for i in range(known.size):
        chances[known[i]] = among[i]


@apart
def play_delayed_posterior(
    problem: Problem, prior: Prior, by_round: bool, streams: Streams, record: Record
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments if wanted (round by round only), and the number of stretches, or
    ``LOST``.
    """
    means, checkpoints, n_arms = problem.means, record.checkpoints, problem.means.size
    posteriors, grid = blank_posteriors(n_arms), blank_grid()
    told = np.empty((2 * n_arms, FIRST_ROOM))
    arms = fresh_arms(problem)
    running, wins = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64)
    chances, stale = np.zeros(n_arms), False
    queue, segments = no_batches(), no_segments(record)
    position, used, stretches, left = 0, 0, 0, n_arms
    if not by_round:
        queue, position, segments, used = take_turns(problem, arms, record, 0, streams.reward)
    done = arms.played.sum()
    first = new_first(arms.played, done, True)
    while done < checkpoints[-1] and record.stop[0] == 0:
        stretches += 1
        arm = first_arm(first, problem.lengths[0]) if left > 0 else -1
        if arm < 0 and left > 0 and stale:
            chances_among(posteriors, prior, first.waiting, chances)
            stale = False
        if by_round or left > 0:
            if arm < 0:
                arm = drawn_arm(chances, streams.selection)
            for j in range(n_arms):
                wins[j] = 0
            wins[arm] = 1
            full = arm if arms.needed[arm] == 1 else -1
            if by_round and streams.reward.random() < means[arm]:
                running[arm] += 1
            if record.segments:
                segments, used = add_segment(segments, used, done + 1, 1, arm)
        else:
            until = min(next_due(queue), checkpoints[position])
            full = stretch(chances, arms.needed, until - done, streams.selection, wins)
        for j in range(n_arms):
            arms.played[j] += wins[j]
            arms.needed[j] -= wins[j]
            done += wins[j]
        while position < checkpoints.size and checkpoints[position] <= done:
            copy_row(arms.played, record.pulls[0], position)
            position += 1
        if full >= 0:
            total = running[full]
            if not by_round:
                total = binomial(arms.lengths[full], means[full], streams.reward)
            queue = filled(queue, arms, full, total, done, problem)
            running[full] = 0
        if left > 0:
            first = first_passed(first, arm, done, problem.delay)
        if next_due(queue) == done:
            batch = next_batch(queue)
            value = released_sum(batch.total, problem, streams.noise)
            told = learnt(posteriors, told, batch, value, problem, prior)
            left -= first_release(first, batch.arm)
            stale = True
            if left == 0:
                grid = win_chances(posteriors, prior, batch.arm, grid, chances)
                if not chances[batch.arm] >= 0.0:
                    return segments[:used], LOST
    return segments[:used], stretches


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_delayed_posterior(
    problem: Problem, prior: Prior, streams: Streams, record: Record
) -> tuple[Integers, int]:
    """Play one run, round by round; return its segments, and the number of rounds."""
    return play_delayed_posterior(problem, prior, True, streams, record)


@njit(cache=True, nogil=True, error_model="numpy")
def leap_delayed_posterior(
    problem: Problem, prior: Prior, streams: Streams, record: Record
) -> tuple[Integers, int]:
    """Play one run, a stretch at a time; return no segments, and the number of stretches."""
    return play_delayed_posterior(problem, prior, False, streams, record)
