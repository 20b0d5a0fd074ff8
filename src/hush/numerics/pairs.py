"""Two arms at once: how well one common mean would explain what is known about both.

With ``R`` an arm's posterior over its prior (:meth:`hush.numerics.posterior.Posterior.log_ratio`),
the *meeting* of two arms is the x at which ``ln R_a(x) + ln R_b(x)`` is largest. Both terms are
concave, so there is one, between the arms' modes. The less the sum is there, the surer it is that
the arm of the higher mode has the higher mean: see ``docs/identification.md``.

Plain numbers, not arrays: a search looks at one point after the other. The same steps are compiled
in :mod:`hush.numerics.compiled.pairs`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from hush.numerics.posterior import LEFT_SLOPES, RIGHT_SLOPES, Posterior

__all__ = ["GOLDEN", "STEPS", "TIE", "WITHIN", "LogRatio", "Meeting", "Top"]
__all__ += ["highest", "leader_share", "least_pulls", "meeting", "ratio_of", "top_of"]

LogRatio = Callable[[float], float]
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
STEPS = 100  # GOLDEN^100 is 1e-21
WITHIN = 1e-12  # a search ends where the values around the peak agree as much
TIE = 1e-4  # nearer than this, rounding might decide; then the first comes first


class Top(NamedTuple):
    """Where an arm's log ratio is largest, and how large it is there."""

    at: float
    value: float


class Meeting(NamedTuple):
    """Two arms at their meeting: the sum of log ratios, and what each loses from its top."""

    level: float
    first: float
    second: float


def ratio_of(posterior: Posterior) -> LogRatio:
    """Return a posterior's log ratio as a function of one number, which is many times faster.

    >>> import numpy as np
    >>> known = Posterior.before(epsilon=1.0).given(1000, 620.0)
    >>> ratio = ratio_of(known)
    >>> [round(ratio(x) - float(known.log_ratio(np.array([x]))[0]), 9) for x in (0.1, 0.62, 0.99)]
    [0.0, 0.0, 0.0]
    """
    edges, series = posterior.edges.tolist(), posterior.series.tolist()
    least, most, last = edges[0], edges[-1], len(series) - 1
    constant = posterior.prior.log_mass
    rises = 2.0 * float(posterior.series[0] @ LEFT_SLOPES) / (edges[1] - least)
    falls = 2.0 * float(posterior.series[-1] @ RIGHT_SLOPES) / (most - edges[-2])
    turned = [row[:0:-1] for row in series]

    def ratio(x: float) -> float:
        inside = min(max(x, least), most)
        here = min(bisect_right(edges, inside) - 1, last)
        left, right = edges[here], edges[here + 1]
        position = min((2.0 * inside - left - right) / (right - left), 1.0)
        one, two, twice = 0.0, 0.0, 2.0 * position
        for each in turned[here]:
            one, two = each + twice * one - two, one
        value: float = series[here][0] + position * one - two + constant
        if inside != x:
            value += (rises if x < inside else falls) * (x - inside)
        return value

    return ratio


def highest(function: LogRatio, low: float, high: float) -> Top:
    """Return where a concave function is largest between two points (golden section).

    >>> found = highest(lambda x: 1.0 - (x - 0.3) ** 2, 0.0, 1.0)
    >>> round(found.at, 4), round(found.value, 9)
    (0.3, 1.0)
    """
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    ends = [function(each) for each in (low, left, right, high)]
    for _ in range(STEPS):
        if max(ends) - min(ends) < WITHIN:
            break
        if ends[1] >= ends[2]:
            high, right = right, left
            left = high - GOLDEN * (high - low)
            ends = [ends[0], function(left), ends[1], ends[2]]
        else:
            low, left = left, right
            right = low + GOLDEN * (high - low)
            ends = [ends[1], ends[2], function(right), ends[3]]
    value = max(ends)
    return Top((low, left, right, high)[ends.index(value)], value)


def top_of(ratio: LogRatio) -> Top:
    """Return the top of a log ratio.

    >>> top_of(lambda x: 2.0 * x).at
    1.0
    """
    return highest(ratio, 0.0, 1.0)


def meeting(first: LogRatio, second: LogRatio, tops: tuple[Top, Top]) -> Meeting:
    """Return the meeting of two arms, given the tops of both.

    >>> one, two = (lambda x: -((x - 0.2) ** 2)), (lambda x: -2.0 * (x - 0.5) ** 2)
    >>> found = meeting(one, two, (top_of(one), top_of(two)))
    >>> [round(each, 4) for each in found]
    [-0.06, 0.04, 0.02]
    """
    low, high = sorted((tops[0].at, tops[1].at))
    at, level = highest(lambda x: first(x) + second(x), low, high)
    return Meeting(level, max(tops[0].value - first(at), 0.0), max(tops[1].value - second(at), 0.0))


def least_pulls(done: float, n_arms: int) -> float:
    """Return how many of so many pulls no arm may lack: the root, and a tenth of an even share.

    >>> least_pulls(100.0, 5), least_pulls(1e6, 5)
    (10.0, 20000.0)
    """
    return max(math.sqrt(done), 0.1 * done / n_arms)


def leader_share(first: float, second: float) -> float:
    """Return the first arm's share of the pulls of two: that of what they lose, in .1 to .9.

    Where neither loses anything, it is one half, and next to that: a little is added to both.

    >>> round(leader_share(0.06, 0.02), 4), leader_share(1.0, 0.0), leader_share(0.0, 0.0)
    (0.75, 0.9, 0.5)
    """
    share = (first + 1e-6) / (first + second + 2e-6)
    return min(max(share, 0.1), 0.9)
