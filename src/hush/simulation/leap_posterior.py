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

from hush.numerics.compiled.posterior import Prior, Releases, blank_posteriors, extend
from hush.numerics.compiled.posterior_chances import blank_grid, win_chances
from hush.simulation.kernels import Floats, Integers, add_segment, copy_row, released_sum

__all__ = ["leap_posterior", "rounds_posterior"]

MOST_RELEASES = 4096
FAR = 4e18


@njit(inline="always", error_model="numpy")
def few_of_many(tries: int, chance: float, source: Generator) -> int:
    """Draw a binomial number, also where 1 - chance rounds to 1 (which stalls numba's sampler).

    Below 1e-10 the Poisson law is as good: no event's probability differs by more than that.
    """
    if chance < 1e-10:
        return min(tries, source.poisson(tries * chance))
    return source.binomial(tries, chance)


@njit(cache=True, nogil=True, error_model="numpy")
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
            wins[j] = few_of_many(left, min(1.0, chances[j] / rest), source)
            left -= wins[j]
            rest = max(rest - chances[j], 1e-300)
    wins[last] = left


@njit(cache=True, nogil=True, error_model="numpy")
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
            times[j] = source.standard_gamma(float(needed[j])) / chances[j]
        if first < 0 or times[j] < times[first]:
            first = j
    if times[first] > FAR:
        return -1
    for j in range(n_arms):
        wins[j] = 0
        if j != first and times[j] < np.inf and needed[j] > 1:
            wins[j] = few_of_many(needed[j] - 1, times[first] / times[j], source)
    wins[first] = needed[first]
    return first


@njit(cache=True, nogil=True, error_model="numpy")
def play_posterior(
    means: Floats,
    lengths: Integers,
    epsilon: float,
    a: float,
    b: float,
    discrete: bool,
    by_round: bool,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    selection: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> tuple[Integers, int]:
    """Play one run; fill ``pulls`` at the checkpoints.

    Returns the played segments if wanted (round by round only), and the number of stretches.
    """
    n_arms = means.size
    horizon = checkpoints[-1]
    prior, posteriors, grid = Prior(a, b), blank_posteriors(n_arms), blank_grid()
    most = min(lengths.size, MOST_RELEASES)
    counts, values = np.empty((n_arms, most)), np.empty((n_arms, most))
    epoch = np.zeros(n_arms, np.int64)
    length = np.full(n_arms, lengths[0])
    needed = length.copy()
    running = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    wins = np.zeros(n_arms, np.int64)
    chances = np.zeros(n_arms)
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    used, done, position, stretches, unreleased = 0, 0, 0, 0, n_arms
    while done < horizon and stop[0] == 0:
        stretches += 1
        until = checkpoints[position]
        full = -1
        if by_round:
            arm = n_arms - unreleased if unreleased > 0 else 0
            if unreleased == 0:
                target, reach = selection.random(), chances[0]
                while arm < n_arms - 1 and target >= reach:
                    arm += 1
                    reach += chances[arm]
            if keep_segments:
                segments, used = add_segment(segments, used, done + 1, 1, arm)
            if reward.random() < means[arm]:
                running[arm] += 1
            for j in range(n_arms):
                wins[j] = 0
            wins[arm] = 1
            full = arm if needed[arm] == 1 else -1
        elif unreleased > 0:
            arm = n_arms - unreleased
            for j in range(n_arms):
                wins[j] = 0
            wins[arm] = min(needed[arm], until - done)
            full = arm if wins[arm] == needed[arm] else -1
        else:
            full = race(chances, needed, selection, wins)
            if full >= 0:
                total = 0
                for j in range(n_arms):
                    total += wins[j]
                if total > until - done:
                    full = -1
            if full < 0:
                within = False
                while not within:
                    multinomial(until - done, chances, selection, wins)
                    within = True
                    for j in range(n_arms):
                        within = within and wins[j] < needed[j]
        for j in range(n_arms):
            played[j] += wins[j]
            needed[j] -= wins[j]
            done += wins[j]
        while position < checkpoints.size and checkpoints[position] <= done:
            copy_row(played, pulls, position)
            position += 1
        if full >= 0:
            at = epoch[full]
            drawn = running[full] if by_round else reward.binomial(length[full], means[full])
            counts[full, at] = float(length[full])
            values[full, at] = released_sum(drawn, epsilon, discrete, noise)
            running[full] = 0
            unreleased = max(0, unreleased - 1)
            epoch[full] = at + 1
            known = Releases(counts[full, : at + 1], values[full, : at + 1], epsilon)
            extend(posteriors, full, known, prior)
            if unreleased == 0:
                grid = win_chances(posteriors, prior, full, grid, chances)
            length[full] = lengths[min(at + 1, lengths.size - 1)]
            needed[full] = length[full]
    return segments[:used], stretches


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_posterior(
    means: Floats,
    lengths: Integers,
    epsilon: float,
    a: float,
    b: float,
    discrete: bool,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    selection: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> Integers:
    """Play one run, round by round."""
    return play_posterior(
        means, lengths, epsilon, a, b, discrete, True, checkpoints, reward, noise, selection,
        pulls, keep_segments, stop,
    )[0]  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def leap_posterior(
    means: Floats,
    lengths: Integers,
    epsilon: float,
    a: float,
    b: float,
    discrete: bool,
    checkpoints: Integers,
    source: Generator,
    pulls: Integers,
    stop: Integers,
) -> int:
    """Play one run, a stretch at a time; return the number of stretches."""
    return play_posterior(
        means, lengths, epsilon, a, b, discrete, False, checkpoints, source, source, source,
        pulls, False, stop,
    )[1]  # fmt: skip
