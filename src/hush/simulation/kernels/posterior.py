"""The engine of policies that sample from posteriors of releases: a race per release, exactly.

Between releases nothing changes with time, so every round is won by arm j with the same chance
``p_j``. In the time of a Poisson process the wins of different arms are independent: arm j needs
``Gamma(r_j) / p_j`` for the ``r_j`` rewards that its batch still lacks. The first to be done ends
the stretch; every other arm j has won ``Binomial(r_j - 1, its share of the time)`` rounds.

Where a checkpoint comes first, the counts at the checkpoint are multinomial, given that no arm has
reached its batch's end: they are drawn until that holds, once on average.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.numerics.compiled.draws import standard_gamma
from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend
from hush.numerics.compiled.posterior_chances import blank_grid, win_chances
from hush.numerics.prior import Prior
from hush.simulation.kernels.common import add_segment, binomial, doubled, no_segments, released_sum
from hush.simulation.kernels.records import Problem, Record, Streams

__all__ = ["leap_posterior", "rounds_posterior"]

FIRST_ROOM = 64  # for an arm's releases; it grows
FAR = 4e18
LOST = -1  # for the number of stretches, where chances are no numbers any more


@apart
def multinomial(rounds: int, chances: Floats, source: Generator, wins: Integers) -> None:
    """Draw how many of the rounds each arm wins."""
    left, rest = rounds, 1.0
    last = 0
    for j in range(chances.size):
        wins[j] = 0
        if chances[j] > chances[last]:
            last = j
    for j in range(chances.size):
        if j != last and left > 0 and chances[j] > 0.0:
            wins[j] = binomial(left, min(1.0, chances[j] / rest), source)
            left -= wins[j]
            rest = max(rest - chances[j], 1e-300)
    wins[last] = left


@apart
def race(chances: Floats, needed: Integers, source: Generator, wins: Integers) -> int:
    """Draw which arm's batch is full first, and how many rounds each arm wins until then.

    Returns that arm, or -1 if it is farther away than any horizon.
    """
    n_arms = chances.size
    times = np.empty(n_arms)
    first = -1
    for j in range(n_arms):
        times[j] = np.inf
        if chances[j] > 0.0:
            times[j] = standard_gamma(source, float(needed[j])) / chances[j]
        if first < 0 or times[j] < times[first]:
            first = j
    if times[first] > FAR:
        return -1
    for j in range(n_arms):
        wins[j] = 0
        if j != first and times[j] < np.inf and needed[j] > 1:
            wins[j] = binomial(needed[j] - 1, times[first] / times[j], source)
    wins[first] = needed[first]
    return first


@njit(inline="always", error_model="numpy")
def drawn_arm(chances: Floats, selection: Generator) -> int:
    """Draw the arm of a round."""
    arm, target, reach = 0, selection.random(), chances[0]
    while arm < chances.size - 1 and target >= reach:
        arm += 1
        reach += chances[arm]
    return arm


@njit(inline="always", error_model="numpy")
def stretch(
    chances: Floats, needed: Integers, rounds: int, selection: Generator, wins: Integers
) -> int:
    """Draw the wins of all arms until a batch is full, or for that many rounds if none is.

    Returns the arm whose batch is full, or -1.
    """
    full = race(chances, needed, selection, wins)
    total = 0
    for j in range(chances.size):
        total += wins[j]
    if full >= 0 and total <= rounds:
        return full
    within = False
    while not within:
        multinomial(rounds, chances, selection, wins)
        within = True
        for j in range(chances.size):
            within = within and wins[j] < needed[j]
    return -1


@apart
def play_posterior(
    problem: Problem,
    prior: Prior,
    by_round: bool,
    streams: Streams,
    record: Record,
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments if wanted (round by round only), and the number of stretches, or
    ``LOST``.
    """
    means, lengths = problem.means, problem.lengths
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    n_arms = means.size
    horizon = checkpoints[-1]
    posteriors, grid = blank_posteriors(n_arms), blank_grid()
    counts, values = np.empty((n_arms, FIRST_ROOM)), np.empty((n_arms, FIRST_ROOM))
    epoch = np.zeros(n_arms, np.int64)
    length = np.full(n_arms, lengths[0])
    needed = length.copy()
    running = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    wins = np.zeros(n_arms, np.int64)
    chances = np.zeros(n_arms)
    segments = no_segments(record)
    used, done, position, stretches, unreleased = 0, 0, 0, 0, n_arms
    while done < horizon and stop[0] == 0:
        stretches += 1
        until = checkpoints[position]
        if by_round or unreleased > 0:
            arm = n_arms - unreleased
            if unreleased == 0:
                arm = drawn_arm(chances, streams.selection)
            for j in range(n_arms):
                wins[j] = 0
            wins[arm] = 1 if by_round else min(needed[arm], until - done)
            full = arm if wins[arm] == needed[arm] else -1
            if by_round:
                if record.segments:
                    segments, used = add_segment(segments, used, done + 1, 1, arm)
                if streams.reward.random() < means[arm]:
                    running[arm] += 1
        else:
            full = stretch(chances, needed, until - done, streams.selection, wins)
        for j in range(n_arms):
            played[j] += wins[j]
            needed[j] -= wins[j]
            done += wins[j]
        while position < checkpoints.size and checkpoints[position] <= done:
            copy_row(played, pulls, position)
            position += 1
        if full >= 0:
            at = epoch[full]
            if at == counts.shape[1]:
                counts, values = doubled(counts), doubled(values)
            drawn = running[full]
            if not by_round:
                drawn = binomial(length[full], means[full], streams.reward)
            counts[full, at] = float(length[full])
            values[full, at] = released_sum(drawn, problem, streams.noise)
            running[full] = 0
            unreleased = max(0, unreleased - 1)
            epoch[full] = at + 1
            known = Releases(
                counts[full, : at + 1], values[full, : at + 1], problem.epsilon, problem.gaussian
            )
            extend(posteriors, full, known, prior)
            if unreleased == 0:
                grid = win_chances(posteriors, prior, full, grid, chances)
                if not chances[full] >= 0.0:
                    return segments[:used], LOST
            length[full] = lengths[min(at + 1, lengths.size - 1)]
            needed[full] = length[full]
    return segments[:used], stretches


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_posterior(
    problem: Problem, prior: Prior, streams: Streams, record: Record
) -> tuple[Integers, int]:
    """Play one run, round by round; return its segments, and the number of rounds."""
    return play_posterior(problem, prior, True, streams, record)


@njit(cache=True, nogil=True, error_model="numpy")
def leap_posterior(
    problem: Problem, prior: Prior, streams: Streams, record: Record
) -> tuple[Integers, int]:
    """Play one run, a stretch at a time; return no segments, and the number of stretches."""
    return play_posterior(problem, prior, False, streams, record)
