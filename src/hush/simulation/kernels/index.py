"""The leap engine for lazy index policies: whole stretches of rounds in one step, exactly.

While statistics stand still no index falls as time goes by. So if arm i leads now, and its index
now is at least every other arm's index w rounds later (more, for an arm that would win a tie),
then arm i is played in all w rounds. The rewards of an epoch are only ever used as a sum, hence one
binomial draw replaces them. Nothing is approximated but by floating-point arithmetic, which is
that of the rounds engine.

A policy that commits to an arm until its release needs no such argument.

With many arms most are far from leading. An arm's index some time ahead is a ceiling until then;
an arm whose ceiling is below the leader's index is passed over without computing anything. With
few arms that costs more than it saves; a crowd of them has a loop of its own
(:mod:`hush.simulation.kernels.crowd`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, largest
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Handle, fresh_arms, largest_index, settle
from hush.simulation.kernels.brackets import forget, leader_between
from hush.simulation.kernels.common import (
    add_segment,
    binomial,
    no_segments,
    pass_checkpoints,
    released_sum,
)
from hush.simulation.kernels.records import Problem, Record, Traits

__all__ = ["leap_index"]

MANY_ARMS = 24  # ceilings are kept
UNKNOWN, UNSAFE = 0, -1  # of an arm's safe_until
FAR = 2**60


class Watch(NamedTuple):
    """What is known about the time to come: ceilings of indices, and who cannot lead until when."""

    ceiling: Floats
    ceiling_until: Integers
    safe_until: Integers


@njit(inline="always", error_model="numpy")
def find_leader(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    ceiling: Floats,
    ceiling_until: Integers,
    guess: int,
    t: int,
) -> tuple[int, float]:
    """Return the leader of round ``t``, lowest first on a tie, and its index."""
    many = mean.size > MANY_ARMS
    known = rule(mean[guess], count[guess], float(t), handle) if many else -np.inf
    leader, value = 0, -np.inf
    for j in range(mean.size):
        if many and j != guess:
            if ceiling_until[j] < t:
                ceiling_until[j] = 2 * t
                ceiling[j] = rule(mean[j], count[j], float(2 * t), handle)
            if ceiling[j] < known:
                continue
        index = rule(mean[j], count[j], float(t), handle)
        if index > value:
            leader, value = j, index
    return leader, value


@njit(inline="always", error_model="numpy")
def relative_largest(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    index: Floats,
    best: float,
    changed: int,
) -> tuple[int, float]:
    """Return who leads where nothing depends on time, lowest first on a tie, and the best mean.

    One arm's statistic changed; all indices did where the best mean is not what it was.
    """
    top = largest(mean)
    for j in range(mean.size):
        if j == changed or top != best:
            index[j] = rule(mean[j], count[j], top, handle)
    leader, value = 0, -np.inf
    for j in range(mean.size):
        if index[j] > value:
            leader, value = j, index[j]
    return leader, top


@njit(inline="always", error_model="numpy")
def still_leads(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    safe_until: Integers,
    leader: int,
    t: int,
) -> tuple[int, float]:
    """Return the leader of round ``t`` and its index, where no statistic changed since the last.

    Arms that are safe until then cannot lead: the old leader's index has only grown.
    """
    best, value = leader, rule(mean[leader], count[leader], float(t), handle)
    for j in range(mean.size):
        if j != leader and safe_until[j] < t:
            index = rule(mean[j], count[j], float(t), handle)
            if index > value or (index == value and j < best):
                best, value = j, index
    return best, value


@njit(inline="always", error_model="numpy")
def certified_window(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    watch: Watch,
    lead: tuple[int, float],
    t: int,
    span: tuple[int, int],
) -> int:
    """Return a number of rounds, from ``t`` on, in which the leader surely leads.

    ``lead`` is the leader and its index, ``span`` how many rounds are left and how many to try. An
    arm is first tried at the far end; one that holds there is safe until then, and is not looked at
    again while the leader leads. For the others fewer rounds are tried, and halved.
    """
    safe_until = watch.safe_until
    leader, value = lead
    left, trial = span
    window = left
    end = t + left - 1
    for j in range(mean.size):
        if j == leader or safe_until[j] >= end:
            continue
        if safe_until[j] == UNKNOWN:
            # A twin is tied for ever, and the leader, being lower, wins ties.
            safe = mean[j] == mean[leader] and count[j] == count[leader]
            if not safe and end <= watch.ceiling_until[j]:
                safe = watch.ceiling[j] < value
            if not safe:
                rival = rule(mean[j], count[j], float(end), handle)
                safe = rival < value or (rival == value and j > leader)
            safe_until[j] = end if safe else UNSAFE
        if safe_until[j] == UNSAFE:
            window = min(window, trial)
            while window > 1:
                rival = rule(mean[j], count[j], float(t + window - 1), handle)
                if rival < value or (rival == value and j > leader):
                    break
                window >>= 1
        else:
            window = min(window, safe_until[j] - t + 1)
    return window


@apart
def play_index(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    script: Floats,
    source: Generator,
    record: Record,
    run: int,
) -> tuple[Integers, int]:
    """Play one run; fill ``record.pulls`` at the checkpoints, unless ``run`` is negative.

    Returns the played segments (start, length, arm) if wanted, and the number of windows. Where
    ``script`` is not empty, its entry (arm, epoch) is released instead of a drawn sum.
    """
    means, n_arms = problem.means, problem.means.size
    handle = parameters.ctypes
    arms = fresh_arms(problem)
    # Arrays that the inner loops read go by themselves: out of a record they cost a sixth more.
    mean, count, needed, played = arms.means, arms.counts, arms.needed, arms.played
    stop, commits = record.stop, traits.commits
    ceiling, ceiling_until = np.zeros(n_arms), np.zeros(n_arms, np.int64)
    safe_until = np.full(n_arms, UNKNOWN)
    watch = Watch(ceiling, ceiling_until, safe_until)
    brackets = np.empty((n_arms, 3))
    for j in range(n_arms):
        forget(brackets, ceiling_until, j)
    segments = no_segments(record)
    used = 0
    checkpoints = record.checkpoints
    horizon = record.checkpoints[-1]
    unreleased = n_arms if traits.explores_first else 0
    leader, position, windows, window, done = 0, 0, 0, 0, 0
    trial, changed, best = FAR, True, np.nan
    while done < horizon and stop[0] == 0:
        windows += 1
        if unreleased > 0:
            leader = n_arms - unreleased
            window = min(needed[leader], horizon - done)
        elif traits.relative:
            leader, best = relative_largest(rule, handle, mean, count, ceiling, best, leader)
            window = min(needed[leader], horizon - done)
        elif commits and not traits.costly:
            leader = largest_index(rule, handle, mean, count, float(done + 1))
            window = min(needed[leader], horizon - done)
        elif commits:
            leader = leader_between(rule, handle, mean, count, brackets, ceiling_until, done + 1)
            window = min(needed[leader], horizon - done)
        else:
            before = leader
            if changed:
                leader, value = find_leader(
                    rule, handle, mean, count, ceiling, ceiling_until, leader, done + 1
                )
            else:
                leader, value = still_leads(rule, handle, mean, count, safe_until, leader, done + 1)
            if changed or leader != before:
                for j in range(n_arms):  # cheaper here than assigning to a slice
                    safe_until[j] = UNKNOWN
            changed = False
            left = min(needed[leader], horizon - done)
            tried = min(trial, left)
            window = certified_window(
                rule, handle, mean, count, watch, (leader, value), done + 1, (left, tried)
            )
            # Near a change of leader windows shrink, then grow again: try as much as last held.
            trial = FAR if window == left else (window if window < tried else 4 * window)
        if checkpoints[position] <= done + window:
            position = pass_checkpoints(record, run, position, done, window, leader, played)
        if record.segments:
            segments, used = add_segment(segments, used, done + 1, window, leader)
        played[leader] += window
        needed[leader] -= window
        done += window
        if needed[leader] == 0:
            if script.size:
                released = script[leader, arms.epochs[leader]]
            else:
                drawn = binomial(arms.lengths[leader], means[leader], source)
                released = released_sum(drawn, problem, source)
            unreleased = max(0, unreleased - 1)
            settle(arms, leader, released, traits.cumulative, problem.lengths)
            forget(brackets, ceiling_until, leader)
            changed = True
    return segments[:used], windows


@njit(cache=True, nogil=True, error_model="numpy")
def leap_index(
    rule: Rule,
    parameters: Floats,
    problem: Problem,
    traits: Traits,
    script: Floats,
    source: Generator,
    record: Record,
    skipped: int,
) -> tuple[Integers, int]:
    """Play a block of runs one after the other from one source, not recording the first ones.

    Returns the segments of the last run if wanted, and the number of windows of all recorded.
    """
    segments = np.empty((0, 3), np.int64)
    windows = 0
    for run in range(-skipped, record.pulls.shape[0]):
        segments, more = play_index(rule, parameters, problem, traits, script, source, record, run)
        windows += more if run >= 0 else 0
    return segments, windows
