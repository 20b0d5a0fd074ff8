"""What all loops share: noise, sums, checkpoints and segments."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled import draws
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.simulation.kernels.records import Problem, Record, Streams

__all__ = [
    "add_segment",
    "batch_value",
    "binomial",
    "doubled",
    "gaussian_noise",
    "laplace_noise",
    "length_of",
    "no_segments",
    "pass_checkpoints",
    "released_sum",
]


@njit(inline="always", error_model="numpy")
def binomial(tries: int, chance: float, source: Generator) -> int:
    """Draw a binomial number, also where 1 - chance rounds to 1, which stalls numba's sampler.

    Below 1e-10 the Poisson law is as good: no event's probability differs by more than that. Its
    events are counted one by one: numba's own sampler of it costs every loop a second to compile.
    """
    if chance >= 1e-10:
        return int(draws.binomial(source, tries, chance))
    found, left = 0, tries * chance
    while left > 0.0 and found <= tries:
        left -= draws.standard_exponential(source)
        found += 1
    return max(0, found - 1)


@njit(inline="always", error_model="numpy")
def laplace_noise(scale: float, discrete: bool, noise: Generator) -> float:
    """Draw continuous or discrete Laplace noise, as ``SeededNoise`` does."""
    if discrete:
        up = np.floor(scale * draws.standard_exponential(noise))
        return float(up - np.floor(scale * draws.standard_exponential(noise)))
    return float(draws.laplace(noise, 0.0, scale))


@njit(inline="always", error_model="numpy")
def gaussian_noise(deviation: float, discrete: bool, noise: Generator) -> float:
    """Draw continuous or discrete Gaussian noise, as ``SeededNoise`` does."""
    if not discrete:
        return float(draws.normal(noise, 0.0, deviation))
    scale = np.floor(deviation) + 1.0
    while True:
        value = laplace_noise(scale, discrete, noise)
        off = (abs(value) - deviation * deviation / scale) / deviation
        if noise.random() < np.exp(-0.5 * off * off):
            return value


@njit(inline="always", error_model="numpy")
def released_sum(total: int, problem: Problem, noise: Generator) -> float:
    """Return the released value of a sum."""
    if np.isinf(problem.epsilon):
        return float(total)
    if problem.gaussian:
        return total + gaussian_noise(np.sqrt(2.0) / problem.epsilon, problem.discrete, noise)
    return total + laplace_noise(1.0 / problem.epsilon, problem.discrete, noise)


@njit(inline="always", error_model="numpy")
def pass_checkpoints(
    record: Record, run: int, position: int, done: int, window: int, arm: int, played: Integers
) -> int:
    """Record the checkpoints that lie within the next ``window`` rounds, all of one arm."""
    checkpoints, pulls = record.checkpoints, record.pulls
    while position < checkpoints.size and checkpoints[position] <= done + window:
        if run >= 0:
            copy_row(played, pulls[run], position)
            pulls[run, position, arm] += checkpoints[position] - done
        position += 1
    return position


@njit(inline="always", error_model="numpy")
def no_segments(record: Record) -> Integers:
    """Return room for the first segments, none where they are not wanted."""
    return np.empty((64 if record.segments else 0, 3), np.int64)


@njit(inline="always", error_model="numpy")
def add_segment(
    segments: Integers, used: int, start: int, length: int, arm: int
) -> tuple[Integers, int]:
    """Append a stretch of rounds of one arm, or lengthen the last one if it is the same arm's."""
    if used > 0 and segments[used - 1, 2] == arm:
        segments[used - 1, 1] += length
        return segments, used
    if used == segments.shape[0]:
        longer = np.empty((2 * used, 3), np.int64)
        for i in range(used):
            for j in range(3):
                longer[i, j] = segments[i, j]
        segments = longer
    segments[used, 0] = start
    segments[used, 1] = length
    segments[used, 2] = arm
    return segments, used + 1


@njit(inline="always", error_model="numpy")
def length_of(lengths: Integers, epoch: int) -> int:
    """Return how long an epoch is; the last length repeats."""
    return int(lengths[min(epoch, lengths.size - 1)])


@njit(inline="always", error_model="numpy")
def batch_value(
    problem: Problem, arm: int, epoch: int, length: int, script: Floats, streams: Streams
) -> float:
    """Return what is released for a whole batch: drawn, or the script's entry (arm, epoch)."""
    if script.size:
        return float(script[arm, epoch])
    total = binomial(length, problem.means[arm], streams.reward)
    return float(released_sum(total, problem, streams.noise))


@apart
def doubled(table: Floats) -> Floats:
    """Return a copy with twice as many columns."""
    longer = np.empty((table.shape[0], 2 * table.shape[1]))
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            longer[i, j] = table[i, j]
    return longer
