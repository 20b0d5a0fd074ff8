"""Thompson policies round by round: where an arm leads by far, hardly anything is drawn.

Arms are drawn one and all only while their posteriors overlap; see
:mod:`hush.simulation.kernels.contenders`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.numerics.compiled.draws import standard_exponential
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import fresh_arms, settle
from hush.simulation.kernels.common import add_segment, no_segments, released_sum
from hush.simulation.kernels.contenders import (
    Sides,
    find_winner,
    lay_contest,
    look_again,
    new_contest,
)
from hush.simulation.kernels.records import Problem, Record, Streams, Traits

__all__ = ["rounds_thompson"]


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_thompson(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    script: Floats,
    streams: Streams,
    record: Record,
    most_hazard: float,
) -> Integers:
    """Play one run; fill ``record.pulls`` at the checkpoints, and return segments if wanted.

    Where ``script`` is not empty, its entry (arm, epoch) is released instead of a drawn sum. With
    ``most_hazard`` at 0 every arm is drawn in every round, as learners do.
    """
    means, lengths, source = problem.means, problem.lengths, streams.selection
    checkpoints, pulls, stop = record.checkpoints, record.pulls[0], record.stop
    n_arms = means.size
    handle = parameters.ctypes
    arms = fresh_arms(problem)
    contest = new_contest(arms)
    count, mean, needed, played = arms.counts, arms.means, arms.needed, arms.played
    running = np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    used, t, arm = 0, 0, 0
    sides, until, left = Sides(0.0, 0, 0, n_arms, 0.0, 0.0, 0.0, 0.0), 0, 0.0
    unreleased = n_arms if traits.explores_first else 0
    for c in range(checkpoints.size):
        while t < checkpoints[c] and stop[0] == 0:
            t += 1
            if unreleased > 0:
                arm = n_arms - unreleased
            else:
                if t > until:
                    sides = lay_contest(rule, handle, contest, t, most_hazard)
                    until = sides.until
                    left = standard_exponential(source) if sides.total > 0.0 else 0.0
                if sides.n_open == 0 and left >= sides.total:
                    arm = sides.leader
                    left -= sides.total
                else:
                    arm, left = find_winner(rule, handle, contest, sides, t, left, source)
            if record.segments:
                segments, used = add_segment(segments, used, t, 1, arm)
            played[arm] += 1
            needed[arm] -= 1
            if streams.reward.random() < means[arm]:
                running[arm] += 1
            if needed[arm] == 0:
                if script.size:
                    released = script[arm, arms.epochs[arm]]
                else:
                    released = released_sum(running[arm], problem, streams.noise)
                settle(arms, arm, released, traits.cumulative, lengths)
                running[arm] = 0
                unreleased = max(0, unreleased - 1)
                if t < until and arm != sides.leader:
                    sides = look_again(rule, handle, contest, arm, sides)
                elif t < until:
                    k = rule(mean[arm], count[arm], float(t + 1), handle) * count[arm]
                    if not (count[arm] - k <= sides.failures and k >= sides.successes):
                        until = t
        copy_row(played, pulls, c)
    return segments[:used]
