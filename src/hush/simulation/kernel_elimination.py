"""Successive elimination, compiled: round by round, and a phase at a time.

All survivors of a phase are pulled in turn, equally often, and their rewards are only ever used
as sums, so that a phase is one binomial draw per survivor. Both loops share everything else.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.policies import dp_se
from hush.simulation.kernels import Floats, Integers, add_segment, copy_row, released_sum

__all__ = ["leap_elimination", "rounds_elimination"]

phase = njit(cache=True, nogil=True, error_model="numpy")(dp_se.phase)


@njit(cache=True, nogil=True, error_model="numpy")
def eliminate(survivors: Integers, size: int, mean: Floats, slack: float) -> int:
    """Keep the survivors that are near enough to the best; return how many there are."""
    best = -np.inf
    for i in range(size):
        best = max(best, mean[survivors[i]])
    kept = 0
    for i in range(size):
        if best - mean[survivors[i]] <= slack:
            survivors[kept] = survivors[i]
            kept += 1
    return kept


@njit(cache=True, nogil=True, error_model="numpy")
def play_elimination(
    means: Floats,
    stage_ends: Integers,
    stage_horizons: Floats,
    epsilon: float,
    discrete: bool,
    by_round: bool,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> tuple[Integers, int]:
    """Play one run; fill ``pulls`` at the checkpoints.

    Returns the played segments if wanted, and the number of phases.
    """
    n_arms = means.size
    horizon = checkpoints[-1]
    survivors = np.arange(n_arms)
    mean = np.zeros(n_arms)
    sums = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    used, done, position, phases = 0, 0, 0, 0
    for stage in range(stage_ends.size):
        size, number = n_arms, 0
        for j in range(n_arms):
            survivors[j] = j
        end = min(stage_ends[stage], horizon)
        while done < end and stop[0] == 0:
            number += 1
            phases += 1
            wanted, slack = phase(number, size, stage_horizons[stage], epsilon)
            window = end - done
            whole = size > 1 and wanted <= window // size
            if whole:
                window = wanted * size
            while position < checkpoints.size and checkpoints[position] <= done + window:
                copy_row(played, pulls, position)
                rounds = checkpoints[position] - done
                for i in range(size):
                    pulls[position, survivors[i]] += (rounds + size - 1 - i) // size
                position += 1
            if keep_segments:
                for i in range(window if size > 1 else 1):
                    length = 1 if size > 1 else window
                    segments, used = add_segment(
                        segments, used, done + i + 1, length, survivors[i % size]
                    )
            for i in range(size):
                played[survivors[i]] += (window + size - 1 - i) // size
            done += window
            if by_round:
                for i in range(size):
                    sums[i] = 0
                for i in range(window):
                    if reward.random() < means[survivors[i % size]]:
                        sums[i % size] += 1
                    if stop[0] != 0:
                        break
            if whole:
                for i in range(size):
                    arm = survivors[i]
                    total = sums[i] if by_round else noise.binomial(wanted, means[arm])
                    mean[arm] = released_sum(total, epsilon, discrete, noise) / wanted
                size = eliminate(survivors, size, mean, slack)
    return segments[:used], phases


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_elimination(
    means: Floats,
    stage_ends: Integers,
    stage_horizons: Floats,
    epsilon: float,
    discrete: bool,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> Integers:
    """Play one run, drawing every reward."""
    return play_elimination(
        means, stage_ends, stage_horizons, epsilon, discrete, True, checkpoints, reward, noise,
        pulls, keep_segments, stop,
    )[0]  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def leap_elimination(
    means: Floats,
    stage_ends: Integers,
    stage_horizons: Floats,
    epsilon: float,
    discrete: bool,
    checkpoints: Integers,
    source: Generator,
    skipped: int,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of phases of all recorded.
    """
    unrecorded = np.zeros_like(pulls[0])
    segments = np.empty((0, 3), np.int64)
    phases = 0
    for run in range(-skipped, pulls.shape[0]):
        segments, more = play_elimination(
            means, stage_ends, stage_horizons, epsilon, discrete, False, checkpoints, source,
            source, pulls[run] if run >= 0 else unrecorded, keep_segments and run >= 0, stop,
        )  # fmt: skip
        phases += more if run >= 0 else 0
    return segments, phases
