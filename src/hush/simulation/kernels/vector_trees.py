"""The loop of policies that draw each round's action from the noisy sums of one tree."""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.simulation.kernels.common import add_segment, laplace_noise, no_segments
from hush.simulation.kernels.counters import Nodes, tree_step
from hush.simulation.kernels.records import Leader, Problem, Record, Streams

__all__ = ["rounds_vector_trees"]


@apart
def weigh(sums: Floats, step: int, leader: Leader, weights: Floats) -> float:
    """Fill in weights as ``ExponentialWeights`` or ``ProjectedSums`` does; return their sum."""
    best, total = sums[0], 0.0
    for j in range(sums.size):
        best = max(best, sums[j])
    if not leader.euclidean:
        for j in range(sums.size):
            weights[j] = np.exp(leader.number * (sums[j] - best))
            total += weights[j]
        return total
    point = (sums - best) / (leader.number * step)
    ordered = np.sort(point)
    level = -1.0
    for place in range(1, sums.size + 1):
        each = ordered[sums.size - place]
        total += each
        if each > (total - 1.0) / place:
            level = (total - 1.0) / place
    total = 0.0
    for j in range(sums.size):
        weights[j] = max(0.0, point[j] - level)
        total += weights[j]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_vector_trees(
    problem: Problem, leader: Leader, streams: Streams, record: Record
) -> Integers:
    """Play one run round by round; fill ``record.pulls``. Returns the segments if wanted."""
    means, discrete = problem.means, problem.discrete
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    reward, noise, selection = streams.reward, streams.noise, streams.selection
    n_arms, levels = means.size, leader.levels
    scale = 1.0 / problem.epsilon
    nodes = Nodes(np.zeros((n_arms, levels), np.int64), np.zeros((n_arms, levels)))
    spare = np.zeros((n_arms, levels))
    sums, weights = np.zeros(n_arms), np.zeros(n_arms)
    played = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, t = 0, 0
    action = int(n_arms * selection.random())
    for level in range(levels):
        for j in range(n_arms):
            spare[j, level] = laplace_noise(scale, discrete, noise)
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if record.segments:
                segments, used = add_segment(segments, used, t, 1, action)
            played[action] += 1
            full = t >> levels > 0
            for j in range(n_arms):
                bit = 1 if reward.random() < means[j] else 0
                if full:
                    continue
                sums[j] = tree_step(nodes, j, t, bit, scale, discrete, noise)
                for level in range(levels):
                    if (t >> level) & 1 == 0:
                        sums[j] += spare[j, level]
            if full:
                continue
            target = weigh(sums, t, leader, weights) * selection.random()
            action, reach = 0, weights[0]
            while action < n_arms - 1 and reach <= target:
                action += 1
                reach += weights[action]
        copy_row(played, pulls, c)
    return segments[:used]
