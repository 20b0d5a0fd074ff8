"""Sums of a smooth function over the first n whole numbers, for every n at once.

The first 64 values are taken one by one. After that each doubling of n is one panel: the function
is taken at twelve whole numbers and is a polynomial in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hush.numerics.panels import Floats, rule

__all__ = ["RunningSums"]

DIRECT = 64


@dataclass(frozen=True)
class _Panel:
    """The function at a few whole numbers from ``start`` on."""

    start: int
    points: Floats
    values: Floats

    def total(self, count: int) -> Floats:
        """Return the sum over ``count`` numbers from the panel's start on."""
        at, weights = rule(count)
        steps = self.points[:, None] - self.points
        np.fill_diagonal(steps, 1.0)
        # Lagrange's polynomials, factor by factor: no two points are close.
        away = at[:, None, None] - self.points
        factors = np.broadcast_to(away, (at.size, self.points.size, self.points.size)) / steps
        others = ~np.eye(self.points.size, dtype=bool)
        basis = np.prod(factors, axis=2, where=others)
        return np.asarray(weights @ basis @ self.values)


class RunningSums:
    """Sums of a function over 1, 2, ..., n.

    Parameters
    ----------
    function
        Takes a whole number and returns an array. It must be smooth on the scale of its argument.

    Examples
    --------
    >>> sums = RunningSums(lambda n: np.array([1.0 / n]))
    >>> round(float(sums.total(10**6)[0]), 9)
    14.392726723
    """

    def __init__(self, function: Callable[[int], Floats]) -> None:
        self._function = function
        self._direct: list[Floats] = []
        self._panels: list[_Panel] = []
        self._totals: list[Floats] = []

    def total(self, count: int) -> Floats:
        """Return the sum of the function over 1, ..., ``count``."""
        while len(self._direct) < min(count, DIRECT):
            value = self._function(len(self._direct) + 1)
            self._direct.append(self._direct[-1] + value if self._direct else value)
        if count <= DIRECT:
            return self._direct[count - 1]
        total, panel = self._direct[-1], 0
        while DIRECT << (panel + 1) < count:
            total = total + self._whole(panel)
            panel += 1
        return np.asarray(total + self._panel(panel).total(count - (DIRECT << panel)))

    def _panel(self, number: int) -> _Panel:
        while len(self._panels) <= number:
            length = DIRECT << len(self._panels)
            points = np.unique(np.round(rule(length)[0]))
            values = [self._function(int(length + 1 + point)) for point in points]
            self._panels.append(_Panel(length + 1, points, np.stack(values)))
        return self._panels[number]

    def _whole(self, number: int) -> Floats:
        while len(self._totals) <= number:
            position = len(self._totals)
            self._totals.append(self._panel(position).total(DIRECT << position))
        return self._totals[number]
