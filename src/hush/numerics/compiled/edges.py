"""Where panels end, compiled: the twin of :mod:`hush.numerics.edges`."""

from __future__ import annotations

import numpy as np

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, sort
from hush.numerics.compiled.series import panel_of
from hush.numerics.edges import DECADES, DROPS, MOST_COMMON

__all__ = ["common_edges", "drop_edges", "graded", "serves"]

# How wide a panel of a grid that is kept may be, relative to a posterior's own: where it is laid it
# is as wide as those, which leaves room for posteriors to shrink.
COARSEST = 2.5


@apart
def distinct(values: Floats) -> Floats:
    """Return values in ascending order, each once."""
    ordered = values.copy()
    sort(ordered)
    kept = 0
    for i in range(ordered.size):
        if kept == 0 or ordered[i] != ordered[kept - 1]:
            ordered[kept] = ordered[i]
            kept += 1
    return ordered[:kept]


@apart
def summit(x: Floats, logs: Floats, at: int) -> tuple[float, float]:
    """Return place and height of the parabola through the highest point and its neighbours."""
    if at == 0 or at + 1 == x.size:
        return x[at], logs[at]
    one, two = x[at - 1] - x[at], x[at + 1] - x[at]
    down, up = (logs[at - 1] - logs[at]) / one, (logs[at + 1] - logs[at]) / two
    bend = (up - down) / (two - one)
    if not bend < 0.0:
        return x[at], logs[at]
    slope = down - bend * one
    return x[at] - 0.5 * slope / bend, logs[at] - 0.25 * slope * slope / bend


@apart
def drop_edges(points: Floats, logs: Floats, low: float, high: float) -> Floats:
    """Return edges where the density has fallen by each of ``DROPS``, or the ends."""
    at = 0
    for i in range(logs.size):
        if logs[i] > logs[at]:
            at = i
    mode, peak = summit(points, logs, at)
    found = np.empty(2 * DROPS.size)
    used = 0
    for side in (-1, 1):
        i = at if side * (points[at] - mode) > 0.0 else at + side
        x, fallen, drop = mode, 0.0, 0
        while drop < DROPS.size and 0 <= i < points.size:
            following = np.sqrt(max(peak - logs[i], fallen * fallen))
            while drop < DROPS.size and DROPS[drop] <= following * following:
                share = (np.sqrt(DROPS[drop]) - fallen) / (following - fallen)
                found[used] = x + share * (points[i] - x)
                used += 1
                drop += 1
            x, fallen = points[i], following
            i += side
        if drop < DROPS.size:
            found[used] = low if side < 0 else high
            used += 1
    return distinct(found[:used])


@apart
def graded(edges: Floats, a: float, b: float) -> Floats:
    """Add an edge per decade towards an end where the prior's density is no whole power."""
    found = np.empty(edges.size + 2 * DECADES.size)
    if edges[0] == 0.0 and a != np.floor(a):
        used = 0
        for edge in edges:
            if edge == 0.0 or edge > DECADES[-1]:
                found[used] = edge
                used += 1
        for decade in DECADES:
            if decade < edges[-1]:
                found[used] = decade
                used += 1
        edges = distinct(found[:used])
    if edges[-1] == 1.0 and b != np.floor(b):
        used = 0
        for edge in edges:
            if edge == 1.0 or edge < 1.0 - DECADES[-1]:
                found[used] = edge
                used += 1
        for decade in DECADES:
            if 1.0 - decade > edges[0]:
                found[used] = 1.0 - decade
                used += 1
        edges = distinct(found[:used])
    return edges


@apart
def common_edges(edges: Floats, panels: Integers) -> Floats:
    """Lay panels where some arm can win, as fine as the finest posterior that lives there.

    Nobody wins below the highest lower end, where that arm's distribution function is 0.
    """
    n_arms = panels.size
    start, end = 0.0, 0.0
    for i in range(n_arms):
        start = max(start, edges[i, 0])
        end = max(end, edges[i, panels[i]])
    at = np.zeros(n_arms, np.int64)
    grid = np.empty(MOST_COMMON + 1)
    grid[0] = start
    x, size = start, 0
    while x < end:
        step = np.inf
        for i in range(n_arms):
            last = panels[i]
            if edges[i, 0] <= x < edges[i, last]:
                while at[i] + 1 < last and edges[i, at[i] + 1] <= x:
                    at[i] += 1
                here = at[i]
                step = min(step, edges[i, here + 1] - edges[i, here])
                if here + 1 < last:  # up to the next panel, or no wider than that is
                    width = edges[i, here + 2] - edges[i, here + 1]
                    step = min(step, max(edges[i, here + 1] - x, width))
        x = min(x + max(step, 4e-16), end) if size + 1 < MOST_COMMON else end
        size += 1
        grid[size] = x
    return grid[: size + 1].copy()


@apart
def serves(grid: Floats, edges: Floats, panels: int, start: float) -> bool:
    """Tell whether a grid reaches an arm's posterior and is as fine as it."""
    if grid.size == 0 or grid[0] > start or grid[-1] < edges[panels]:
        return False
    for i in range(panels):
        middle = 0.5 * (edges[i] + edges[i + 1])
        if middle > grid[0]:
            at = panel_of(middle, grid, grid.size - 1)
            if grid[at + 1] - grid[at] > COARSEST * (edges[i + 1] - edges[i]):
                return False
    return True
