"""Successive elimination: round by round, and a phase a step.

All survivors of a phase are pulled in turn, equally often, and their rewards are only ever used
as sums, so that a phase is one binomial draw per survivor. Both loops share everything else.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.mechanisms import shares
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.policies import dist_dp_se, dp_se
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    laplace_noise,
    no_segments,
    released_sum,
)
from hush.simulation.kernels.records import Problem, Record, Stages, Streams

__all__ = [
    "add_turns",
    "eliminate",
    "leap_elimination",
    "pass_turns",
    "rounds_elimination",
    "toss_turns",
]

phase = apart(dp_se.phase)
batch = apart(dist_dp_se.batch)
precision_of = apart(shares.precision_of)
slack_of = apart(shares.slack_of)


@apart
def shared_sum(total: int, count: int, horizon: float, problem: Problem, noise: Generator) -> float:
    """Return what the sum of so many devices' messages is read as, like ``Shares.read``."""
    epsilon = problem.epsilon
    parts = float(precision_of(float(count), epsilon))
    slack = float(slack_of(parts, epsilon, horizon))
    modulus = count * parts + 2.0 * slack + 1.0
    noisy = total * parts + np.rint(laplace_noise(parts / epsilon, problem.discrete, noise))
    inside = noisy % modulus
    return float((inside - modulus if inside > count * parts + slack else inside) / parts)


@apart
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


@njit(inline="always", error_model="numpy")
def pass_turns(
    record: Record,
    run: int,
    position: int,
    done: int,
    window: int,
    survivors: Integers,
    size: int,
    played: Integers,
) -> int:
    """Let survivors be played in turn for so many rounds; record the checkpoints among them."""
    checkpoints = record.checkpoints
    while position < checkpoints.size and checkpoints[position] <= done + window:
        if run >= 0:
            copy_row(played, record.pulls[run], position)
            rounds = checkpoints[position] - done
            for i in range(size):
                record.pulls[run, position, survivors[i]] += (rounds + size - 1 - i) // size
        position += 1
    for i in range(size):
        played[survivors[i]] += (window + size - 1 - i) // size
    return position


@apart
def add_turns(
    segments: Integers, used: int, done: int, window: int, survivors: Integers, size: int
) -> tuple[Integers, int]:
    """Append the rounds in which survivors are played in turn."""
    for i in range(window if size > 1 else 1):
        length = 1 if size > 1 else window
        segments, used = add_segment(segments, used, done + i + 1, length, survivors[i % size])
    return segments, used


@njit(inline="always", error_model="numpy")
def toss_turns(
    means: Floats,
    survivors: Integers,
    size: int,
    window: int,
    sums: Integers,
    reward: Generator,
    stop: Integers,
) -> None:
    """Fill in the sums of so many rounds' rewards, drawn one by one."""
    for i in range(size):
        sums[i] = 0
    for i in range(window):
        if reward.random() < means[survivors[i % size]]:
            sums[i % size] += 1
        if stop[0] != 0:
            break


@apart
def play_elimination(
    problem: Problem,
    stages: Stages,
    by_round: bool,
    script: Floats,
    streams: Streams,
    record: Record,
    run: int,
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints, unless ``run`` is negative.

    Returns the played segments if wanted, and the number of phases. Where ``script`` is not empty,
    its entry (arm, release) is released instead of a drawn sum.
    """
    means, checkpoints, stop = problem.means, record.checkpoints, record.stop
    reward, noise = streams.reward, streams.noise
    n_arms = means.size
    horizon = checkpoints[-1]
    survivors = np.arange(n_arms)
    mean = np.zeros(n_arms)
    sums = np.zeros(n_arms, np.int64)
    releases = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, done, position, phases = 0, 0, 0, 0
    for stage in range(stages.ends.size):
        size, number = n_arms, 0
        for j in range(n_arms):
            survivors[j] = j
        end = min(stages.ends[stage], horizon)
        while done < end and stop[0] == 0:
            number += 1
            phases += 1
            ahead = stages.horizons[stage]
            if stages.growth > 0.0:
                wanted, slack = batch(number, size, ahead, problem.epsilon, stages.growth)
            else:
                wanted, slack = phase(number, size, ahead, problem.epsilon)
            window = end - done
            whole = size > 1 and wanted <= window // size
            if whole:
                window = wanted * size
            position = pass_turns(record, run, position, done, window, survivors, size, played)
            if record.segments:
                segments, used = add_turns(segments, used, done, window, survivors, size)
            done += window
            if by_round:
                toss_turns(means, survivors, size, window, sums, reward, stop)
            if whole:
                for i in range(size):
                    arm = survivors[i]
                    if script.size:
                        released = script[arm, releases[arm]]
                    else:
                        total = sums[i] if by_round else binomial(wanted, means[arm], noise)
                        if stages.growth > 0.0:
                            released = shared_sum(total, wanted, ahead, problem, noise)
                        else:
                            released = released_sum(total, problem, noise)
                    releases[arm] += 1
                    mean[arm] = released / wanted
                size = eliminate(survivors, size, mean, slack)
    return segments[:used], phases


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_elimination(
    problem: Problem, stages: Stages, script: Floats, streams: Streams, record: Record
) -> Integers:
    """Play one run, drawing every reward."""
    return play_elimination(problem, stages, True, script, streams, record, 0)[0]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_elimination(
    problem: Problem,
    stages: Stages,
    script: Floats,
    streams: Streams,
    record: Record,
    skipped: int,
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of phases of all recorded.
    """
    segments = np.empty((0, 3), np.int64)
    phases = 0
    for run in range(-skipped, record.pulls.shape[0]):
        segments, more = play_elimination(problem, stages, False, script, streams, record, run)
        phases += more if run >= 0 else 0
    return segments, phases
