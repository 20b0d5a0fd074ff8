"""The compiled loop of the shrinking dartboard."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.simulation.kernels import GUMBEL, Floats, Integers, add_segment, copy_row, noisy_winner

__all__ = ["rounds_dartboard"]


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_dartboard(
    means: Floats,
    rate: float,
    chance: float,
    budget: int,
    checkpoints: Integers,
    reward: Generator,
    noise: Generator,
    selection: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> Integers:
    """Play round by round; fill ``pulls`` at the checkpoints. Returns the segments if wanted."""
    n_arms = means.size
    sums = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    used, switches, t = 0, 0, 0
    lost = chance + (1.0 - chance) * rate
    scale = 2.0 / (-2.0 * np.log1p(-rate))
    action = int(n_arms * selection.random())
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if keep_segments:
                segments, used = add_segment(segments, used, t, 1, action)
            played[action] += 1
            gained = False
            for j in range(n_arms):
                if reward.random() < means[j]:
                    sums[j] += 1
                    gained = gained or j == action
            if switches < budget and noise.random() < (chance if gained else lost):
                action = noisy_winner(sums, GUMBEL, scale, False, noise)
                switches += 1
        copy_row(played, pulls, c)
    return segments[:used]
