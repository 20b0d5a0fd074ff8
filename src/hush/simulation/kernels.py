"""Compiled per-round loops.

They draw from the same generators, in the same order, as a learner with seeded noise does in
:mod:`hush.simulation.rounds`: the same seed plays the same arms in both, which the tests check.
A policy's rule comes in as a function pointer, so that one compiled (and cached) loop serves
every policy of its kind, a user's own included.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray

from hush.policies.bandit import Rule

__all__ = ["EXACT", "EXPONENTIAL", "LAPLACE", "rounds_arms", "rounds_epochs"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

EXACT, EXPONENTIAL, LAPLACE = 0, 1, 2


@njit(cache=True, nogil=True)
def laplace_noise(scale: float, discrete: bool, noise: Generator) -> float:
    """Draw continuous or discrete Laplace noise, as ``SeededNoise`` does."""
    if discrete:
        up = np.floor(scale * noise.standard_exponential())
        return float(up - np.floor(scale * noise.standard_exponential()))
    return noise.laplace(0.0, scale)


@njit(cache=True, nogil=True)
def released_sum(total: int, epsilon: float, discrete: bool, noise: Generator) -> float:
    """Return the released value of a sum."""
    if np.isinf(epsilon):
        return float(total)
    return total + laplace_noise(1.0 / epsilon, discrete, noise)


@njit(cache=True, nogil=True)
def noisy_winner(sums: Integers, law: int, scale: float, discrete: bool, noise: Generator) -> int:
    """Return the position of the largest sum after noise, lowest first on a tie."""
    winner, best = 0, -np.inf
    for j in range(sums.size):
        value = float(sums[j])
        if law == EXPONENTIAL:
            value += scale * noise.standard_exponential()
        elif law == LAPLACE:
            value += laplace_noise(scale, discrete, noise)
        if value > best:
            winner, best = j, value
    return winner


@njit(cache=True, nogil=True)
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
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    selection: Generator,
    pulls: Integers,
    arms: Integers,
    stop: Integers,
) -> None:
    """Play index and Thompson policies round by round; fill ``pulls`` at the checkpoints.

    ``arms`` records the arm of each round where it is long enough. A number other than 0 in
    ``stop`` ends the run: somebody pressed Ctrl-C.
    """
    n_arms = means.size
    count = np.zeros(n_arms)
    total = np.zeros(n_arms)
    mean = np.zeros(n_arms)
    epoch = np.zeros(n_arms, np.int64)
    filled = np.zeros(n_arms, np.int64)
    running = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    unreleased = n_arms if explores_first else 0
    last_length = lengths.size - 1
    t = 0
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            arm = 0
            if unreleased > 0:
                while count[arm] > 0.0:
                    arm += 1
            else:
                best = -np.inf
                for j in range(n_arms):
                    value = rule(mean[j], count[j], float(t), parameters)
                    if thompson:
                        value = selection.beta(
                            value * count[j] + 1.0, (1.0 - value) * count[j] + 1.0
                        )
                    if value > best:
                        best = value
                        arm = j
            if t <= arms.size:
                arms[t - 1] = arm
            played[arm] += 1
            filled[arm] += 1
            if reward.random() < means[arm]:
                running[arm] += 1
            if filled[arm] == lengths[min(epoch[arm], last_length)]:
                value = released_sum(running[arm], epsilon, discrete, noise)
                if unreleased > 0 and count[arm] == 0.0:
                    unreleased -= 1
                if cumulative:
                    total[arm] += value
                    count[arm] += filled[arm]
                else:
                    total[arm] = value
                    count[arm] = filled[arm]
                mean[arm] = total[arm] / count[arm]
                epoch[arm] += 1
                filled[arm] = 0
                running[arm] = 0
        pulls[c, :] = played


@njit(cache=True, nogil=True)
def rounds_epochs(
    means: Floats,
    lengths: Integers,
    law: int,
    scale: float,
    discrete: bool,
    keep: bool,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    pulls: Integers,
    arms: Integers,
    stop: Integers,
) -> None:
    """Play full-information epoch policies round by round; fill ``pulls`` at the checkpoints."""
    n_arms = means.size
    sums = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    action, epoch, filled, t = 0, 0, 0, 0
    last_length = lengths.size - 1
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if t <= arms.size:
                arms[t - 1] = action
            played[action] += 1
            for j in range(n_arms):
                if reward.random() < means[j]:
                    sums[j] += 1
            filled += 1
            if filled == lengths[min(epoch, last_length)]:
                action = noisy_winner(sums, law, scale, discrete, noise)
                epoch += 1
                filled = 0
                if not keep:
                    sums[:] = 0
        pulls[c, :] = played
