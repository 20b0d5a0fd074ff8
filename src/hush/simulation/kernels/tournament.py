"""Which of many arms leads, and until when, without a look at each of them.

While statistics stand still no index falls, so that an arm's index some time ahead is a ceiling
until then. Over all arms stands a tree, of whose every node two things are known: the highest
ceiling below it, and the round until which all ceilings below it hold. So two kinds of arm are
found in a few steps: the one of the highest ceiling, which may lead and is looked at, and the one
whose ceiling ends first, which is given a new one. An arm that is close to the leader is given a
low ceiling for a short time, any other a ceiling that holds for long, and costs nothing until then.
All that counts are the comparisons that the rounds engine would make.

Arms of one mean and count are tied for ever, and the lowest wins. Where such twins lead, the others
leave the tree and queue behind the lowest, in a pairing heap (Fredman and others 1986); when its
statistic changes, the next takes its place.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Handle
from hush.simulation.kernels.ceilings import BLOCK, FAR, enter, first_of, highest, soonest

__all__ = ["NOBODY", "leader_of", "leads_until", "new_notes", "relative_leader", "replace"]

NEARLY = 0.9  # of the way to the leader: how high a ceiling is tried
HIDDEN = FAR + 1  # until when: in a queue
NOBODY = -1
# Of an arm's notes: how far ahead to try next, who is first in its queue, who is next in the queue
# that it is in; and room for a list of arms.
REACH, BEHIND, BESIDE, BEATEN = range(4)


@apart
def new_notes(n_arms: int) -> Integers:
    """Return notes of arms of which nothing is known."""
    notes = np.full((n_arms, 4), NOBODY)
    for j in range(n_arms):
        notes[j, REACH] = n_arms
    return notes


@njit(error_model="numpy")
def joined(notes: Integers, one: int, other: int) -> int:
    """Join two queues, the second of which may be empty; return who is first."""
    if other == NOBODY:
        return one
    low, high = min(one, other), max(one, other)
    notes[high, BESIDE] = notes[low, BEHIND]
    notes[low, BEHIND] = high
    return low


@apart
def look_ahead(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    ceiling: Floats,
    until: Integers,
    notes: Integers,
    asked: tuple[int, int, int],
) -> bool:
    """Give an arm a new ceiling, from a round on; return whether it is below the leader.

    ``asked`` is the arm, the round, and the leader, whose index is in the tree. Below means that
    the leader leads for as long as the ceiling holds. Rounds far ahead are tried first, then nearer
    ones; what held is where to begin next time.
    """
    arm, start, leader = asked
    level = ceiling[first_of(ceiling.size) + leader]
    if mean[arm] == mean[leader] and count[arm] == count[leader]:
        if arm > leader:
            joined(notes, leader, arm)
            enter(ceiling, until, arm, -np.inf, HIDDEN)
        else:
            enter(ceiling, until, arm, level, start)
        return True
    floor = ceiling[first_of(ceiling.size) + arm]
    ahead = notes[arm, REACH]
    while True:
        value = rule(mean[arm], count[arm], float(start + ahead - 1), handle)
        below = value < level or (value == level and arm > leader)
        if below or ahead == 1:
            break
        ahead = scaled(ahead, NEARLY * (level - floor) / (value - floor), ahead // 2)
    enter(ceiling, until, arm, np.inf if np.isnan(value) else value, start + ahead - 1)
    notes[arm, REACH] = scaled(ahead, NEARLY * (level - value) / (value - floor), 4 * start)
    return bool(below)


@njit(error_model="numpy")
def scaled(ahead: int, share: float, most: int) -> int:
    """Return so much of a number of rounds, at least 1; the most where the share is no number."""
    rounds = share * ahead
    if rounds < 1.0:
        return 1
    return int(rounds) if rounds < most else max(1, most)


@apart
def leader_of(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    ceiling: Floats,
    until: Integers,
    notes: Integers,
    asked: tuple[int, int],
) -> int:
    """Return who leads in a round. ``asked`` is an arm that may, looked at first, and the round.

    The leader has its index for a ceiling, which for the time being is not to end.
    """
    arm, t = asked
    top, found = arm, 0
    while True:
        if top != arm or found == 0:
            value = rule(mean[top], count[top], float(t), handle)
            if np.isnan(value):  # no number is above none
                value = -np.inf
            level = ceiling[first_of(ceiling.size) + arm]
            if found == 0 or value > level or (value == level and top < arm):
                enter(ceiling, until, top, value, FAR)
                arm = top
                notes[found, BEATEN] = arm
                found += 1
            elif value == -np.inf:
                enter(ceiling, until, top, value, t)
            else:
                ceiling[first_of(ceiling.size) + top] = value
                look_ahead(rule, handle, mean, count, ceiling, until, notes, (top, t, arm))
        elif until[1] < t:
            late = soonest(until)
            look_ahead(rule, handle, mean, count, ceiling, until, notes, (late, t, arm))
        else:
            break
        top = highest(ceiling)
    for i in range(found - 1):
        beaten = notes[i, BEATEN]
        look_ahead(rule, handle, mean, count, ceiling, until, notes, (beaten, t, arm))
    return arm


@apart
def leads_until(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    ceiling: Floats,
    until: Integers,
    notes: Integers,
    asked: tuple[int, int],
) -> int:
    """Return a round until which the leader surely leads. ``asked`` is the leader, and the last.

    Whoever stands in the way is tried once more: now it is known how high its ceiling may be.
    """
    leader, end = asked
    while until[1] < end:
        arm = soonest(until)
        last = until[first_of(until.size) + arm]
        if not look_ahead(
            rule, handle, mean, count, ceiling, until, notes, (arm, last + 1, leader)
        ):
            return int(last)
    return end


@apart
def replace(ceiling: Floats, until: Integers, notes: Integers, arm: int, t: int) -> None:
    """Take note that an arm's statistic changed by round ``t``: who queued behind it takes over."""
    pairs, left = NOBODY, notes[arm, BEHIND]
    while left != NOBODY:
        one, other = left, notes[left, BESIDE]
        left = NOBODY if other == NOBODY else notes[other, BESIDE]
        one = joined(notes, one, other)
        notes[one, BESIDE] = pairs
        pairs = one
    heir = NOBODY
    while pairs != NOBODY:
        one = pairs
        pairs = notes[one, BESIDE]
        heir = joined(notes, one, heir)
    if heir != NOBODY:
        enter(ceiling, until, heir, ceiling[first_of(ceiling.size) + arm], 0)
    notes[arm, BEHIND] = NOBODY
    notes[arm, REACH] = t


@apart
def relative_leader(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    ceiling: Floats,
    until: Integers,
    best: tuple[int, float],
    changed: int,
) -> tuple[int, tuple[int, float]]:
    """Return who leads where nothing depends on time, and which arm has the best mean, and that.

    One arm's statistic changed; all indices did where the best mean is not what it was. ``best`` is
    what was returned before, no arm at first. Ceilings are indices here.
    """
    first = first_of(ceiling.size)
    holder, top = best
    if holder in (NOBODY, changed) or mean[changed] > top:
        holder, top = 0, -np.inf
        for j in range(mean.size):
            if mean[j] > top:
                holder, top = j, mean[j]
        if best[0] == NOBODY or top != best[1]:
            for node in range(1, first):
                ceiling[node] = -np.inf
            for j in range(mean.size):
                value = rule(mean[j], count[j], top, handle)
                ceiling[first + j] = -np.inf if np.isnan(value) else value
                block = first // 2 + j // BLOCK
                ceiling[block] = max(ceiling[block], ceiling[first + j])
            for node in range(first // 2 - 1, 0, -1):
                ceiling[node] = max(ceiling[2 * node], ceiling[2 * node + 1])
            return highest(ceiling), (holder, top)
    value = rule(mean[changed], count[changed], top, handle)
    enter(ceiling, until, changed, -np.inf if np.isnan(value) else value, FAR)
    return highest(ceiling), (holder, top)
