"""Which arms may win a Thompson round, and a round's winner, with few draws.

Below a *place* the leader rarely draws, and above it the arms far behind rarely do. Who does is
drawn by proposals (:mod:`hush.numerics.compiled.beta_tails`); as long as nobody is proposed the
leader has won, and nothing was drawn. Arms that are too close to the place to be told apart are
*open*: they are drawn every round, and the leader with them.

Nothing is approximated: given what is known of all draws, whoever can still win is drawn from what
remains of its law.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.beta_tails import Tail, propose, upper_tail
from hush.numerics.compiled.draws import standard_exponential
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Arms, Handle, beta_draw

__all__ = [
    "Contest",
    "Sides",
    "find_winner",
    "lay_contest",
    "look_again",
    "new_contest",
]

OPEN, BELOW, ABOVE = 0.0, 1.0, 2.0
DEEP = 2.5  # how many standard deviations below the leader's mean the place is
ROOM = 1.2  # as many more failures than now as would move that mean by so many
ROUNDING = 1e-12  # of a mean times a count, which had better be no less than before


class Contest(NamedTuple):
    """What is known of all arms, and a table of where each stands: a row for each name below.

    Of arms beside the place it has the law that their tails lie above: at most so many successes,
    or failures of the leader, and at least so many of the others. A hazard is how many proposals an
    arm has a round on average, as a Poisson process.
    """

    means: Floats
    counts: Floats
    table: Floats


STANDING, HAZARD, MOST, LEAST, LOG_TOP, FALL, DRAW = range(7)


class Sides(NamedTuple):
    """The place, until which round all this holds, the leader, and how many arms are open.

    ``total`` is the hazard of all arms, ``limit`` what an arm below may have of it. All this holds
    for the leader as long as it has at most so many failures, and at least so many successes.
    """

    place: float
    until: int
    leader: int
    n_open: int
    total: float
    limit: float
    failures: float
    successes: float


@njit(inline="always", error_model="numpy")
def new_contest(arms: Arms) -> Contest:
    """Return the contest of some arms, in which nobody stands anywhere yet."""
    return Contest(arms.means, arms.counts, np.zeros((DRAW + 1, arms.means.size)))


@apart
def stand_beside(
    contest: Contest, arm: int, side: float, k: float, rest: float, place: float, limit: float
) -> None:
    """Put an arm beside the place if its law, turned so that k is what helps it across, rarely is.

    Else it is open.
    """
    k, rest = k * (1.0 + ROUNDING), rest * (1.0 - ROUNDING)
    tail = upper_tail(k, rest, place)
    hazard = -math.log1p(-tail.mass) if tail.mass < 0.5 else math.inf
    beside = hazard < limit
    contest.table[STANDING, arm] = side if beside else OPEN
    contest.table[HAZARD, arm] = hazard if beside else 0.0
    contest.table[MOST, arm], contest.table[LEAST, arm] = k, rest
    contest.table[LOG_TOP, arm], contest.table[FALL, arm] = tail.log_top, tail.fall


@apart
def counted(contest: Contest, sides: Sides) -> Sides:
    """Count the open arms, among them the leader if there are others, and add up hazards."""
    n_open, total, leader = 0, 0.0, sides.leader
    for j in range(contest.counts.size):
        n_open += 1 if contest.table[STANDING, j] == OPEN else 0
    if n_open > 0 and contest.table[STANDING, leader] == ABOVE:
        contest.table[STANDING, leader], contest.table[HAZARD, leader] = OPEN, 0.0
        n_open += 1
    for j in range(contest.counts.size):
        total += contest.table[HAZARD, j]
    failures, successes = math.inf, -math.inf
    if contest.table[STANDING, leader] == ABOVE:
        failures, successes = contest.table[MOST, leader], contest.table[LEAST, leader]
    return Sides(sides.place, sides.until, leader, n_open, total, sides.limit, failures, successes)


@apart
def lay_contest(rule: Rule, handle: Handle, contest: Contest, t: int, most_hazard: float) -> Sides:
    """Choose a place for the rounds from ``t`` on, and put every arm beside it that can be.

    At ``most_hazard``, so many proposals a round, an arm is drawn as soon. Of the leader it is
    failures that count; some more than now are allowed for.
    """
    mean, count = contest.means, contest.counts
    leader, best = 0, -1.0
    for j in range(mean.size):
        center = rule(mean[j], count[j], float(t), handle)
        expected = (center * count[j] + 1.0) / (count[j] + 2.0)
        if expected > best:
            leader, best = j, expected
    n = count[leader]
    k = rule(mean[leader], n, float(t), handle) * n
    rest = n - k + ROOM * math.sqrt(n * max(n - k + 1.0, 0.0) / (k + 1.0))
    best = (k + 1.0) / (k + rest + 2.0)
    place = best - DEEP * math.sqrt(best * (1.0 - best) / (k + rest + 3.0))
    sides = Sides(place, t + 16 + t // 4, leader, 0, 0.0, most_hazard, 0.0, 0.0)
    stand_beside(contest, leader, ABOVE, rest, k, 1.0 - place, most_hazard)
    for j in range(mean.size):
        if contest.table[STANDING, leader] == OPEN:
            contest.table[STANDING, j], contest.table[HAZARD, j] = OPEN, 0.0
        elif j != leader:
            stand_below(rule, handle, contest, j, sides)
    return counted(contest, sides)


@apart
def stand_below(rule: Rule, handle: Handle, contest: Contest, arm: int, sides: Sides) -> None:
    """Put an arm below the place if it rarely is above it.

    Centres only grow while statistics stand still, so that the last round is taken for all.
    """
    n = contest.counts[arm]
    k = rule(contest.means[arm], n, float(sides.until), handle) * n
    stand_beside(contest, arm, BELOW, k, n - k, sides.place, sides.limit)


@apart
def look_again(rule: Rule, handle: Handle, contest: Contest, arm: int, sides: Sides) -> Sides:
    """Place an arm that is not the leader anew, if its new law may reach above what was its."""
    if contest.table[STANDING, arm] == OPEN:
        return sides
    n = contest.counts[arm]
    k = rule(contest.means[arm], n, float(sides.until), handle) * n
    if k <= contest.table[MOST, arm] and n - k >= contest.table[LEAST, arm]:
        return sides
    stand_below(rule, handle, contest, arm, sides)
    return counted(contest, sides)


@apart
def crossing(
    contest: Contest, arm: int, k: float, rest: float, sides: Sides, source: Generator
) -> float:
    """Return what an arm that is proposed has drawn beyond the place; -1 if it is not beyond it."""
    below = contest.table[STANDING, arm] == BELOW
    tail = Tail(contest.table[LOG_TOP, arm], contest.table[FALL, arm], 0.0)
    if below:
        return propose(tail, k, rest, sides.place, source)
    found = propose(tail, rest, k, 1.0 - sides.place, source)
    return found if found < 0.0 else 1.0 - found


@apart
def find_winner(
    rule: Rule,
    handle: Handle,
    contest: Contest,
    sides: Sides,
    t: int,
    left: float,
    source: Generator,
) -> tuple[int, float]:
    """Return the arm of round ``t``, and how much hazard is left until somebody is proposed.

    Hazards lie one behind the other on a line, on which proposals are a Poisson process.
    """
    # Arrays that are read in loops go by themselves: out of a record each costs a count of users.
    mean, count, table = contest.means, contest.counts, contest.table
    place, leader = sides.place, sides.leader
    arm, best = 0, -1.0
    for j in range(mean.size):
        table[DRAW, j] = -1.0
        if table[STANDING, j] == OPEN:
            table[DRAW, j] = beta_draw(rule, handle, mean[j], count[j], t, source)
        else:
            left -= table[HAZARD, j]
            if left < 0.0:
                left = standard_exponential(source)
                k = rule(mean[j], count[j], float(t), handle) * count[j]
                table[DRAW, j] = crossing(contest, j, k, count[j] - k, sides, source)
        if table[DRAW, j] > best:
            arm, best = j, table[DRAW, j]
    if table[STANDING, leader] == ABOVE and table[DRAW, leader] < 0.0:  # it is above the place
        if best < place:
            return leader, left
        while table[DRAW, leader] < place:
            table[DRAW, leader] = beta_draw(rule, handle, mean[leader], count[leader], t, source)
        return leader if table[DRAW, leader] > best else arm, left
    for j in range(mean.size):
        if best < place and table[STANDING, j] == BELOW and table[DRAW, j] < 0.0:
            table[DRAW, j] = 2.0
            while table[DRAW, j] > place:
                table[DRAW, j] = beta_draw(rule, handle, mean[j], count[j], t, source)
    for j in range(mean.size):
        if table[DRAW, j] > best:
            arm, best = j, table[DRAW, j]
    return arm, left
