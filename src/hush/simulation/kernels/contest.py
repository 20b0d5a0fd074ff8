"""NoiseAwareBAI until it knows the best arm: a batch a step.

Nothing happens between releases: an arm is chosen at a release and played for a whole batch, whose
rewards enter one sum. So a batch is one binomial draw, and a run a few dozen of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.pairs import leader_share, least_pulls, meeting, top_of
from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend
from hush.numerics.pairs import TIE
from hush.numerics.prior import UNIFORM
from hush.simulation.kernels.common import batch_value, doubled, length_of
from hush.simulation.kernels.records import Problem, Streams, Target

__all__ = ["find_by_contest"]

LOST = -2  # for the arm, where a posterior is no number any more


@njit(cache=True, nogil=True, error_model="numpy")
def find_by_contest(
    problem: Problem, target: Target, script: Floats, streams: Streams
) -> tuple[int, int]:
    """Play one run; return the arm that is named, or -1, and how many pulls it took.

    Fills ``target.pulls``. Where ``script`` is not empty, its entry (arm, release) is released
    instead of a drawn sum.
    """
    n_arms = problem.means.size
    pulls, lengths = target.pulls, problem.lengths
    counts, values = np.empty((n_arms, 64)), np.empty((n_arms, 64))
    epoch = np.zeros(n_arms, np.int64)
    posteriors = blank_posteriors(n_arms)
    at, top = np.zeros(n_arms), np.zeros(n_arms)
    owed = np.zeros(n_arms)
    arm, unreleased, done = 0, n_arms, 0
    while done < target.most and target.stop[0] == 0:
        number = epoch[arm]
        length = length_of(lengths, number)
        if length > target.most - done:
            pulls[arm] += target.most - done
            done = target.most
            break
        if number == counts.shape[1]:
            counts, values = doubled(counts), doubled(values)
        counts[arm, number] = float(length)
        values[arm, number] = batch_value(problem, arm, number, length, script, streams)
        epoch[arm] += 1
        pulls[arm] += length
        done += length
        known = Releases(
            counts[arm, : number + 1], values[arm, : number + 1], problem.epsilon, problem.gaussian
        )
        extend(posteriors, arm, known, UNIFORM)
        at[arm], top[arm] = top_of(posteriors, arm)
        if not top[arm] > -np.inf:
            return LOST, done
        unreleased = max(0, unreleased - 1)
        if unreleased > 0:
            arm = n_arms - unreleased
            continue
        leader, fewest = 0, 0
        for j in range(1, n_arms):
            leader = j if at[j] > at[leader] + TIE else leader
            fewest = j if pulls[j] < pulls[fewest] else fewest
        highest, best_key, challenger = -np.inf, -np.inf, -1
        lost_leader, lost_challenger = 0.0, 0.0
        for j in range(n_arms):
            if j == leader:
                continue
            level, one, two = meeting(posteriors, (leader, j), (at[leader], at[j]))
            highest = max(highest, level)
            key = level - np.log(float(pulls[j]))
            if challenger < 0 or key > best_key + TIE:
                best_key, challenger = key, j
                lost_leader, lost_challenger = max(top[leader] - one, 0.0), max(top[j] - two, 0.0)
        if highest <= target.most_level:
            return leader, done
        if pulls[fewest] < least_pulls(float(done), n_arms):
            arm = fewest
            continue
        share = leader_share(lost_leader, lost_challenger)
        wants_leader = length_of(lengths, epoch[leader])
        wants_challenger = length_of(lengths, epoch[challenger])
        leads = owed[leader] + share * wants_leader
        follows = owed[challenger] + (1.0 - share) * wants_challenger
        slack = TIE * (wants_leader + wants_challenger)
        arm = leader if leads >= follows - slack else challenger
        given = float(wants_leader if arm == leader else wants_challenger)
        owed[arm] -= given
        owed[leader] += share * given
        owed[challenger] += (1.0 - share) * given
    return -1, done
