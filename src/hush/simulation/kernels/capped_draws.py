"""DP-TS-UCB: round by round, and as many rounds a step as go as usual.

While an arm's epoch has draws left, each round takes one. In most rounds one arm wins in the same
way: its draw, or the largest that it had if it has none left, is above some level, and all other
draws are below. Given that, draws of different arms and rounds are independent. So a step

* takes the level from what is known: the largest value of an arm without draws, or a number between
  the means;
* draws how many rounds go as usual, by the waiting time for the first that does not;
* draws, for each arm, the largest of those rounds' draws at once, by the quantile of its law;
* and draws the odd round, given which arm is the first to be on the other side of the level.

Where more than half of the rounds would be odd, a step is a round. Nothing is approximated: any
level gives the same law. Without draws left an arm is played to the end of its epoch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics import normal as normal_law
from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.draws import normal, standard_exponential
from hush.simulation.kernels.arms import fresh_arms, settle
from hush.simulation.kernels.common import (
    add_segment,
    batch_value,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.records import Caps, Problem, Record, Streams

__all__ = ["leap_capped_draws", "rounds_capped_draws"]

ODD = 0.7  # a step is a round where an odd one is as near as this: of all rounds, half
NONE = -1.0

tail_of = njit(cache=True, nogil=True, error_model="numpy")(normal_law.normal_tail)
quantile = njit(cache=True, nogil=True, error_model="numpy")(normal_law.normal_above)


class Drawn(NamedTuple):
    """The laws of arms' draws, how many each has left, and its largest so far."""

    means: Floats
    widths: Floats
    left: Integers
    largest: Floats


class Usual(NamedTuple):
    """How most rounds go: who wins, by which level, and how near an odd round is (its hazard)."""

    arm: int
    level: float
    hazard: float


@njit(inline="always", error_model="numpy")
def beyond(arms: Drawn, arm: int, level: float, winner: int) -> float:
    """Return the chance that a draw is on the other side of the level than usual."""
    apart = (level - arms.means[arm]) / arms.widths[arm]
    return float(tail_of(-apart if arm == winner else apart))


@njit(cache=True, nogil=True, error_model="numpy")
def hazard_of(arms: Drawn, level: float, winner: int) -> float:
    """Return minus the logarithm of the chance that all draws are on their side of the level."""
    hazard = 0.0
    for j in range(arms.means.size):
        if arms.left[j] > 0:
            hazard -= np.log1p(-beyond(arms, j, level, winner))
    return hazard


@njit(cache=True, nogil=True, error_model="numpy")
def usual_round(arms: Drawn) -> Usual:
    """Return how most rounds go, until an epoch ends or an arm has no draws left."""
    known, drawing, level = -1, -1, -np.inf
    for j in range(arms.means.size):
        if arms.left[j] == 0:
            if known < 0 or arms.largest[j] > level:
                known, level = j, arms.largest[j]
        elif drawing < 0 or arms.means[j] > arms.means[drawing]:
            drawing = j
    if drawing < 0:
        return Usual(known, level, 0.0)
    between = level
    for j in range(arms.means.size):
        if j != drawing and arms.left[j] > 0:
            wide, narrow = arms.widths[j], arms.widths[drawing]
            middle = (arms.means[drawing] * wide + arms.means[j] * narrow) / (wide + narrow)
            between = max(between, middle)
    by_draws = Usual(drawing, between, hazard_of(arms, between, drawing))
    if known < 0:
        return by_draws
    by_known = Usual(known, level, hazard_of(arms, level, known))
    return by_known if by_known.hazard < by_draws.hazard else by_draws


@njit(inline="always", error_model="numpy")
def note(arms: Drawn, arm: int, tail: float, rounds: int) -> float:
    """Let an arm have had draws, of which the largest has this tail; return it."""
    value = arms.means[arm] + arms.widths[arm] * quantile(tail)
    arms.largest[arm] = max(arms.largest[arm], value)
    arms.left[arm] -= rounds
    return float(value)


@njit(cache=True, nogil=True, error_model="numpy")
def play_usual(arms: Drawn, usual: Usual, rounds: int, selection: Generator) -> None:
    """Draw the largest of so many draws of each arm, all on their side of the level."""
    for j in range(arms.means.size):
        if arms.left[j] == 0:
            continue
        apart = (usual.level - arms.means[j]) / arms.widths[j]
        above, below = tail_of(apart), tail_of(-apart)
        share = -np.expm1(np.log(1.0 - selection.random()) / rounds)
        note(arms, j, above * share if j == usual.arm else above + below * share, rounds)


@njit(cache=True, nogil=True, error_model="numpy")
def play_odd(arms: Drawn, usual: Usual, wait: float, selection: Generator) -> int:
    """Draw a round in which not all draws are on their side; return who wins it.

    ``wait`` is what was left of the waiting time when the round began: it names the first arm whose
    draw is on the other side, as the place where the sum of hazards passes it.
    """
    found, arm, best = False, -1, -np.inf
    for j in range(arms.means.size):
        value = arms.largest[j]
        if arms.left[j] > 0:
            apart = (usual.level - arms.means[j]) / arms.widths[j]
            above, below = tail_of(apart), tail_of(-apart)
            wrong = below if j == usual.arm else above
            odd = selection.random() < wrong
            if not found:
                wait += np.log1p(-wrong)
                odd = found = wait < 0.0
            share = 1.0 - selection.random()
            high = (j == usual.arm) != odd
            value = note(arms, j, above * share if high else above + below * share, 1)
        if arm < 0 or value > best:
            arm, best = j, value
    return arm


@njit(cache=True, nogil=True, error_model="numpy")
def play_round(arms: Drawn, selection: Generator) -> int:
    """Draw once for each arm with draws left; return who wins, as the learner does."""
    arm, best = -1, -np.inf
    for j in range(arms.means.size):
        value = arms.largest[j]
        if arms.left[j] > 0:
            value = arms.means[j] + arms.widths[j] * normal(selection, 0.0, 1.0)
            arms.largest[j] = max(arms.largest[j], value)
            arms.left[j] -= 1
        if arm < 0 or value > best:
            arm, best = j, value
    return arm


@njit(cache=True, nogil=True, error_model="numpy")
def play_capped_draws(
    problem: Problem,
    caps: Caps,
    by_round: bool,
    script: Floats,
    streams: Streams,
    record: Record,
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments if wanted, and the number of steps. Where ``script`` is not empty,
    its entry (arm, epoch) is released instead of a drawn sum.
    """
    n_arms, horizon = problem.means.size, record.checkpoints[-1]
    known = fresh_arms(problem)
    left, largest = np.full(n_arms, caps.most), np.full(n_arms, -np.inf)
    arms = Drawn(known.means, np.zeros(n_arms), left, largest)
    running = np.zeros(n_arms, np.int64)
    segments, used, position = no_segments(record), 0, 0
    done, steps, unreleased = 0, 0, n_arms
    usual, wait = Usual(0, 0.0, 0.0), NONE
    while done < horizon and record.stop[0] == 0:
        steps += 1
        window = 1
        if unreleased > 0:
            arm = n_arms - unreleased
        elif by_round:
            arm = play_round(arms, streams.selection)
        elif wait >= 0.0:
            arm, wait = play_odd(arms, usual, wait, streams.selection), NONE
        else:
            usual = usual_round(arms)
            if usual.hazard > ODD:
                arm = play_round(arms, streams.selection)
            else:
                arm, ahead = usual.arm, min(known.needed[usual.arm], horizon - done)
                for j in range(n_arms):
                    ahead = min(ahead, left[j]) if left[j] > 0 else ahead
                wait = standard_exponential(streams.selection)
                if wait >= ahead * usual.hazard:
                    window, wait = ahead, NONE
                else:
                    window = int(wait / usual.hazard)
                    wait = max(0.0, wait - window * usual.hazard)
                if window == 0:
                    continue
                play_usual(arms, usual, window, streams.selection)
        position = pass_checkpoints(record, 0, position, done, window, arm, known.played)
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, window, arm)
        if by_round and streams.reward.random() < problem.means[arm]:
            running[arm] += 1
        known.played[arm] += window
        known.needed[arm] -= window
        done += window
        if known.needed[arm] == 0:
            epoch, length = known.epochs[arm], known.lengths[arm]
            if by_round and not script.size:
                value = float(released_sum(running[arm], problem, streams.noise))
            else:
                value = batch_value(problem, arm, epoch, length, script, streams)
            settle(known, arm, value, False, problem.lengths)
            arms.widths[arm] = np.sqrt(caps.spread / known.counts[arm])
            left[arm], largest[arm], running[arm] = caps.most, -np.inf, 0
            unreleased = max(0, unreleased - 1)
    return segments[:used], steps


@njit(cache=True, nogil=True, error_model="numpy")
def rounds_capped_draws(
    problem: Problem, caps: Caps, script: Floats, streams: Streams, record: Record
) -> Integers:
    """Play one run, drawing every reward and every value."""
    return play_capped_draws(problem, caps, True, script, streams, record)[0]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_capped_draws(
    problem: Problem,
    caps: Caps,
    script: Floats,
    streams: Streams,
    record: Record,
    skipped: int,  # noqa: ARG001  a block is one run
) -> tuple[Integers, int]:
    """Play one run, a step at a time; return its segments, and the number of steps."""
    return play_capped_draws(problem, caps, False, script, streams, record)
