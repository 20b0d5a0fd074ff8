"""The engine of policies that decide by exact posteriors, and at releases only: exactly.

Between releases nothing is learnt, so what is played until the next one is known: one arm to the
end of its batch, or a leader until a challenger is due. Each stretch is one step, and the rewards
of a batch are one binomial draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics import challenger
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.evidence import log_above, mean_of, upper_of
from hush.numerics.compiled.posterior import (
    Posteriors,
    Releases,
    blank_posteriors,
    extend,
)
from hush.numerics.prior import UNIFORM
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    doubled,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.records import BatchRule, Problem, Record, Streams

__all__ = ["leap_batches", "rounds_batches"]

FIRST_ROOM = 64  # for an arm's releases; it grows
LONGEST = 2**62
CLOSE = 1e-9  # upper ends are searched for by halving, which may miss a digit

above = njit(error_model="numpy")(challenger.above)
against = njit(error_model="numpy")(challenger.against)
due = njit(error_model="numpy")(challenger.due)
due_of_newcomer = njit(error_model="numpy")(challenger.due_of_newcomer)
plays_of_leader = njit(error_model="numpy")(challenger.plays_of_leader)
batch_length = njit(error_model="numpy")(challenger.batch_length)


class Arms(NamedTuple):
    """What is known of the arms: their posteriors, and how much of each was played and released.

    ``lengths`` are those of batches to come, ``needed`` is what the open one still lacks, 0 where
    none is open, and ``waiting`` how many rounds are in full ones that wait for their rewards.
    """

    posteriors: Posteriors
    means: Floats
    released: Integers
    played: Integers
    lengths: Integers
    needed: Integers
    waiting: Integers


class Tests(NamedTuple):
    """When challengers are due: keys, rounds, and how often the leader must have been played."""

    keys: Floats
    rounds: Floats
    leader_plays: Floats


@njit(inline="always", error_model="numpy")
def blank_arms(n_arms: int, first: int) -> Arms:
    """Return arms of which nothing is known, and whose first batches have that many rewards."""
    return Arms(
        blank_posteriors(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        np.full(n_arms, first),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
    )


@njit(inline="always", error_model="numpy")
def blank_tests(n_arms: int) -> Tests:
    """Return tests that were never weighed."""
    return Tests(np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms))


@njit(inline="always", error_model="numpy")
def level_at(power: float, done: float) -> float:
    """Return how small the evidence for an upper end is, as a logarithm, after so many rounds."""
    return float(np.log(done) + power * np.log1p(np.log(done))) if done > 0.0 else 0.0


@apart
def highest(arms: Arms, ceilings: Floats, level: float) -> int:
    """Return the arm with the largest upper end, lowest first on a tie; first those unreleased.

    Upper ends grow with the level. They are not looked at where their ceilings, which they have at
    a higher level, are below the upper end of the arm with the highest ceiling.
    """
    top = 0
    for j in range(ceilings.size):
        if arms.released[j] == 0:
            return j
        if ceilings[j] > ceilings[top]:
            top = j
    least = upper_of(arms.posteriors, top, level)
    best, value = -1, -np.inf
    for j in range(ceilings.size):
        if j == top or ceilings[j] >= least - CLOSE:
            upper = upper_of(arms.posteriors, j, level)
            if upper > value:
                best, value = j, upper
    return best


@apart
def raise_ceilings(arms: Arms, ceilings: Floats, level: float) -> None:
    """Let every ceiling be the upper end at a level."""
    for j in range(ceilings.size):
        if arms.released[j] > 0:
            ceilings[j] = upper_of(arms.posteriors, j, level)


@njit(inline="always", error_model="numpy")
def weigh(
    arms: Arms, tests: Tests, told: int, was: int, first: int, rule: BatchRule, epsilon: float
) -> int:
    """Return the leader; find out when the others are due, and how long their tests will be.

    Only arm ``told`` has a new release; ``was`` is the leader before it.
    """
    n_arms, horizon, constants = arms.means.size, rule.horizon, rule.constants
    leader = -1
    for j in range(n_arms):
        if arms.released[j] > 0 and (leader < 0 or above(arms.means[j], arms.means[leader])):
            leader = j
    top = arms.means[leader]
    for j in range(n_arms):
        if leader == was and told not in (leader, j):
            continue  # what stands against it is as it was
        count, plays = float(arms.released[j]), 0.0
        if j == leader:
            key, length = np.inf, count
        elif count == 0.0:
            key, length = due_of_newcomer(top, float(first), constants), float(first)
        else:
            evidence = against(log_above(arms.posteriors, j, top, UNIFORM))
            key = due(evidence, count, top, float(first), n_arms, horizon > 0.0, constants)
            length = batch_length(count, top - arms.means[j], epsilon, constants)
            plays = plays_of_leader(evidence, float(arms.played[j]), constants)
        tests.keys[j], tests.leader_plays[j] = key, np.ceil(plays)
        tests.rounds[j] = np.ceil(np.exp(min(key, 60.0)))
        if horizon > 0.0:
            tests.rounds[j] = 0.0 if key <= np.log(horizon) else np.inf
        arms.lengths[j] = min(length, float(LONGEST))
    return leader


@njit(inline="always", error_model="numpy")
def turn(arms: Arms, tests: Tests, leader: int, done: int) -> tuple[int, int]:
    """Return the challenger whose turn it is, or the leader, and for how many rounds at most.

    An arm with a full batch that waits for its rewards is left alone.
    """
    now, rounds, newcomer = leader, float(LONGEST), False
    for j in range(arms.means.size):
        if j == leader or arms.waiting[j] > 0:
            continue
        if arms.released[j] == 0:
            if newcomer:
                continue
            newcomer = True
        plays = tests.leader_plays[j] - arms.played[leader]
        wait = max(tests.rounds[j] - (done + 1), plays)
        if wait > 0.0:
            rounds = min(rounds, wait)
        elif now == leader or above(tests.keys[now], tests.keys[j]):
            now = j
    return now, int(rounds) if now == leader else LONGEST


@apart
def play_batches(
    problem: Problem,
    rule: BatchRule,
    by_round: bool,
    script: Floats,
    streams: Streams,
    record: Record,
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments if wanted, and the number of stretches. Where ``script`` is not
    empty, its entry (arm, epoch) is released instead of a drawn sum.
    """
    n_arms, schedule = problem.means.size, problem.lengths
    arms, tests = blank_arms(n_arms, schedule[0]), blank_tests(n_arms)
    counts, values = np.empty((n_arms, FIRST_ROOM)), np.empty((n_arms, FIRST_ROOM))
    epochs, running = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64)
    segments = no_segments(record)
    horizon = record.checkpoints[-1]
    used, done, position, stretches, arm, leader, rounds = 0, 0, 0, 0, 0, -1, 0
    testing, far, ceilings = False, -np.inf, np.zeros(n_arms)
    while done < horizon and record.stop[0] == 0:
        stretches += 1
        if not testing and rounds <= 0:
            if rule.upper:
                level = level_at(rule.power, float(done))
                if level > far:
                    far = level_at(rule.power, 2.0 * done + 2.0)
                    raise_ceilings(arms, ceilings, far)
                arm, rounds, testing = highest(arms, ceilings, level), LONGEST, True
            elif leader < 0:
                arm, rounds, testing = 0, LONGEST, True
            else:
                arm, rounds = turn(arms, tests, leader, done)
                testing = arm != leader
        if arms.needed[arm] == 0:
            arms.needed[arm] = arms.lengths[arm]
        window = 1 if by_round else min(arms.needed[arm], rounds, horizon - done)
        position = pass_checkpoints(record, 0, position, done, window, arm, arms.played)
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, window, arm)
        if by_round and streams.reward.random() < problem.means[arm]:
            running[arm] += 1
        arms.played[arm] += window
        arms.needed[arm] -= window
        done += window
        rounds -= window
        if arms.needed[arm] > 0:
            continue
        at, length = epochs[arm], arms.played[arm] - arms.released[arm]
        if at == counts.shape[1]:
            counts, values = doubled(counts), doubled(values)
        if script.size:
            value = script[arm, at]
        else:
            drawn = running[arm]
            if not by_round:
                drawn = binomial(length, problem.means[arm], streams.reward)
            value = released_sum(drawn, problem, streams.noise)
        counts[arm, at], values[arm, at] = float(length), value
        running[arm] = 0
        epochs[arm] = at + 1
        arms.released[arm] += length
        known = Releases(
            counts[arm, : at + 1], values[arm, : at + 1], problem.epsilon, problem.gaussian
        )
        extend(arms.posteriors, arm, known, UNIFORM)
        testing, rounds = False, 0
        if rule.upper:
            ceilings[arm] = upper_of(arms.posteriors, arm, far)
            arms.lengths[arm] = schedule[min(at + 1, schedule.size - 1)]
        else:
            arms.means[arm] = mean_of(arms.posteriors, arm)
            leader = weigh(arms, tests, arm, leader, schedule[0], rule, problem.epsilon)
    return segments[:used], stretches


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_batches(
    problem: Problem, rule: BatchRule, script: Floats, streams: Streams, record: Record
) -> Integers:
    """Play one run, round by round; return its segments."""
    return play_batches(problem, rule, True, script, streams, record)[0]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_batches(
    problem: Problem,
    rule: BatchRule,
    script: Floats,
    streams: Streams,
    record: Record,
    skipped: int,  # noqa: ARG001  a block is one run
) -> tuple[Integers, int]:
    """Play one run, a stretch at a time; return its segments, and the number of stretches."""
    return play_batches(problem, rule, False, script, streams, record)
