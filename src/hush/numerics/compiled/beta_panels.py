"""Panels in ``y = log(x / (1 - x))`` that serve several Beta laws while their centres move.

They are about as wide as the narrowest law that lives there, with ten Gauss-Legendre points each.
Nobody wins below the highest lower end of all laws: panels begin there. What a law has below is
its total, which is known, less what lies above; a law that has next to nothing below has panels of
its own down to its lower end, so that nothing is subtracted.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.exponential import exponential

__all__ = ["MOST_PANELS", "POINTS", "Grid", "blank_grid", "deviation", "make_grid"]

POINTS = 10
MOST_PANELS = 4096
# A law ends where its density has fallen by exp(50): what lies beyond has a chance below 1e-20.
DEPTH = 50.0
TAIL = 25.0  # above all modes it is enough to have fallen by so much more
PANEL = 2.5  # in standard deviations
STEEP, NARROWER = 16.0, 0.8  # from about six standard deviations on
SHARP = 2.0**17  # laws narrower than 1 / sqrt of this are computed by a series
NODES, WEIGHTS = np.polynomial.legendre.leggauss(POINTS)


class Grid(NamedTuple):
    """Points of panels in ``y``, half the panels' widths, and the laws' densities at some centres.

    Draws can win from ``start`` on, where weights begin. Densities are relative to the modes'.
    Where ``above`` is not 0 a law's part below the start has no panels.
    """

    places: Floats
    halves: Floats
    weights: Floats
    start: float
    above: Integers
    center: Floats
    counts: Floats
    base: Floats


@apart
def blank_grid() -> Grid:
    """Return a grid of no panels, for nobody."""
    none, row = np.empty(0), np.empty((POINTS, 0))
    return Grid(row, none, row, 0.0, np.empty(0, np.int64), none, none, row)


@njit(inline="always", error_model="numpy")
def deviation(center: float, count: float) -> float:
    """Return the standard deviation of Beta(a n + 1, (1 - a) n + 1)."""
    mean = (center * count + 1.0) / (count + 2.0)
    return float(np.sqrt(mean * (1.0 - mean) / (count + 3.0)))


@njit(inline="always", error_model="numpy")
def fallen(alpha: float, beta: float, below: float) -> float:
    """Return by how much the log density in ``y`` has fallen so far below its mode, or above."""
    return float(
        alpha * below + (alpha + beta) * np.log1p(alpha / (alpha + beta) * np.expm1(-below))
    )


@apart
def reach(alpha: float, beta: float, depth: float) -> float:
    """Return how far below its mode in ``y`` the log density of Beta(alpha, beta) has fallen so.

    It is concave: from its first step on Newton's method comes from outside.
    """
    share = alpha / (alpha + beta)
    distance = np.sqrt(2.0 * depth * (1.0 / alpha + 1.0 / beta))
    for _ in range(30):
        grown = np.expm1(-distance)
        slope = alpha - alpha * (1.0 + grown) / (1.0 + share * grown)
        step = (fallen(alpha, beta, distance) - depth) / slope
        distance -= step
        if abs(step) <= 1e-2 * distance:
            break
    return float(distance)


@njit(inline="always", error_model="numpy")
def panel_width(alpha: float, beta: float, usual: float, y: float, decay: float) -> float:
    """Return how wide a panel from ``y`` on may be, for one law; ``decay`` is exp(-y).

    As its curvature there wants it; but where it falls like an exponential, as its slope wants it.
    Far from the mode, where densities grow by large factors within a panel, it is narrower.
    """
    total, share = alpha + beta, 1.0 / (1.0 + decay)
    sharpest = share  # the curvature is largest at 0
    if y < 0.0:
        sharpest = 0.5 if y + usual > 0.0 else 1.0 / (1.0 + decay * np.exp(-usual))
    curved = PANEL / np.sqrt(max(total * sharpest * (1.0 - sharpest), 1e-300))
    slope = abs(alpha - total * share)
    width = min(curved, max(usual, 5.0 / max(slope, 1e-300)))
    return float(width if slope * usual < STEEP else NARROWER * width)


@apart
def fill_density(
    alpha: float,
    beta: float,
    places: Floats,
    logs: Floats,
    base: Floats,
    arm: int,
    begin: float,
    high: float,
) -> None:
    """Fill in a law's density relative to its mode's, from ``begin`` to ``high``.

    ``logs`` are of x and of 1 - x.
    """
    total = alpha + beta
    mode, share, rest = np.log(alpha / beta), alpha / total, beta / total
    curved = total * share * rest
    top = alpha * np.log(share) + beta * np.log(rest)
    # Cumulants of a coin: of a narrow law's log density no large numbers are subtracted.
    third, fourth = (rest - share) / 6.0, (1.0 - 6.0 * share * rest) / 24.0
    fifth = (rest - share) * (1.0 - 12.0 * share * rest) / 120.0
    sixth = (1.0 - 30.0 * share * rest * (1.0 - 4.0 * share * rest)) / 720.0
    points, panels = places.shape
    for k in range(points):
        for panel in range(panels):
            y = places[k, panel]
            shape = alpha * logs[0, k, panel] + beta * logs[1, k, panel] - top
            if curved > SHARP:
                d = y - mode
                series = third + d * (fourth + d * (fifth + d * sixth))
                shape = -curved * d * d * (0.5 + d * series)
            value = exponential(shape)  # also where it is not needed: in one go that is faster
            base[k, arm * panels + panel] = value if begin <= y <= high else 0.0


@apart
def lay_panels(
    shapes: Floats, low: Floats, high: Floats, begin: Floats, start: float, edges: Floats
) -> int:
    """Lay panels' edges that serve all laws; return how many panels, or 0 if there is no room.

    A law is alive from ``begin`` to ``high``. A panel ends at ``start``, and where a law begins for
    which it is too wide.
    """
    n_arms = low.size
    x, end, usual = start, start, np.empty((2, n_arms))
    for i in range(n_arms):
        x, end = min(x, begin[i]), max(end, high[i])
        usual[0, i] = PANEL * np.sqrt(1.0 / shapes[0, i] + 1.0 / shapes[1, i])
        usual[1, i] = PANEL * np.sqrt(1.0 / shapes[2, i] + 1.0 / shapes[3, i])
    panels = 0
    edges[0] = x
    while x < end:
        following = end if x >= start else min(start, end)
        decay = np.exp(-x)
        for i in range(n_arms):
            if begin[i] < following and x < high[i]:
                y, decay_there = x, decay
                if begin[i] > x:
                    y, decay_there = begin[i], np.exp(-begin[i])
                width = min(
                    panel_width(shapes[0, i], shapes[1, i], usual[0, i], y, decay_there),
                    panel_width(shapes[2, i], shapes[3, i], usual[1, i], y, decay_there),
                )
                following = min(following, max(begin[i], x + width))
        if following <= x:  # narrower than numbers are apart
            following = np.nextafter(x, np.inf)
        panels += 1
        if panels >= edges.size:
            return 0
        edges[panels] = following
        x = following
    return panels


@partial(apart, from_python=True)
def make_grid(first: Floats, last: Floats, count: Floats, most: int) -> Grid:
    """Lay panels that serve all laws while their centres move from ``first`` to ``last``.

    Densities are those at ``first``. There are no panels if there is no room for them.
    """
    n_arms = count.size
    shapes = np.empty((4, n_arms))  # of every law, at first and at last
    low, high, begin = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    above = np.zeros(n_arms, np.int64)
    start, top = -np.inf, -np.inf
    for i in range(n_arms):
        shapes[0, i], shapes[1, i] = first[i] * count[i] + 1.0, (1.0 - first[i]) * count[i] + 1.0
        shapes[2, i], shapes[3, i] = last[i] * count[i] + 1.0, (1.0 - last[i]) * count[i] + 1.0
        low[i] = np.log(shapes[0, i] / shapes[1, i]) - reach(shapes[0, i], shapes[1, i], DEPTH)
        high[i] = np.log(shapes[2, i] / shapes[3, i])
        start, top = max(start, low[i]), max(top, high[i])
    for i in range(n_arms):
        # Where a good part of the law lies below the start, it is what the rest leaves of it.
        spread = np.sqrt(1.0 / shapes[2, i] + 1.0 / shapes[3, i])
        above[i] = 1 if start >= high[i] - spread else 0
        begin[i] = start if above[i] else low[i]
        depth = min(DEPTH, TAIL + fallen(shapes[3, i], shapes[2, i], top - high[i]))
        high[i] = max(begin[i], high[i] + reach(shapes[3, i], shapes[2, i], depth))
    edges = np.empty(most)
    panels = lay_panels(shapes, low, high, begin, start, edges)
    places, weights = np.empty((POINTS, panels)), np.zeros((POINTS, panels))
    halves, logs = np.empty(panels), np.empty((2, POINTS, panels))
    points = places.shape[0]  # no constant, so that nothing is unrolled
    for panel in range(panels):
        halves[panel] = 0.5 * (edges[panel + 1] - edges[panel])
        for k in range(points):
            y = edges[panel] + halves[panel] * (1.0 + NODES[k])
            small = np.log1p(np.exp(-abs(y)))
            places[k, panel] = y
            logs[0, k, panel] = min(y, 0.0) - small
            logs[1, k, panel] = min(-y, 0.0) - small
            if edges[panel] >= start:
                weights[k, panel] = halves[panel] * WEIGHTS[k]
    base = np.empty((POINTS, n_arms * panels))
    for i in range(n_arms):
        fill_density(shapes[0, i], shapes[1, i], places, logs, base, i, begin[i], high[i])
    return Grid(places, halves, weights, start, above, first.copy(), count.copy(), base)
