"""Top-two policies until they name an arm: rewards a batch at a time, turns one by one.

Given the releases, leader, challenger and the end are fixed: so the arms between two releases are
found without drawing a reward, and a batch's rewards are one binomial draw.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics import transport
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.policies import dp_tt
from hush.policies.core import top_two
from hush.policies.core.top_two import LEADER_SHARE
from hush.simulation.kernels.common import batch_value, length_of
from hush.simulation.kernels.records import Problem, Streams, Target, TopTwoTraits

__all__ = ["find_by_top_two"]

transport_cost = apart(transport.transport_cost)
pair_threshold = apart(dp_tt.pair_threshold)
gaussian_cost = apart(top_two.gaussian_cost)
gaussian_threshold = apart(top_two.gaussian_threshold)


@apart
def cost(one: float, two: float, w_a: float, w_b: float, traits: TopTwoTraits) -> float:
    """Return the policy's transportation cost."""
    if traits.transport:
        return transport_cost(one, two, w_a, w_b, traits.epsilon)
    return gaussian_cost(one - two, w_a, w_b, traits.most_factor)


@apart
def stopped(mean: Floats, count: Floats, delta: float, traits: TopTwoTraits) -> int:
    """Return the arm that is held better than every other, or -1."""
    n_arms, best, total = mean.size, 0, 0.0
    for j in range(n_arms):
        best = j if mean[j] > mean[best] else best
        total += count[j]
    for j in range(n_arms):
        if j == best:
            continue
        if traits.transport:
            needed = pair_threshold(
                count[best], count[j], total, traits.epsilon, delta, traits.stated
            )
        else:
            needed = gaussian_threshold(
                count[best], count[j], n_arms, delta, traits.epsilon, traits.stated
            )
        if not cost(mean[best], mean[j], count[best], count[j], traits) > needed:
            return -1
    return best


@apart
def led_by(mean: Floats, count: Floats, traits: TopTwoTraits) -> int:
    """Return the leader."""
    leader, most = 0, -np.inf
    for j in range(mean.size):
        value = mean[j]
        if not traits.transport:
            phases = np.log2(count[j]) + 2.0
            value += np.sqrt(phases / count[j]) + phases / (traits.epsilon * count[j])
        if value > most:
            leader, most = j, value
    return leader


@apart
def challenged_by(leader: int, mean: Floats, pulls: Integers, traits: TopTwoTraits) -> int:
    """Return the challenger."""
    found, least = -1, np.inf
    for j in range(mean.size):
        if j == leader:
            continue
        value = cost(mean[leader], mean[j], float(pulls[leader]), float(pulls[j]), traits)
        if traits.transport:
            value += np.log(float(pulls[j]))
        if found < 0 or value < least:
            found, least = j, value
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def find_by_top_two(
    problem: Problem, traits: TopTwoTraits, target: Target, script: Floats, streams: Streams
) -> tuple[int, int]:
    """Play one run; return the arm that is named, or -1, and how many pulls it took.

    Fills ``target.pulls``. Where ``script`` is not empty, its entry (arm, release) is released
    instead of a drawn sum.
    """
    n_arms, pulls, lengths = problem.means.size, target.pulls, problem.lengths
    epoch, running = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64)
    led, kept = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64)
    total, count, mean = np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms)
    leader, done = 0, 0
    while done < target.most and target.stop[0] == 0:
        arm = done
        if done >= n_arms:
            led[leader] += 1
            arm = leader
            if kept[leader] > LEADER_SHARE * led[leader]:
                arm = challenged_by(leader, mean, pulls, traits)
            kept[leader] += arm == leader
        done += 1
        pulls[arm] += 1
        running[arm] += 1
        length = length_of(lengths, epoch[arm])
        if running[arm] < length:
            continue
        value = batch_value(problem, arm, epoch[arm], length, script, streams)
        epoch[arm] += 1
        running[arm] = 0
        if traits.transport:
            total[arm] += value
            count[arm] += length
            mean[arm] = min(max(total[arm] / count[arm], 0.0), 1.0)
        else:
            count[arm] = length
            mean[arm] = value / length
        if done >= n_arms:
            named = stopped(mean, count, target.delta, traits)
            if named >= 0:
                return named, done
            leader = led_by(mean, count, traits)
    return -1, done
