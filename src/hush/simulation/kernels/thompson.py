"""The leap engine for lazy Thompson policies: exact in law, many rounds at once.

Between releases the chance of each arm to win a round depends on time alone, through its centre
``a(t)``, and smoothly so. Over a window of rounds all chances are interpolated
(:mod:`hush.simulation.kernels.thompson_windows`); the window is laid out in parts
(:mod:`hush.simulation.kernels.thompson_parts`), of whose rounds few need to be looked at
(:mod:`hush.simulation.kernels.thompson_counts`).

A window cannot outlast the rounds in which some epoch must end. Where that is soon, rounds are
played one by one with Beta draws, which is cheaper.
"""

from __future__ import annotations

from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.arrays import Floats, Integers, copy_row
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import fresh_arms, largest_draw, settle
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.records import Problem, Record, Traits
from hush.simulation.kernels.thompson_counts import play_part, step_part
from hush.simulation.kernels.thompson_parts import new_parts, next_part, no_part, open_parts
from hush.simulation.kernels.thompson_windows import (
    PLAIN_ROUNDS,
    blank_window,
    clipped_weight,
    open_window,
)

__all__ = ["leap_thompson"]


@njit(inline="always", error_model="numpy")
def arm_in_proportion(count: Floats, total: float, source: Generator) -> int:
    """Draw the arm of a round in which all arms are clipped at 1: in proportion to n + 1."""
    pick = source.random() * total
    arm = 0
    while arm < count.size - 1 and pick >= count[arm] + 1.0:
        pick -= count[arm] + 1.0
        arm += 1
    return arm


@njit(cache=True, nogil=True, error_model="numpy")
def leap_thompson(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    source: Generator,
    record: Record,
) -> tuple[Integers, int, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted, the number of windows and of their
    parts, and the number of rounds that were looked at one by one.
    """
    n_arms, horizon = problem.means.size, record.checkpoints[-1]
    handle = parameters.ctypes
    arms, parts = fresh_arms(problem), new_parts(n_arms)
    mean, count, needed, played = arms.means, arms.counts, arms.needed, arms.played
    segments = no_segments(record)
    unreleased = n_arms if traits.explores_first else 0
    used, position, steps, looked = 0, 0, 0, 0
    done = played[0]  # 0, but no constant, for which callees would be compiled once more
    plain_end, candidate = done, done
    part, window, clipped = no_part(done), blank_window(), 0.0
    while done < horizon and record.stop[0] == 0:
        after, arm, repeat = done, -1, 1
        if unreleased > 0:
            arm = n_arms - unreleased
            repeat = min(needed[arm], horizon - done)
        elif done < plain_end:
            looked += 1
            if clipped > 0.0:
                arm = arm_in_proportion(count, clipped, source)
            else:
                arm = largest_draw(rule, handle, mean, count, done + 1, source)
        elif done >= part.window_end:
            most = min(1, horizon - done)
            for j in range(n_arms):  # at most so many rounds pass before some epoch is full
                most = min(most + needed[j] - 1, horizon - done)
            window = open_window(
                rule, handle, arms, done + 1, most, needed, parts.coefficients, window
            )
            if window.points == 0:
                plain_end = done + min(window.rounds, PLAIN_ROUNDS)
                clipped = clipped_weight(rule, handle, arms, done + 1)
            else:
                steps += 1
                part = open_parts(parts, window, done)
            continue
        elif done >= part.end:
            steps += 1
            part, candidate = next_part(parts, part), done
            continue
        elif record.segments:
            repeat, arm, candidate = step_part(
                parts, part, window, done, candidate, part.end, needed, source
            )
            looked += 1
        else:
            until = min(part.end, record.checkpoints[position])
            after, arm, looks = play_part(parts, part, window, done, until, needed, played, source)
            looked += looks
        if after == done:  # a stretch of one arm
            position = pass_checkpoints(record, 0, position, done, repeat, arm, played)
            if record.segments:
                segments, used = add_segment(segments, used, done + 1, repeat, arm)
            played[arm] += repeat
            needed[arm] -= repeat
            done += repeat
        else:
            done = after
            while position < record.checkpoints.size and record.checkpoints[position] <= done:
                copy_row(played, record.pulls[0], position)
                position += 1
        if arm >= 0 and needed[arm] == 0:
            drawn = binomial(arms.lengths[arm], problem.means[arm], source)
            released = released_sum(drawn, problem, source)
            settle(arms, arm, released, traits.cumulative, problem.lengths)
            unreleased = max(0, unreleased - 1)
            plain_end = done  # what was computed no longer holds
            part = no_part(done)
    return segments[:used], steps, looked
