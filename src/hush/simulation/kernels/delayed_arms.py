"""Index and Thompson policies whose rewards come late, round by round; and what leaps share.

The rule chooses among the arms that have a release. What is released was decided a while ago:
:mod:`hush.simulation.kernels.outstanding`.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray

from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.numerics.compiled.draws import beta
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Arms, Handle, fresh_arms
from hush.simulation.kernels.common import add_segment, no_segments, released_sum
from hush.simulation.kernels.outstanding import (
    Batch,
    filled,
    first_arm,
    first_passed,
    first_release,
    new_first,
    next_batch,
    next_due,
    no_batches,
)
from hush.simulation.kernels.records import Late, Problem, Record, Streams, Traits

__all__ = ["absorb", "pick", "rounds_delayed_arms"]


@njit(inline="always", error_model="numpy")
def absorb(arms: Arms, batch: Batch, value: float, cumulative: bool) -> None:
    """Let a release replace the arm's statistic, or add to it."""
    arm = batch.arm
    if cumulative:
        arms.totals[arm] += value
        arms.counts[arm] += batch.size
    else:
        arms.totals[arm] = value
        arms.counts[arm] = batch.size
    arms.means[arm] = arms.totals[arm] / arms.counts[arm]


@njit(inline="always", error_model="numpy")
def value_of(batch: Batch, problem: Problem, script: Floats, noise: Generator) -> float:
    """Return what is released of a batch: its sum with noise, or the script's entry."""
    if script.size:
        return float(script[batch.arm, batch.epoch])
    return float(released_sum(batch.total, problem, noise))


@njit(inline="always", error_model="numpy")
def pick(
    rule: Rule,
    handle: Handle,
    arms: Arms,
    waiting: NDArray[np.bool_],
    traits: Traits,
    t: int,
    selection: Generator,
) -> int:
    """Return the arm that the rule chooses in round ``t``, of those that wait for no release."""
    mean, count = arms.means, arms.counts
    x = float(t)
    if traits.relative:
        x = -np.inf
        for j in range(mean.size):
            if not waiting[j]:
                x = max(x, mean[j])
    arm, best = -1, -np.inf
    for j in range(mean.size):
        if waiting[j]:
            continue
        value = rule(mean[j], count[j], x, handle)
        if traits.thompson:
            value = beta(selection, value * count[j] + 1.0, (1.0 - value) * count[j] + 1.0)
        if arm < 0 or value > best:
            arm, best = j, value
    return arm


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_delayed_arms(
    rule: Rule, parameters: Floats, late: Late, streams: Streams, record: Record
) -> Integers:
    """Play one run round by round; fill ``record.pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted. Where ``script`` is not empty, its
    entry (arm, epoch) is released instead of a drawn sum.
    """
    problem, traits = late.problem, late.traits
    means, delay = problem.means, problem.delay
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    handle = parameters.ctypes
    arms = fresh_arms(problem)
    running = np.zeros(means.size, np.int64)
    queue, segments = no_batches(), no_segments(record)
    first = new_first(arms.played, 0, traits.explores_first)
    left = means.size if traits.explores_first else 0
    used, t, committed = 0, 0, -1
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            arm = first_arm(first, problem.lengths[0]) if left > 0 else -1
            if arm < 0:
                arm = committed
            if arm < 0:
                arm = pick(rule, handle, arms, first.waiting, traits, t, streams.selection)
                committed = arm if traits.commits else -1
            if record.segments:
                segments, used = add_segment(segments, used, t, 1, arm)
            arms.played[arm] += 1
            arms.needed[arm] -= 1
            if streams.reward.random() < means[arm]:
                running[arm] += 1
            if arms.needed[arm] == 0:
                queue = filled(queue, arms, arm, running[arm], t, problem)
                running[arm] = 0
            if left > 0:
                first = first_passed(first, arm, t, delay)
            if next_due(queue) == t:
                batch = next_batch(queue)
                value = value_of(batch, problem, late.script, streams.noise)
                absorb(arms, batch, value, traits.cumulative)
                left -= first_release(first, batch.arm)
                committed = -1 if batch.arm == committed else committed
        copy_row(arms.played, pulls, c)
    return segments[:used]
