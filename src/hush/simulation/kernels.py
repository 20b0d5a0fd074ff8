"""Compiled per-round loops.

They draw from the same generators, in the same order, as a learner with seeded noise does in
:mod:`hush.simulation.rounds`: the same seed plays the same arms in both, which the tests check.
A policy's rule comes in as a function pointer, so that one compiled (and cached) loop serves
every policy of its kind, a user's own included.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers, copy_row, largest
from hush.policies.core.bandit import Rule

__all__ = [
    "EXACT",
    "EXPONENTIAL",
    "GUMBEL",
    "HEDGE",
    "LAPLACE",
    "Floats",
    "Integers",
    "copy_row",
    "largest",
    "rounds_arms",
    "rounds_epochs",
]

Handle = Any  # a bare pointer to a rule's parameters

EXACT, EXPONENTIAL, LAPLACE, GUMBEL, HEDGE = range(5)


@njit(inline="always", error_model="numpy")
def laplace_noise(scale: float, discrete: bool, noise: Generator) -> float:
    """Draw continuous or discrete Laplace noise, as ``SeededNoise`` does."""
    if discrete:
        up = np.floor(scale * noise.standard_exponential())
        return float(up - np.floor(scale * noise.standard_exponential()))
    return noise.laplace(0.0, scale)


@njit(inline="always", error_model="numpy")
def released_sum(total: int, epsilon: float, discrete: bool, noise: Generator) -> float:
    """Return the released value of a sum."""
    if np.isinf(epsilon):
        return float(total)
    return total + laplace_noise(1.0 / epsilon, discrete, noise)


@njit(cache=True, nogil=True, error_model="numpy")
def noisy_winner(sums: Integers, law: int, scale: float, discrete: bool, noise: Generator) -> int:
    """Return the position of the largest sum after noise, lowest first on a tie."""
    winner, best = 0, -np.inf
    for j in range(sums.size):
        value = float(sums[j])
        if law == EXPONENTIAL:
            value += scale * noise.standard_exponential()
        elif law == GUMBEL:
            value -= scale * np.log(noise.standard_exponential())
        elif law == LAPLACE:
            value += laplace_noise(scale, discrete, noise)
        if value > best:
            winner, best = j, value
    return winner


@njit(cache=True, nogil=True, error_model="numpy")
def hedge_draw(sums: Integers, t: int, weights: Floats, selection: Generator) -> int:
    """Draw the action of round ``t`` from exponential weights, as ``HedgeDraw`` does."""
    rate = 2.0 * np.sqrt(np.log(float(sums.size)) / t)
    best = sums[0]
    for j in range(sums.size):
        best = max(best, sums[j])
    total = 0.0
    for j in range(sums.size):
        total += np.exp(rate * (sums[j] - best))
        weights[j] = total
    target = selection.random() * total
    for j in range(sums.size - 1):
        if target < weights[j]:
            return j
    return sums.size - 1


@njit(inline="always", error_model="numpy")
def random_prefix(length: int, selection: Generator) -> int:
    """Draw how many of an epoch's first rewards are summed, as ``VectorSums`` does."""
    return 1 + min(length - 1, int(length * selection.random()))


@njit(inline="always", error_model="numpy")
def pass_checkpoints(
    checkpoints: Integers,
    position: int,
    done: int,
    window: int,
    arm: int,
    played: Integers,
    pulls: Integers,
) -> int:
    """Record the checkpoints that lie within the next ``window`` rounds, all of one arm."""
    while position < checkpoints.size and checkpoints[position] <= done + window:
        copy_row(played, pulls, position)
        pulls[position, arm] += checkpoints[position] - done
        position += 1
    return position


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
def settle(
    arm: int,
    released: float,
    cumulative: bool,
    lengths: Integers,
    total: Floats,
    count: Floats,
    mean: Floats,
    epoch: Integers,
    length: Integers,
    needed: Integers,
) -> None:
    """Let a release replace the arm's statistic, or add to it, and open its next epoch."""
    if cumulative:
        total[arm] += released
        count[arm] += length[arm]
    else:
        total[arm] = released
        count[arm] = length[arm]
    mean[arm] = total[arm] / count[arm]
    epoch[arm] += 1
    length[arm] = lengths[min(epoch[arm], lengths.size - 1)]
    needed[arm] = length[arm]


@njit(inline="always", error_model="numpy")
def largest_draw(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    t: int,
    selection: Generator,
) -> int:
    """Draw once from every arm's Beta law and return the arm of the largest draw."""
    arm, best = 0, -1.0
    for j in range(mean.size):
        center = rule(mean[j], count[j], float(t), handle)
        draw = selection.beta(center * count[j] + 1.0, (1.0 - center) * count[j] + 1.0)
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
    thompson: bool,
    parameters: Floats,
    means: Floats,
    lengths: Integers,
    epsilon: float,
    discrete: bool,
    cumulative: bool,
    explores_first: bool,
    commits: bool,
    relative: bool,
    checkpoints: Integers,
    script: Floats,
    reward: Generator,
    noise: Generator,
    selection: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> Integers:
    """Play index and Thompson policies round by round; fill ``pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted. Where ``script`` is not empty, its
    entry (arm, epoch) is released instead of a drawn sum. A number other than 0 in ``stop`` ends
    the run: somebody pressed Ctrl-C.
    """
    n_arms = means.size
    handle = parameters.ctypes
    count = np.zeros(n_arms)
    total = np.zeros(n_arms)
    mean = np.zeros(n_arms)
    epoch = np.zeros(n_arms, np.int64)
    length = np.full(n_arms, lengths[0])
    needed = length.copy()
    running = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    used, t, arm = 0, 0, 0
    choose = True
    unreleased = n_arms if explores_first else 0
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if unreleased > 0:
                arm = n_arms - unreleased
            elif thompson:
                arm = largest_draw(rule, handle, mean, count, t, selection)
            elif choose:
                arm = largest_index(
                    rule, handle, mean, count, largest(mean) if relative else float(t)
                )
                choose = not commits
            if keep_segments:
                segments, used = add_segment(segments, used, t, 1, arm)
            played[arm] += 1
            needed[arm] -= 1
            if reward.random() < means[arm]:
                running[arm] += 1
            if needed[arm] == 0:
                if script.size:
                    released = script[arm, epoch[arm]]
                else:
                    released = released_sum(running[arm], epsilon, discrete, noise)
                settle(
                    arm, released, cumulative, lengths, total, count, mean, epoch, length, needed
                )
                running[arm] = 0
                choose = True
                unreleased = max(0, unreleased - 1)
        copy_row(played, pulls, c)
    return segments[:used]


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_epochs(
    means: Floats,
    lengths: Integers,
    law: int,
    scale: float,
    discrete: bool,
    keep: bool,
    prefix: bool,
    starts_at_random: bool,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    selection: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> Integers:
    """Play full-information epoch policies round by round; fill ``pulls`` at the checkpoints."""
    n_arms = means.size
    sums = np.zeros(n_arms, np.int64)
    weights = np.zeros(n_arms)
    played = np.zeros(n_arms, np.int64)
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    used = 0
    action, epoch, filled, t = 0, 0, 0, 0
    if starts_at_random:
        action = int(n_arms * selection.random())
    last_length = lengths.size - 1
    length = lengths[0]
    wanted = random_prefix(length, selection) if prefix else length
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if keep_segments:
                segments, used = add_segment(segments, used, t, 1, action)
            played[action] += 1
            for j in range(n_arms):
                if reward.random() < means[j] and filled < wanted:
                    sums[j] += 1
            filled += 1
            if filled == length:
                if law == HEDGE:
                    action = hedge_draw(sums, t + 1, weights, selection)
                else:
                    action = noisy_winner(sums, law, scale, discrete, noise)
                epoch += 1
                filled = 0
                length = lengths[min(epoch, last_length)]
                wanted = random_prefix(length, selection) if prefix else length
                if not keep:
                    for j in range(n_arms):
                        sums[j] = 0
        copy_row(played, pulls, c)
    return segments[:used]
