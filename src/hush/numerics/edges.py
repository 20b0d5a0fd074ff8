"""Where panels of a posterior end, and those of a grid that serves several posteriors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hush.numerics.prior import Prior

__all__ = ["DECADES", "DEPTH", "DROPS", "MOST_COMMON", "common_edges", "drop_edges", "graded"]

Floats = NDArray[np.float64]

# A posterior ends where its density has fallen by exp(DEPTH); less than 1e-20 lies beyond.
DEPTH = 50.0
DROPS = np.array([1.5, 7.0, 14.5, 24.0, 38.0, 60.0])
DECADES = 0.1 ** np.arange(1.0, 15.0)
MOST_COMMON = 4000


def summit(x: Floats, logs: Floats, at: int) -> tuple[float, float]:
    """Return place and height of the parabola through the highest point and its neighbours.

    >>> summit(np.array([0.0, 1.0, 4.0]), np.array([-4.0, -1.0, -4.0]), 1)
    (2.0, 0.0)
    """
    if at == 0 or at + 1 == x.size:
        return float(x[at]), float(logs[at])
    one, two = x[at - 1] - x[at], x[at + 1] - x[at]
    down, up = (logs[at - 1] - logs[at]) / one, (logs[at + 1] - logs[at]) / two
    bend = (up - down) / (two - one)
    if not bend < 0.0:
        return float(x[at]), float(logs[at])
    slope = down - bend * one
    return float(x[at] - 0.5 * slope / bend), float(logs[at] - 0.25 * slope * slope / bend)


def drop_edges(points: Floats, logs: Floats, low: float, high: float) -> Floats:
    """Return edges where the density has fallen by each of ``DROPS``, or the ends.

    A normal law's drop is the square of the distance to its mode: between points the root is
    nearly a straight line.
    """
    mode, peak = summit(points, logs, int(np.argmax(logs)))
    found: list[float] = []
    for side, end in ((-1, low), (1, high)):
        beyond = side * (points - mode) > 0.0
        reached = np.append(mode, points[beyond][::side])
        fallen = np.append(0.0, np.sqrt(np.maximum(peak - logs[beyond][::side], 0.0)))
        fallen = np.maximum.accumulate(fallen)
        within = fallen[-1] ** 2 >= DROPS
        found += np.interp(np.sqrt(DROPS[within]), fallen, reached).tolist()
        if not within.all():
            found.append(end)
    return np.unique(found)


def graded(edges: Floats, prior: Prior) -> Floats:
    """Add an edge per decade towards an end where the prior's density is no whole power."""
    if edges[0] == 0.0 and not prior.a.is_integer():
        far = edges[(edges == 0.0) | (edges > DECADES[-1])]
        edges = np.unique(np.concatenate((far, DECADES[edges[-1] > DECADES])))
    if edges[-1] == 1.0 and not prior.b.is_integer():
        far = edges[(edges == 1.0) | (edges < 1.0 - DECADES[-1])]
        edges = np.unique(np.concatenate((far, 1.0 - DECADES[edges[0] < 1.0 - DECADES])))
    return edges


def common_edges(all_edges: Sequence[Floats], start: float, end: float) -> Floats:
    """Lay panels over [start, end], as fine as the finest posterior that lives at each place."""
    found, x = [start], start
    while x < end:
        step = end - x
        for edges in all_edges:
            if edges[0] <= x < edges[-1]:
                here = int(edges.searchsorted(x, side="right"))
                step = min(step, edges[here] - edges[here - 1])
                if here + 1 < edges.size:  # up to the next panel, or no wider than that is
                    step = min(step, max(edges[here] - x, edges[here + 1] - edges[here]))
        x = min(x + max(step, 4e-16), end) if len(found) < MOST_COMMON else end
        found.append(x)
    return np.array(found)
