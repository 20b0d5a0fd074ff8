"""The compiled loop of policies with a counting mechanism per arm: a release every round."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.policies.core.bandit import Rule
from hush.simulation.kernels import (
    Floats,
    Integers,
    add_segment,
    copy_row,
    laplace_noise,
    largest_draw,
    largest_index,
)

__all__ = ["rounds_counters"]


@njit(inline="always", error_model="numpy")
def tree_step(
    step: int,
    bit: int,
    scale: float,
    discrete: bool,
    raw: Integers,
    noisy: Floats,
    noise: Generator,
) -> float:
    """Take one summand as ``BinaryCounter`` does; return the noisy sum of the tree's stream."""
    level, total = 0, bit
    while (step >> level) & 1 == 0:
        total += raw[level]
        raw[level] = 0
        noisy[level] = 0.0
        level += 1
    raw[level] = total
    noisy[level] = total + laplace_noise(scale, discrete, noise)
    value = 0.0
    for j in range(raw.size):
        value += noisy[j]
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_counters(
    rule: Rule,
    thompson: bool,
    parameters: Floats,
    means: Floats,
    tree_horizon: int,
    levels: int,
    epsilon: float,
    discrete: bool,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    selection: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> Integers:
    """Play round by round; fill ``pulls`` at the checkpoints.

    ``tree_horizon`` is the length of each arm's tree, or 0 for Hybrid counters; ``levels`` is how
    many levels a tree can come to have. Returns the played segments if wanted.
    """
    n_arms = means.size
    handle = parameters.ctypes
    hybrid = tree_horizon == 0
    count = np.zeros(n_arms)
    mean = np.zeros(n_arms)
    steps = np.zeros(n_arms, np.int64)
    raw = np.zeros((n_arms, levels), np.int64)
    noisy = np.zeros((n_arms, levels))
    coarse = np.zeros(n_arms)  # Hybrid: what the Logarithmic part released
    since = np.zeros(n_arms, np.int64)  # Hybrid: the sum since then
    scale = np.zeros(n_arms)
    played = np.zeros(n_arms, np.int64)
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    used, t, explored = 0, 0, 0
    for j in range(n_arms):
        scale[j] = 1.0 / (epsilon / levels)
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if explored < n_arms:
                arm = explored
                explored += 1
            elif thompson:
                arm = largest_draw(rule, handle, mean, count, t, selection)
            else:
                arm = largest_index(rule, handle, mean, count, float(t))
            if keep_segments:
                segments, used = add_segment(segments, used, t, 1, arm)
            played[arm] += 1
            bit = 1 if reward.random() < means[arm] else 0
            step = steps[arm] + 1
            if not hybrid:
                if step > tree_horizon:
                    continue
                value = tree_step(step, bit, scale[arm], discrete, raw[arm], noisy[arm], noise)
            elif step & (step - 1):
                since[arm] += bit
                start = step - (step & -step)
                while start & (start - 1):
                    start &= start - 1
                fine = tree_step(
                    step - start, bit, scale[arm], discrete, raw[arm], noisy[arm], noise
                )
                value = coarse[arm] + fine
            else:
                coarse[arm] += since[arm] + bit + laplace_noise(2.0 / epsilon, discrete, noise)
                since[arm] = 0
                for level in range(levels):
                    raw[arm, level] = 0
                    noisy[arm, level] = 0.0
                depth = 1
                while 1 << depth <= step:
                    depth += 1
                scale[arm] = 1.0 / (epsilon / 2.0 / depth)
                value = coarse[arm]
            steps[arm] = step
            count[arm] = float(step)
            mean[arm] = value / step
        copy_row(played, pulls, c)
    return segments[:used]
