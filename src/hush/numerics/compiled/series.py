"""Series on panels, compiled: the twin of :mod:`hush.numerics.series`."""

from __future__ import annotations

from numba import njit

from hush.numerics.binomial import SMALL
from hush.numerics.compiled.arrays import Floats
from hush.numerics.series import ALMOST

__all__ = ["inner", "panel_of", "series_at"]


@njit(inline="always", error_model="numpy")
def inner(x: float) -> float:
    """Return a point moved off 0 and 1, by less than numbers there are apart."""
    return min(max(x, SMALL), ALMOST)


@njit(inline="always", error_model="numpy")
def series_at(position: float, where: int, series: Floats) -> float:
    """Evaluate the Chebyshev series of a panel at a position in [-1, 1]."""
    one, two = 0.0, 0.0
    twice = 2.0 * position
    for degree in range(series.shape[1] - 1, 0, -1):
        one, two = series[where, degree] + twice * one - two, one
    return float(series[where, 0] + position * one - two)


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
