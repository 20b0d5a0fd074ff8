"""Figures with intervals: differences, ratios and slopes of what was measured.

A figure made of several others lies between what their intervals allow, all of them together. That
asks nothing of how the others depend on each other, and needs them to hold at the same time: give
them levels such that they do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Measured", "off_the_line", "slope"]


@dataclass(frozen=True)
class Measured:
    """A value and the ends of its interval.

    Examples
    --------
    >>> one, two = Measured(10.0, 9.0, 12.0), Measured(20.0, 19.0, 22.0)
    >>> two - one
    Measured(value=10.0, low=7.0, high=13.0)
    >>> one.divided_by(2.0)
    Measured(value=5.0, low=4.5, high=6.0)
    """

    value: float
    low: float
    high: float

    def __sub__(self, other: Measured) -> Measured:
        return Measured(self.value - other.value, self.low - other.high, self.high - other.low)

    def divided_by(self, number: float) -> Measured:
        """Return it relative to a known number above 0."""
        return Measured(self.value / number, self.low / number, self.high / number)

    def log(self) -> Measured:
        """Return the logarithm; what is not above 0 has none, and an end there has no limit."""
        if not self.value > 0.0:
            return Measured(math.nan, math.nan, math.nan)
        low = -math.inf if self.low <= 0.0 else math.log(self.low)
        return Measured(math.log(self.value), low, math.log(self.high))


def slope(x: Sequence[float], y: Sequence[Measured]) -> Measured:
    """Return the least-squares slope of measured values against numbers.

    >>> slope([0.0, 1.0, 2.0], [Measured(2.0 * n, 2.0 * n - 0.5, 2.0 * n + 0.5) for n in range(3)])
    Measured(value=2.0, low=1.5, high=2.5)
    """
    centred = np.array(x) - np.mean(x)
    weights = (centred / (centred @ centred)).tolist()
    pairs = [(weight, each) for weight, each in zip(weights, y, strict=True) if weight]
    return Measured(
        math.fsum(weight * each.value for weight, each in pairs),
        sum(weight * (each.low if weight > 0.0 else each.high) for weight, each in pairs),
        sum(weight * (each.high if weight > 0.0 else each.low) for weight, each in pairs),
    )


def off_the_line(x: Sequence[float], y: Sequence[Measured], end: int | None = None) -> float:
    """Return how far the farthest interval is from the least-squares line: 0 if all meet it.

    The line is that of the values, and taken as it is. With an end, only how far the interval
    there (of the largest x for -1, of the least for 0) is above the line, as where growth speeds
    up.

    >>> bent = [Measured(value, value - 0.1, value + 0.1) for value in (0.0, 0.0, 3.0)]
    >>> round(off_the_line([0.0, 1.0, 2.0], bent), 2)
    0.9
    >>> [round(off_the_line([0.0, 1.0, 2.0], bent, end), 2) for end in (0, -1)]
    [0.4, 0.4]
    """
    steep = slope(x, y).value
    middle = float(np.mean(x))
    height = math.fsum(each.value for each in y) / len(y)
    points = sorted(zip(x, y, strict=True), key=lambda point: point[0])
    lines = [(height + steep * (number - middle), each) for number, each in points]
    if end is not None:
        line, each = lines[end]
        return max(0.0, each.low - line)
    return max(max(0.0, line - each.high, each.low - line) for line, each in lines)
