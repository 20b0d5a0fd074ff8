"""Which of many arms leads, and until when, without a look at each of them.

While statistics stand still no index falls, so that an arm's index some time ahead is a ceiling
until then. Over all arms stands a tree, of whose every node two things are known: the highest
ceiling below it, and the round until which all ceilings below it hold. So two kinds of arm are
found in a few steps: the one of the highest ceiling, which may lead and is looked at, and the one
whose ceiling ends first, which is given a new one. All that counts are the comparisons that the
rounds engine would make.

How far ahead an arm is looked at costs or saves looks, no more. Releases lower the leading index,
steadily if there are many arms, and an arm's own rises. A ceiling is aimed a little beyond where
the two would meet, so that an arm is hardly looked at before it is close to leading.

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

__all__ = [
    "NOBODY",
    "leader_of",
    "leads_until",
    "new_notes",
    "relative_leader",
    "replace",
    "take_note",
]

BEYOND = 1.2  # times as far as where arm and leader would meet: how far a ceiling is tried
NEARLY = 0.9  # of the way to the leader: how high, at most
TRIES = 3  # of a ceiling that is neither too far nor too near
SOON = 1.002  # times as many rounds: how often it is asked how fast the leading index falls
HIDDEN = FAR + 1  # until when: in a queue
NOBODY = -1
# Of an arm's notes, side by side in memory: its statistic, and how far ahead to try next.
MEAN, COUNT, REACH = range(3)
# Of its place: who is first in its queue, who is next in the queue that it is in; and room for a
# list of arms.
BEHIND, BESIDE, BEATEN = range(3)
# Of the pace: how much the leading index falls while t grows e-fold, what it was, and when; and how
# many rounds the last leader was to play.
FALL, LEVEL, SINCE, ROUNDS = range(4)


@apart
def new_notes(n_arms: int) -> tuple[Floats, Integers, Floats]:
    """Return notes and places of arms of which nothing is known, and their common pace."""
    notes = np.zeros((n_arms, 4))  # a power of two, so that none lies across a border
    for j in range(n_arms):
        notes[j, REACH] = n_arms
    return notes, np.full((n_arms, 3), NOBODY), np.zeros(4)


@njit(error_model="numpy")
def joined(places: Integers, one: int, other: int) -> int:
    """Join two queues, the second of which may be empty; return who is first."""
    if other == NOBODY:
        return one
    low, high = min(one, other), max(one, other)
    places[high, BESIDE] = places[low, BEHIND]
    places[low, BEHIND] = high
    return low


@apart
def look_ahead(
    rule: Rule,
    handle: Handle,
    notes: Floats,
    places: Integers,
    pace: Floats,
    ceiling: Floats,
    until: Integers,
    asked: tuple[int, int, int],
) -> bool:
    """Give an arm a new ceiling, from a round on; return whether it is below the leader.

    ``asked`` is the arm, the round, and the leader, whose index is in the tree. Below means that
    the leader leads for as long as the ceiling holds.
    """
    arm, start, leader = asked
    level = ceiling[first_of(ceiling.size) + leader]
    mean, count, reach = notes[arm, MEAN], notes[arm, COUNT], notes[arm, REACH]
    if mean == notes[leader, MEAN] and count == notes[leader, COUNT]:
        if arm > leader:
            joined(places, leader, arm)
            enter(ceiling, until, arm, -np.inf, HIDDEN)
        else:
            enter(ceiling, until, arm, level, start)
        return True
    floor = ceiling[first_of(ceiling.size) + arm]
    ahead, tried = int(reach), 0
    while True:
        value = rule(mean, count, float(start + ahead - 1), handle)
        below = value < level or (value == level and arm > leader)
        wanted = 4 * start
        if value > floor:
            rise, fall = (value - floor) / ahead, pace[FALL] / start
            away = max(pace[ROUNDS], BEYOND * (level - floor) / (rise + fall))
            wanted = whole_rounds(min(away, NEARLY * (level - floor) / rise), wanted)
        tried += 1
        if below and (tried >= TRIES or wanted // 2 <= ahead <= 2 * wanted):
            break
        if not below and ahead == 1:
            break
        ahead = wanted if below else min(wanted, ahead // 2)
    enter(ceiling, until, arm, np.inf if np.isnan(value) else value, start + ahead - 1)
    notes[arm, REACH] = wanted
    return bool(below)


@njit(error_model="numpy")
def whole_rounds(rounds: float, most: int) -> int:
    """Return a whole number of rounds, at least 1; the most where it is no number."""
    if rounds < 1.0:
        return 1
    return int(rounds) if rounds < most else most


@apart
def leader_of(
    rule: Rule,
    handle: Handle,
    notes: Floats,
    places: Integers,
    pace: Floats,
    ceiling: Floats,
    until: Integers,
    asked: tuple[int, int],
) -> int:
    """Return who leads in a round. ``asked`` is an arm that may, looked at first, and the round.

    The leader has its index for a ceiling, which for the time being is not to end.
    """
    arm, t = asked
    top, found = arm, 0
    while True:
        if top != arm or found == 0:
            value = rule(notes[top, MEAN], notes[top, COUNT], float(t), handle)
            if np.isnan(value):  # no number is above none
                value = -np.inf
            level = ceiling[first_of(ceiling.size) + arm]
            if found == 0 or value > level or (value == level and top < arm):
                enter(ceiling, until, top, value, FAR)
                arm = top
                places[found, BEATEN] = arm
                found += 1
            elif value == -np.inf:
                enter(ceiling, until, top, value, t)
            else:
                ceiling[first_of(ceiling.size) + top] = value
                look_ahead(rule, handle, notes, places, pace, ceiling, until, (top, t, arm))
        elif until[1] < t:
            late = soonest(until)
            look_ahead(rule, handle, notes, places, pace, ceiling, until, (late, t, arm))
        else:
            break
        top = highest(ceiling)
    if t > SOON * pace[SINCE]:
        level = ceiling[first_of(ceiling.size) + arm]
        pace[FALL] = max(0.0, t * (pace[LEVEL] - level) / (t - pace[SINCE]))
        pace[LEVEL], pace[SINCE] = level, t
    for i in range(found - 1):
        beaten = places[i, BEATEN]
        look_ahead(rule, handle, notes, places, pace, ceiling, until, (beaten, t, arm))
    return arm


@apart
def leads_until(
    rule: Rule,
    handle: Handle,
    notes: Floats,
    places: Integers,
    pace: Floats,
    ceiling: Floats,
    until: Integers,
    asked: tuple[int, int, int],
) -> int:
    """Return a round until which the leader surely leads.

    ``asked`` is the leader, and the first and the last round that it would play. Whoever stands in
    the way is tried once more: now it is known how high its ceiling may be.
    """
    leader, begin, end = asked
    pace[ROUNDS] = end - begin + 1
    while until[1] < end:
        arm = soonest(until)
        last = until[first_of(until.size) + arm]
        if not look_ahead(
            rule, handle, notes, places, pace, ceiling, until, (arm, last + 1, leader)
        ):
            return int(last)
    return end


@njit(inline="always", error_model="numpy")
def take_note(notes: Floats, arm: int, mean: float, count: float, t: int) -> None:
    """Take note of an arm's new statistic, in round ``t``."""
    notes[arm, MEAN], notes[arm, COUNT], notes[arm, REACH] = mean, count, t


@apart
def replace(places: Integers, ceiling: Floats, until: Integers, arm: int) -> None:
    """Let who queued behind an arm take over, whose statistic changed."""
    pairs, left = NOBODY, places[arm, BEHIND]
    while left != NOBODY:
        one, other = left, places[left, BESIDE]
        left = NOBODY if other == NOBODY else places[other, BESIDE]
        one = joined(places, one, other)
        places[one, BESIDE] = pairs
        pairs = one
    heir = NOBODY
    while pairs != NOBODY:
        one = pairs
        pairs = places[one, BESIDE]
        heir = joined(places, one, heir)
    if heir != NOBODY:
        enter(ceiling, until, heir, ceiling[first_of(ceiling.size) + arm], 0)
    places[arm, BEHIND] = NOBODY


@apart
def relative_leader(
    rule: Rule,
    handle: Handle,
    notes: Floats,
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
    if holder in (NOBODY, changed) or notes[changed, MEAN] > top:
        holder, top = 0, -np.inf
        for j in range(notes.shape[0]):
            if notes[j, MEAN] > top:
                holder, top = j, notes[j, MEAN]
        if best[0] == NOBODY or top != best[1]:
            for node in range(1, first):
                ceiling[node] = -np.inf
            for j in range(notes.shape[0]):
                value = rule(notes[j, MEAN], notes[j, COUNT], top, handle)
                ceiling[first + j] = -np.inf if np.isnan(value) else value
                block = first // 2 + j // BLOCK
                ceiling[block] = max(ceiling[block], ceiling[first + j])
            for node in range(first // 2 - 1, 0, -1):
                ceiling[node] = max(ceiling[2 * node], ceiling[2 * node + 1])
            return highest(ceiling), (holder, top)
    value = rule(notes[changed, MEAN], notes[changed, COUNT], top, handle)
    enter(ceiling, until, changed, -np.inf if np.isnan(value) else value, FAR)
    return highest(ceiling), (holder, top)
