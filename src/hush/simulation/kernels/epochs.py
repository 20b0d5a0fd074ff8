"""Full-information policies that play one action an epoch: round by round, and an epoch a step.

The action of an epoch is fixed when it begins, and the rewards of an epoch are only ever used as
sums: one binomial draw per action and epoch replaces them.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.numerics.compiled.draws import standard_exponential
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    laplace_noise,
    no_segments,
    pass_checkpoints,
)
from hush.simulation.kernels.records import (
    EXPONENTIAL,
    GUMBEL,
    HEDGE,
    LAPLACE,
    EpochTraits,
    Problem,
    Record,
    Streams,
)

__all__ = ["leap_epochs", "noisy_winner", "rounds_epochs"]


@apart
def noisy_winner(sums: Integers, law: int, scale: float, discrete: bool, noise: Generator) -> int:
    """Return the position of the largest sum after noise, lowest first on a tie."""
    winner, best = 0, -np.inf
    for j in range(sums.size):
        value = float(sums[j])
        if law == EXPONENTIAL:
            value += scale * standard_exponential(noise)
        elif law == GUMBEL:
            value -= scale * np.log(standard_exponential(noise))
        elif law == LAPLACE:
            value += laplace_noise(scale, discrete, noise)
        if value > best:
            winner, best = j, value
    return winner


@apart
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


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_epochs(
    problem: Problem, traits: EpochTraits, script: Floats, streams: Streams, record: Record
) -> Integers:
    """Play one run round by round; fill ``record.pulls`` at the checkpoints.

    Returns the played segments if wanted. Where ``script`` is not empty, its entry (0, epoch) is
    the action that an epoch's sums lead to.
    """
    means, lengths = problem.means, problem.lengths
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    reward, noise, selection = streams.reward, streams.noise, streams.selection
    # Out of their records once: read in every round, they cost a third of it.
    law, scale, discrete = traits.law, traits.scale, problem.discrete
    keeps, prefix, wants_segments = traits.keeps, traits.prefix, record.segments
    has_script, last = script.size > 0, lengths.size - 1
    n_arms = means.size
    sums = np.zeros(n_arms, np.int64)
    weights = np.zeros(n_arms)
    played = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, action, epoch, filled, kept, t = 0, 0, 0, 0, 0, 0
    if traits.starts_at_random:
        action = int(n_arms * selection.random())
    length = lengths[0]
    wanted = random_prefix(length, selection) if prefix else length
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if wants_segments:
                segments, used = add_segment(segments, used, t, 1, action)
            played[action] += 1
            for j in range(n_arms):
                if reward.random() < means[j] and filled < wanted:
                    sums[j] += 1
            filled += 1
            if filled == length:
                kept += wanted
                if law == HEDGE:
                    action = hedge_draw(sums, kept + 1, weights, selection)
                else:
                    action = noisy_winner(sums, law, scale, discrete, noise)
                if has_script:
                    action = int(script[0, epoch])
                epoch += 1
                filled = 0
                length = lengths[min(epoch, last)]
                wanted = random_prefix(length, selection) if prefix else length
                if not keeps:
                    kept = 0
                    for j in range(n_arms):
                        sums[j] = 0
        copy_row(played, pulls, c)
    return segments[:used]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_epochs(
    problem: Problem,
    traits: EpochTraits,
    script: Floats,
    streams: Streams,
    record: Record,
    skipped: int,
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of epochs of all recorded.
    """
    means, lengths = problem.means, problem.lengths
    checkpoints, pulls, stop = record.checkpoints, record.pulls, record.stop
    reward, noise, selection = streams.reward, streams.noise, streams.selection
    law, scale, discrete = traits.law, traits.scale, problem.discrete
    keeps, prefix, wants_segments = traits.keeps, traits.prefix, record.segments
    has_script, last = script.size > 0, lengths.size - 1
    n_arms = means.size
    horizon = checkpoints[-1]
    sums = np.zeros(n_arms, np.int64)
    weights = np.zeros(n_arms)
    segments = no_segments(record)
    used, epochs = 0, 0
    for run in range(-skipped, pulls.shape[0]):
        played = np.zeros(n_arms, np.int64)
        used, position, action, epoch, done, kept = 0, 0, 0, 0, 0, 0
        if traits.starts_at_random:
            action = int(n_arms * selection.random())
        while done < horizon and stop[0] == 0:
            length = lengths[min(epoch, last)]
            window = min(length, horizon - done)
            if position < checkpoints.size and checkpoints[position] <= done + window:
                position = pass_checkpoints(record, run, position, done, window, action, played)
            if wants_segments:
                segments, used = add_segment(segments, used, done + 1, window, action)
            played[action] += window
            done += window
            if window == length:
                summed = random_prefix(length, selection) if prefix else length
                before = kept if keeps else 0
                kept = before + summed
                for j in range(n_arms):
                    drawn = binomial(summed, means[j], reward)
                    sums[j] = drawn + (sums[j] if before > 0 else 0)
                if law == HEDGE:
                    action = hedge_draw(sums, kept + 1, weights, selection)
                else:
                    action = noisy_winner(sums, law, scale, discrete, noise)
                if has_script:
                    action = int(script[0, epoch])
            epoch += 1
        if run >= 0:
            epochs += epoch
    return segments[:used], epochs
