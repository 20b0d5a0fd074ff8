"""The leap engine for full-information epoch policies: one step per epoch, exactly.

The action of an epoch is fixed when it begins, and the rewards of an epoch are only ever used as
sums: one binomial draw per action and epoch replaces them.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.simulation.kernels import (
    Floats,
    Integers,
    add_segment,
    noisy_winner,
    pass_checkpoints,
    random_prefix,
)

__all__ = ["leap_epochs"]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_epochs(
    means: Floats,
    lengths: Integers,
    law: int,
    scale: float,
    discrete: bool,
    prefix: bool,
    checkpoints: Integers,
    source: Generator,
    skipped: int,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of epochs of all recorded.
    """
    n_arms = means.size
    horizon = checkpoints[-1]
    sums = np.zeros(n_arms, np.int64)
    unrecorded = np.zeros_like(pulls[0])
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    used, epochs = 0, 0
    for run in range(-skipped, pulls.shape[0]):
        out = pulls[run] if run >= 0 else unrecorded
        played = np.zeros(n_arms, np.int64)
        used, position, action, epoch, done = 0, 0, 0, 0, 0
        while done < horizon and stop[0] == 0:
            length = lengths[min(epoch, lengths.size - 1)]
            window = min(length, horizon - done)
            position = pass_checkpoints(checkpoints, position, done, window, action, played, out)
            if keep_segments:
                segments, used = add_segment(segments, used, done + 1, window, action)
            played[action] += window
            done += window
            epoch += 1
            if window == length:
                summed = random_prefix(length, source) if prefix else length
                for j in range(n_arms):
                    sums[j] = source.binomial(summed, means[j])
                action = noisy_winner(sums, law, scale, discrete, source)
        if run >= 0:
            epochs += epoch
    return segments[:used], epochs
