"""The private adversarial bandit, round by round.

An arm is drawn for every block of rounds, with chances that all releases moved. So a run has as
many draws as blocks, whatever is done: to draw a block's rewards as one binomial number is no
faster than to toss them where a block has some hundred rounds at most.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats, Integers
from hush.policies import batched_htinf
from hush.simulation.kernels.common import (
    add_segment,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.posterior import drawn_arm
from hush.simulation.kernels.records import Problem, Record, Streams

__all__ = ["rounds_blocks"]

SKIP = batched_htinf.SKIP

chances_of = njit(cache=True, nogil=True, error_model="numpy")(batched_htinf.tsallis_chances)


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_blocks(
    problem: Problem, moment: float, script: Floats, streams: Streams, record: Record
) -> Integers:
    """Play one run; fill ``record.pulls`` at the checkpoints, and return segments if wanted.

    Where ``script`` is not empty, its entry (arm, epoch) is released instead of a drawn sum.
    """
    n_arms, horizon = problem.means.size, record.checkpoints[-1]
    length, deviation = problem.lengths[0], np.sqrt(moment)
    losses, chances = np.zeros(n_arms), np.full(n_arms, 1.0 / n_arms)
    epochs, played = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64)
    segments, used, position = no_segments(record), 0, 0
    done, blocks = 0, 0
    while done < horizon and record.stop[0] == 0:
        arm = drawn_arm(chances, streams.selection)
        window = min(length, horizon - done)
        position = pass_checkpoints(record, 0, position, done, window, arm, played)
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, window, arm)
        done += window
        played[arm] += window
        total = 0
        for _ in range(window):
            total += 1 if streams.reward.random() < problem.means[arm] else 0
        if window < length:
            break
        value = script[arm, epochs[arm]] if script.size else 0.0
        if not script.size:
            value = float(released_sum(total, problem, streams.noise))
        epochs[arm] += 1
        loss, chance = 1.0 - value / length, chances[arm]
        if abs(loss) <= SKIP * deviation * np.sqrt((blocks + 1) * chance):
            losses[arm] += loss / chance
        blocks += 1
        chances = chances_of(losses, 1.0 / (deviation * np.sqrt(blocks + 1.0)))
    return segments[:used]
