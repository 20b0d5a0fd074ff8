"""Which of few arms leads, where some indices are costly: each lies between a floor and a ceiling.

While an arm's statistic stands still its index does not fall: what it was is a floor, and what it
will be is a ceiling until then. Where the highest ceiling's arm has a floor that no other ceiling
exceeds, it leads, and nothing is computed. With five arms that takes half as many indices as to
look at all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Handle

__all__ = ["forget", "leader_between"]

AHEAD = 4  # so many times the present round is how long a ceiling holds
FLOOR, CEILING, HIGHEST = range(3)


@njit(error_model="numpy")
def forget(brackets: Floats, until: Integers, arm: int) -> None:
    """Take note that an arm's statistic changed, or that nothing is known of it."""
    brackets[arm, FLOOR], brackets[arm, CEILING], until[arm] = -np.inf, np.inf, 0


@apart
def leader_between(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    brackets: Floats,
    until: Integers,
    t: int,
) -> int:
    """Return who leads in round ``t``, lowest first on a tie.

    Of each arm the brackets hold a floor and a ceiling, which holds until a round, and how high its
    index may be in this one.
    """
    for j in range(mean.size):
        if 0 < until[j] < t:
            if brackets[j, CEILING] < np.inf:
                brackets[j, FLOOR] = brackets[j, CEILING]
            brackets[j, CEILING], until[j] = np.inf, 0
        brackets[j, HIGHEST] = brackets[j, CEILING]
    while True:
        arm, high, second = 0, brackets[0, HIGHEST], -np.inf
        for j in range(1, mean.size):
            other = brackets[j, HIGHEST]
            if other > high:
                arm, high, second = j, other, high
            elif other > second:
                second = other
        floor = brackets[arm, FLOOR]
        if floor > second or floor == high:
            return arm
        if until[arm] == 0:
            value = rule(mean[arm], count[arm], float(AHEAD * t), handle)
            until[arm] = AHEAD * t
            brackets[arm, CEILING] = np.inf if np.isnan(value) else value
            brackets[arm, HIGHEST] = brackets[arm, CEILING]
        else:
            value = rule(mean[arm], count[arm], float(t), handle)
            brackets[arm, FLOOR] = -np.inf if np.isnan(value) else value
            brackets[arm, HIGHEST] = brackets[arm, FLOOR]
