"""The loop of the shrinking dartboard."""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.simulation.kernels.common import add_segment, no_segments
from hush.simulation.kernels.epochs import noisy_winner
from hush.simulation.kernels.records import GUMBEL, Record, Streams

__all__ = ["rounds_dartboard"]


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_dartboard(
    means: Floats, rate: float, chance: float, budget: int, streams: Streams, record: Record
) -> Integers:
    """Play one run round by round; fill ``record.pulls``. Returns the segments if wanted."""
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    reward, noise = streams.reward, streams.noise
    n_arms = means.size
    sums = np.zeros(n_arms, np.int64)
    played = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, switches, t = 0, 0, 0
    lost = chance + (1.0 - chance) * rate
    scale = 2.0 / (-2.0 * np.log1p(-rate))
    action = int(n_arms * streams.selection.random())
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if record.segments:
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
