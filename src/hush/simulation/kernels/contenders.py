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
from hush.numerics.compiled.arrays import Floats, Integers
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

OPEN, BELOW, ABOVE = 0, 1, 2
DEEP = 2.5  # how many standard deviations below the leader's mean the place is
ROOM = 1.2  # as many more failures than now as would move that mean by so many
ROUNDING = 1e-12  # of a mean times a count, which had better be no less than before


class Contest(NamedTuple):
    """Where each arm stands, and of those beside the place, the laws that their tails lie above.

    ``hazard`` is how many proposals an arm has a round, on average, as a Poisson process.
    """

    standing: Integers
    hazard: Floats
    most: Floats  # successes above the place; failures of the leader
    least: Floats  # the others
    log_top: Floats
    fall: Floats
    draw: Floats


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


@apart
def new_contest(n_arms: int) -> Contest:
    """Return room for a contest."""
    return Contest(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
    )


@apart
def stand_beside(
    contest: Contest, arm: int, side: int, k: float, rest: float, place: float, limit: float
) -> None:
    """Put an arm beside the place if its law, turned so that k is what helps it across, rarely is.

    Else it is open.
    """
    k, rest = k * (1.0 + ROUNDING), rest * (1.0 - ROUNDING)
    tail = upper_tail(k, rest, place)
    hazard = -math.log1p(-tail.mass) if tail.mass < 0.5 else math.inf
    beside = hazard < limit
    contest.standing[arm] = side if beside else OPEN
    contest.hazard[arm] = hazard if beside else 0.0
    contest.most[arm], contest.least[arm] = k, rest
    contest.log_top[arm], contest.fall[arm] = tail.log_top, tail.fall


@njit(inline="always", error_model="numpy")
def counted(contest: Contest, sides: Sides) -> Sides:
    """Count the open arms, among them the leader if there are others, and add up hazards."""
    n_open, total, leader = 0, 0.0, sides.leader
    for j in range(contest.standing.size):
        n_open += 1 if contest.standing[j] == OPEN else 0
    if n_open > 0 and contest.standing[leader] == ABOVE:
        contest.standing[leader], contest.hazard[leader] = OPEN, 0.0
        n_open += 1
    for j in range(contest.standing.size):
        total += contest.hazard[j]
    failures, successes = math.inf, -math.inf
    if contest.standing[leader] == ABOVE:
        failures, successes = contest.most[leader], contest.least[leader]
    return Sides(sides.place, sides.until, leader, n_open, total, sides.limit, failures, successes)


@apart
def lay_contest(
    rule: Rule, handle: Handle, arms: Arms, contest: Contest, t: int, most_hazard: float
) -> Sides:
    """Choose a place for the rounds from ``t`` on, and put every arm beside it that can be.

    At ``most_hazard``, so many proposals a round, an arm is drawn as soon. Of the leader it is
    failures that count; some more than now are allowed for.
    """
    mean, count = arms.means, arms.counts
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
        if contest.standing[leader] == OPEN:
            contest.standing[j], contest.hazard[j] = OPEN, 0.0
        elif j != leader:
            stand_below(rule, handle, arms, contest, j, sides)
    return counted(contest, sides)


@apart
def stand_below(
    rule: Rule, handle: Handle, arms: Arms, contest: Contest, arm: int, sides: Sides
) -> None:
    """Put an arm below the place if it rarely is above it.

    Centres only grow while statistics stand still, so that the last round is taken for all.
    """
    n = arms.counts[arm]
    k = rule(arms.means[arm], n, float(sides.until), handle) * n
    stand_beside(contest, arm, BELOW, k, n - k, sides.place, sides.limit)


@apart
def look_again(
    rule: Rule, handle: Handle, arms: Arms, contest: Contest, arm: int, sides: Sides
) -> Sides:
    """Place an arm that is not the leader anew, if its new law may reach above what was its."""
    if contest.standing[arm] == OPEN:
        return sides
    n = arms.counts[arm]
    k = rule(arms.means[arm], n, float(sides.until), handle) * n
    if k <= contest.most[arm] and n - k >= contest.least[arm]:
        return sides
    stand_below(rule, handle, arms, contest, arm, sides)
    return counted(contest, sides)


@apart
def crossing(
    contest: Contest, arm: int, k: float, rest: float, sides: Sides, source: Generator
) -> float:
    """Return what an arm that is proposed has drawn beyond the place; -1 if it is not beyond it."""
    below = contest.standing[arm] == BELOW
    tail = Tail(contest.log_top[arm], contest.fall[arm], 0.0)
    if below:
        return propose(tail, k, rest, sides.place, source)
    found = propose(tail, rest, k, 1.0 - sides.place, source)
    return found if found < 0.0 else 1.0 - found


@apart
def find_winner(
    rule: Rule,
    handle: Handle,
    arms: Arms,
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
    mean, count, place, leader = arms.means, arms.counts, sides.place, sides.leader
    standing, hazard, draw = contest.standing, contest.hazard, contest.draw
    arm, best = 0, -1.0
    for j in range(mean.size):
        draw[j] = -1.0
        if standing[j] == OPEN:
            draw[j] = beta_draw(rule, handle, mean[j], count[j], t, source)
        else:
            left -= hazard[j]
            if left < 0.0:
                left = standard_exponential(source)
                k = rule(mean[j], count[j], float(t), handle) * count[j]
                draw[j] = crossing(contest, j, k, count[j] - k, sides, source)
        if draw[j] > best:
            arm, best = j, draw[j]
    if standing[leader] == ABOVE and draw[leader] < 0.0:  # it is above the place
        if best < place:
            return leader, left
        while draw[leader] < place:
            draw[leader] = beta_draw(rule, handle, mean[leader], count[leader], t, source)
        return leader if draw[leader] > best else arm, left
    for j in range(mean.size):
        if best < place and standing[j] == BELOW and draw[j] < 0.0:
            draw[j] = 2.0
            while draw[j] > place:
                draw[j] = beta_draw(rule, handle, mean[j], count[j], t, source)
    for j in range(mean.size):
        if draw[j] > best:
            arm, best = j, draw[j]
    return arm, left
