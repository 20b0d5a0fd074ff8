"""The rounds of a part of a window at once, exactly, though chances move within it.

Rounds are looked at with the probability that :mod:`hush.simulation.kernels.thompson_parts` says. A
look picks an arm in proportion to the spreads, and accepts it with the part of the spread that its
chance reaches in that round; else the leader plays. All other rounds are alike: how many of them
each arm wins is multinomial.

Where some arm's epoch would be over full, the order matters. The rounds that are alike are in
random order, which is uncovered only as far as needed: given its wins, those within a first share
of the time are binomial, so halves are halved until no look is left in the half in which the first
epoch is full; there the times of the wins that fill epochs are drawn, which are Beta distributed.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled import draws
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Integers
from hush.simulation.kernels.common import binomial
from hush.simulation.kernels.thompson_parts import MOST_LOOKS, Part, Parts
from hush.simulation.kernels.thompson_windows import Window, chance_at, polynomial

__all__ = ["play_part", "step_part"]

FOREVER = 2**61


@njit(inline="always", error_model="numpy")
def geometric(slowness: float, chance: float, source: Generator) -> int:
    """Draw how many rounds pass before the next look; ``slowness`` is -1 / log(1 - chance)."""
    if chance <= 0.0:
        return FOREVER
    return int(min(draws.standard_exponential(source) * slowness, float(FOREVER)))


@njit(inline="always", error_model="numpy")
def rough_chance(parts: Parts, part: Part, arm: int, t: int) -> tuple[float, float]:
    """Return an arm's chance in a round as its polynomial has it, and by how much it may be off."""
    u = (np.log(float(t)) - part.middle) / part.half
    chance = np.exp(polynomial(parts.coefficients, arm, part.points, u))
    return chance, 1.1 * part.margin * chance


@njit(inline="always", error_model="numpy")
def picked(parts: Parts, part: Part, source: Generator) -> tuple[int, float]:
    """Pick an arm in proportion to the spreads, and what its chance must be above to be it."""
    pick = source.random() * part.rest
    for j in range(parts.low.size):
        if pick < parts.spread[j]:
            return j, parts.low[j] + pick
        pick -= parts.spread[j]
    return part.leader, 0.0


@apart
def play_part(
    parts: Parts,
    part: Part,
    window: Window,
    done: int,
    until: int,
    needed: Integers,
    played: Integers,
    source: Generator,
) -> tuple[int, int, int]:
    """Play rounds until ``until``, or until an arm's epoch is full.

    Returns how many rounds are done, the arm whose epoch is full, or -1, and how many rounds were
    looked at.
    """
    wins, looked = parts.wins, parts.looked
    rounds, looks = until - done, 0
    slowness = -1.0 / np.log1p(-part.rest) if part.rest < 1.0 else 0.0
    for j in range(wins.size):
        wins[j], looked[j] = 0, 0
    place = geometric(slowness, part.rest, source)
    while place < rounds:
        t = done + place + 1
        arm, level = picked(parts, part, source)
        chance, off = rough_chance(parts, part, arm, t)
        if abs(level - chance) < off:  # an integral decides
            chance = chance_at(window, arm, t)
        if level >= chance:
            arm = part.leader
        parts.places[looks], parts.found[looks] = place, arm
        looked[arm] += 1
        looks += 1
        if looks == MOST_LOOKS:
            rounds = place + 1
        place += 1 + geometric(slowness, part.rest, source)
    left, share = rounds - looks, 1.0 - part.rest
    full = False
    for j in range(wins.size):
        if j != part.leader and left > 0 and parts.low[j] > 0.0:
            wins[j] = binomial(left, min(1.0, parts.low[j] / share), source)
            left -= wins[j]
            share = max(share - parts.low[j], 1e-300)
    wins[part.leader] = left
    for j in range(wins.size):
        full = full or wins[j] + looked[j] >= needed[j]
    if full:
        more, arm = play_until_full(parts, looks, needed, played, source)
        return done + more, arm, looks
    for j in range(wins.size):
        played[j] += wins[j] + looked[j]
        needed[j] -= wins[j] + looked[j]
    return done + rounds, -1, looks


@apart
def play_until_full(
    parts: Parts, looks: int, needed: Integers, played: Integers, source: Generator
) -> tuple[int, int]:
    """Play the rounds that were drawn until an epoch is full; return how many, and its arm."""
    wins, first_wins, looked = parts.wins, parts.first_wins, parts.looked
    alike, look, last = 0, 0, looks  # rounds that are alike and done; the next look, and the end
    while True:
        while look < last and parts.places[look] - look == alike:
            arm = parts.found[look]
            look += 1
            played[arm] += 1
            needed[arm] -= 1
            if needed[arm] == 0:
                return alike + look, arm
        if look == last:
            more, arm = first_full(parts, needed, played, source)
            return alike + look + more, arm
        half = 0
        for j in range(wins.size):
            first_wins[j] = binomial(wins[j], 0.5, source) if wins[j] > 0 else 0
            half += first_wins[j]
            looked[j] = 0
        middle = look
        while middle < last and parts.places[middle] - middle < alike + half:
            looked[parts.found[middle]] += 1
            middle += 1
        full = False
        for j in range(wins.size):
            full = full or first_wins[j] + looked[j] >= needed[j]
        if full:
            last = middle
            for j in range(wins.size):
                wins[j] = first_wins[j]
        else:
            look = middle
            alike += half
            for j in range(wins.size):
                wins[j] -= first_wins[j]
                played[j] += first_wins[j] + looked[j]
                needed[j] -= first_wins[j] + looked[j]


@apart
def first_full(
    parts: Parts, needed: Integers, played: Integers, source: Generator
) -> tuple[int, int]:
    """Play rounds in random order, of known wins, until an epoch is full; as above.

    With the rounds at uniform times, the win that fills an arm's epoch comes at a Beta time.
    """
    wins, times = parts.wins, parts.times
    first = -1
    for j in range(wins.size):
        times[j] = 1.0
        if wins[j] >= needed[j]:
            one = draws.standard_gamma(source, float(needed[j]))
            times[j] = one / (one + draws.standard_gamma(source, float(wins[j] + 1 - needed[j])))
            if first < 0 or times[j] < times[first]:
                first = j
    total = 0
    for j in range(wins.size):
        before = needed[j]
        if j != first:
            among = min(wins[j], needed[j] - 1)
            after = (times[j] - times[first]) / times[j]
            before = 0
            if among > 0:
                if after < 0.5:
                    before = among - binomial(among, after, source)
                else:
                    before = binomial(among, times[first] / times[j], source)
        played[j] += before
        needed[j] -= before
        total += before
    return total, first


@apart
def step_part(
    parts: Parts,
    part: Part,
    window: Window,
    done: int,
    candidate: int,
    until: int,
    needed: Integers,
    source: Generator,
) -> tuple[int, int, int]:
    """Return the next stretch of one arm: how many rounds, and the arm; and the next candidate.

    Where the order is wanted. All rounds before a candidate, which is 0 where none is drawn yet,
    are the leader's; a candidate is an arm's in proportion to the upper bounds, if it is accepted.
    """
    others = 1.0 - parts.low[part.leader]
    slowness = -1.0 / np.log1p(-others) if others < 1.0 else 0.0
    if candidate <= done:
        candidate = done + 1 + geometric(slowness, others, source)
    if done + 1 < candidate:
        return min(needed[part.leader], until - done, candidate - done - 1), part.leader, candidate
    pick = source.random() * others
    for j in range(needed.size):
        if j != part.leader:
            if pick < parts.low[j] + parts.spread[j]:
                chance, off = rough_chance(parts, part, j, done + 1)
                if abs(pick - chance) < off:
                    chance = chance_at(window, j, done + 1)
                return 1, (j if pick < chance else part.leader), 0
            pick -= parts.low[j] + parts.spread[j]
    return 1, part.leader, 0
