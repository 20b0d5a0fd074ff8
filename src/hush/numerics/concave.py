"""The peak and the level sets of a concave function on [0, 1].

It is evaluated at many points at once, between which the search goes on: what array code is fast
at. Nothing but concavity is used, so a peak of any narrowness is found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["crossing", "level_set", "peak"]

Floats = NDArray[np.float64]
Concave = Callable[[Floats], Floats]

POINTS = 65
ROUNDS = 11  # 32^11 = 2^55: past the digits of a double


def peak(function: Concave) -> float:
    """Return where a concave function on [0, 1] is largest.

    >>> round(peak(lambda x: -1e12 * (x - 0.3) ** 2), 12)
    0.3
    """
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        points = np.linspace(low, high, POINTS)
        best = int(np.argmax(function(points)))
        low, high = points[max(best - 1, 0)], points[min(best + 1, POINTS - 1)]
    return float(points[best])


def level_set(function: Concave, level: float) -> tuple[float, float]:
    """Return the ends of where a concave function on [0, 1] is above a level, which its peak is.

    Each end is 0 or 1, or a point just outside: rounding makes the set larger, not smaller.

    >>> low, high = level_set(lambda x: -((x - 0.3) ** 2), -0.01)
    >>> round(low, 12), round(high, 12)
    (0.2, 0.4)
    >>> level_set(lambda x: 0.0 * x, -0.01)
    (0.0, 1.0)
    """
    top = peak(function)
    return crossing(function, level, 0.0, top), crossing(function, level, 1.0, top)


def crossing(function: Concave, level: float, outside: float, inside: float) -> float:
    """Return where a concave function falls to a level, between a point above it and another one.

    It is the point just outside, or ``outside`` itself where the function is above the level there.

    >>> round(crossing(lambda x: -((x - 0.3) ** 2), -0.01, 1.0, 0.3), 12)
    0.4
    """
    if not function(np.array([outside]))[0] <= level:
        return outside
    for _ in range(ROUNDS):
        points = np.linspace(outside, inside, POINTS)
        beyond = function(points) <= level
        beyond[0], beyond[-1] = True, False
        first = int(np.argmin(beyond))
        outside, inside = float(points[first - 1]), float(points[first])
    return outside
