"""Series on panels, compiled: the twin of :mod:`hush.numerics.series`."""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.binomial import SMALL
from hush.numerics.compiled.arrays import Floats
from hush.numerics.series import ALMOST

__all__ = ["inner", "panel_of", "series_on"]


@njit(inline="always", error_model="numpy")
def inner(x: float) -> float:
    """Return a point moved off 0 and 1, by less than numbers there are apart."""
    return min(max(x, SMALL), ALMOST)


@njit(cache=True, nogil=True, error_model="numpy")
def series_at(position: Floats, series: Floats, values: Floats, older: Floats) -> None:
    """Evaluate a Chebyshev series at positions in [-1, 1] (Clenshaw), all of them at once."""
    last = series.size - 1
    for i in range(position.size):
        values[i], older[i] = series[last], 0.0
    for degree in range(last - 1, 0, -1):
        for i in range(position.size):
            newer = series[degree] + 2.0 * position[i] * values[i] - older[i]
            older[i] = values[i]
            values[i] = newer
    for i in range(position.size):
        values[i] = series[0] + position[i] * values[i] - older[i]


@njit(cache=True, nogil=True, error_model="numpy")
def series_on(x: Floats, edges: Floats, panels: int, series: Floats, values: Floats) -> None:
    """Evaluate the series of panels at ascending points; those beyond are taken for the ends."""
    position, older = np.empty(x.size), np.empty(x.size)
    start, here = 0, 0
    while start < x.size:
        while here + 1 < panels and edges[here + 1] <= x[start]:
            here += 1
        left, right = edges[here], edges[here + 1]
        end = start
        while end < x.size and (here + 1 == panels or x[end] < right):
            position[end] = min(max((2.0 * x[end] - left - right) / (right - left), -1.0), 1.0)
            end += 1
        # Slices, since compilers make fast loops of what begins at 0.
        series_at(position[start:end], series[here], values[start:end], older[start:end])
        start = end


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
