"""The loop of policies with a counting mechanism per arm: a release every round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers, copy_row, largest
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import largest_draw, largest_index
from hush.simulation.kernels.common import add_segment, laplace_noise, no_segments
from hush.simulation.kernels.records import Problem, Record, Streams, Traits, Trees

__all__ = ["rounds_counters"]


class Nodes(NamedTuple):
    """A tree's nodes on the path of its running step: raw and noisy, arm x level."""

    raw: Integers
    noisy: Floats


@njit(inline="always", error_model="numpy")
def tree_step(
    nodes: Nodes, arm: int, step: int, bit: int, scale: float, discrete: bool, noise: Generator
) -> float:
    """Take one summand as ``BinaryCounter`` does; return the noisy sum of the tree's stream."""
    raw, noisy = nodes.raw[arm], nodes.noisy[arm]
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
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    trees: Trees,
    streams: Streams,
    record: Record,
) -> Integers:
    """Play one run round by round; fill ``record.pulls``. Returns the segments if wanted."""
    means, epsilon, discrete = problem.means, problem.epsilon, problem.discrete
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    noise = streams.noise
    n_arms, levels = means.size, trees.levels
    handle = parameters.ctypes
    count = np.zeros(n_arms)
    mean = np.zeros(n_arms)
    steps = np.zeros(n_arms, np.int64)
    nodes = Nodes(np.zeros((n_arms, levels), np.int64), np.zeros((n_arms, levels)))
    coarse = np.zeros(n_arms)  # Hybrid: what the Logarithmic part released
    since = np.zeros(n_arms, np.int64)  # Hybrid: the sum since then
    scale = np.zeros(n_arms)
    played = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, t, explored = 0, 0, 0
    for j in range(n_arms):
        scale[j] = 1.0 / (epsilon / levels)
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if explored < n_arms:
                arm = explored
                explored += 1
            elif traits.thompson:
                arm = largest_draw(rule, handle, mean, count, t, streams.selection)
            else:
                x = largest(mean) if traits.relative else float(t)
                arm = largest_index(rule, handle, mean, count, x)
            if record.segments:
                segments, used = add_segment(segments, used, t, 1, arm)
            played[arm] += 1
            bit = 1 if streams.reward.random() < means[arm] else 0
            step = steps[arm] + 1
            if trees.horizon > 0:
                if step > trees.horizon:
                    continue
                value = tree_step(nodes, arm, step, bit, scale[arm], discrete, noise)
            elif step & (step - 1):
                since[arm] += bit
                start = step - (step & -step)
                while start & (start - 1):
                    start &= start - 1
                fine = tree_step(nodes, arm, step - start, bit, scale[arm], discrete, noise)
                value = coarse[arm] + fine
            else:
                coarse[arm] += since[arm] + bit + laplace_noise(2.0 / epsilon, discrete, noise)
                since[arm] = 0
                for level in range(levels):
                    nodes.raw[arm, level] = 0
                    nodes.noisy[arm, level] = 0.0
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
