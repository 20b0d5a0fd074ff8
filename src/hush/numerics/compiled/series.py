"""Series on panels, compiled: the twin of :mod:`hush.numerics.series`."""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.binomial import SMALL
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.series import ALMOST

__all__ = ["inner", "panel_of", "placed", "series_at", "series_on", "series_value"]


@njit(inline="always", error_model="numpy")
def inner(x: float) -> float:
    """Return a point moved off 0 and 1, by less than numbers there are apart."""
    return min(max(x, SMALL), ALMOST)


@apart
def series_at(position: Floats, series: Floats, values: Floats, older: Floats) -> None:
    """Evaluate a Chebyshev series at positions in [-1, 1] (Clenshaw), all of them at once."""
    top = series.size - 1
    for i in range(position.size):
        values[i], older[i] = series[top], 0.0
    if top % 2 == 0:
        top -= 1
        for i in range(position.size):
            values[i], older[i] = series[top] + 2.0 * position[i] * values[i], values[i]
    for degree in range(top - 1, 0, -2):  # two at a time, so that neither has to be moved
        first, second = series[degree], series[degree - 1]
        for i in range(position.size):
            twice = 2.0 * position[i]
            older[i] = first + twice * values[i] - older[i]
            values[i] = second + twice * older[i] - values[i]
    for i in range(position.size):
        values[i] = series[0] + position[i] * values[i] - older[i]


@apart
def placed(x: Floats, edges: Floats, panels: int) -> tuple[Floats, Integers]:
    """Return where in its panel each of ascending points is, and where the points of each begin.

    Points beyond the panels are taken for their ends.
    """
    position, starts = np.empty(x.size), np.empty(panels + 1, np.int64)
    i = 0
    for here in range(panels):
        starts[here] = i
        left, right = edges[here], edges[here + 1]
        scale = 2.0 / (right - left)
        while i < x.size and (x[i] < right or here + 1 == panels):
            position[i] = min(max((x[i] - left) * scale - 1.0, -1.0), 1.0)
            i += 1
    starts[panels] = i
    return position, starts


@apart
def series_on(x: Floats, edges: Floats, panels: int, series: Floats, values: Floats) -> None:
    """Evaluate the Chebyshev series of panels at ascending points."""
    position, starts = placed(x, edges, panels)
    older = np.empty(x.size)
    for here in range(panels):
        part = slice(starts[here], starts[here + 1])
        series_at(position[part], series[here], values[part], older[part])


@njit(inline="always", error_model="numpy")
def panel_of(x: float, edges: Floats, panels: int) -> int:
    """Return which panel holds a point."""
    low, high = 0, panels
    while high - low > 1:
        middle = (low + high) >> 1
        if x >= edges[middle]:
            low = middle
        else:
            high = middle
    return low


@njit(inline="always", error_model="numpy")
def series_value(position: float, where: int, series: Floats) -> float:
    """Evaluate the Chebyshev series of one panel at one position in [-1, 1]."""
    one, two, twice = 0.0, 0.0, 2.0 * position
    for degree in range(series.shape[1] - 1, 0, -1):
        one, two = series[where, degree] + twice * one - two, one
    return float(series[where, 0] + position * one - two)
