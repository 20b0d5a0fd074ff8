"""Sums over whole numbers by few points, and where these points must lie.

A *panel* is a run of whole numbers. Its rule has at most twelve points and is exact for
polynomials of degree 23: Gauss's rule for the measure that counts whole numbers, whose orthogonal
polynomials are Gram's (DLMF 18.19, the discrete Chebyshev polynomials). A panel of up to twelve
numbers is summed directly. So there is no error at the ends of a panel, as there would be if a
sum were replaced by an integral.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["cell_rule", "layout", "panel_rule", "rule"]

Floats = NDArray[np.float64]

MOST = 12
STEP = 1.2  # how long a panel may be, in standard deviations of the sum that it meets


@lru_cache(maxsize=4096)
def rule(length: int, most: int = MOST) -> tuple[Floats, Floats]:
    """Return points and weights for a sum over 0, 1, ..., ``length - 1``.

    >>> points, weights = rule(10**6)
    >>> points.size, round(float(weights @ points)) == 10**6 * (10**6 - 1) // 2
    (12, True)
    """
    if length <= most:
        return np.arange(length, dtype=np.float64), np.ones(length)
    order = np.arange(1.0, most)
    side = 0.5 * order * np.sqrt((1.0 - (order / length) ** 2) / (4.0 * order**2 - 1.0))
    roots, vectors = np.linalg.eigh(np.diag(side, 1) + np.diag(side, -1))
    return length * roots + 0.5 * (length - 1.0), length * vectors[0] ** 2


def panel_rule(edges: list[int]) -> tuple[Floats, Floats]:
    """Return points and weights for a sum over ``edges[0], ..., edges[-1] - 1``, panel by panel.

    >>> points, weights = panel_rule([0, 12, 100])
    >>> float(weights.sum())
    100.0
    """
    parts = [rule(end - start) for start, end in pairwise(edges)]
    points = [start + part[0] for start, part in zip(edges, parts, strict=False)]
    return np.concatenate(points), np.concatenate([part[1] for part in parts])


def layout(low: int, high: int, zones: Floats, cuts: set[int]) -> list[int]:
    """Return the edges of panels from ``low`` to ``high``.

    Parameters
    ----------
    low, high
        The first whole number, and the one after the last.
    zones
        Rows of start, end, and how long a panel may be in between; twelve is always allowed.
    cuts
        Numbers that must be edges.

    >>> layout(0, 60, np.array([[20.0, 40.0, 12.0]]), {0})
    [0, 20, 32, 44, 60]
    """
    zones = np.unique(np.column_stack([np.maximum(MOST, zones[:, 2]), zones[:, :2]]), axis=0)
    lengths, starts, ends = np.floor(zones[:, 0]), zones[:, 1], zones[:, 2]
    must = sorted({cut for cut in cuts if low < cut < high} | {high})
    edges, at = [low], low
    while at < high:
        # Zones are sorted: the first that holds is the strictest.
        inside = (starts <= at) & (at < ends)
        step = lengths[inside.argmax()] if inside.any() else high - at
        ahead = (starts > at) & (starts < at + step) & (lengths < step)
        if ahead.any():
            # Stop where a stricter zone begins, but leave no sliver before it.
            step = max(float(starts[ahead].min()) - at, lengths[ahead].min())
        at = min(at + max(1, int(step)), must[0])
        if at == must[0]:
            must.pop(0)
        edges.append(at)
    return edges


def cell_rule(scale: float) -> tuple[Floats, Floats]:
    """Return points and weights on 0..1, for noise of the given scale that starts at either end.

    >>> points, weights = cell_rule(0.01)
    >>> round(float(weights @ np.exp(-points / 0.01)), 12)
    0.01
    """
    order = 4 if scale >= 16.0 else 6 if scale >= 4.0 else 10
    points, weights = np.polynomial.legendre.leggauss(order)
    if scale >= 1.0:
        return 0.5 * (points + 1.0), 0.5 * weights
    half = [0.0]
    reach = scale
    while reach < 0.5:
        half.append(reach)
        reach *= 2.0
    edges = np.array([*half, 0.5, *(1.0 - each for each in reversed(half))])
    widths = np.diff(edges)[:, None]
    return (
        (edges[:-1, None] + 0.5 * widths * (points + 1.0)).ravel(),
        (0.5 * widths * weights).ravel(),
    )
