"""The chance that each of several Beta draws is the largest, to about nine digits.

With densities ``f_i`` and distribution functions ``F_i`` it is ``P_j = integral of f_j times the
product of the other F_i``. Every term is positive, so that small chances come out as precise as
large ones, relative to their size.

The integral runs over ``y = log(x / (1 - x))``, where every law is smooth and falls off on both
sides, in panels about as wide as the narrowest law that lives there, with ten Gauss-Legendre points
each. Nobody wins below the highest lower end of all laws: panels begin there. What a law has below
is its total, which is known, less what lies above; a law that has next to nothing below has panels
of its own down to its lower end, so that nothing is subtracted.

While centres move densities need not be computed again: with ``s`` added to ``a n`` a density is
multiplied by ``exp(s y)``, and where all centres move alike that factor is the same for all arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats, Integers

__all__ = ["POINTS", "Grid", "deviation", "make_grid", "win_chances"]

POINTS = 10
MOST_PANELS = 4096
# A law ends where its density has fallen by exp(50): what lies beyond has a chance below 1e-20.
DEPTH = 50.0
TAIL = 25.0  # above all modes it is enough to have fallen by so much more
PANEL = 2.5  # in standard deviations
SHARP = 2.0**17  # laws narrower than 1 / sqrt of this are computed by a series
ALIKE = 1e-15  # centres that differ by no more are the same


def _running_weights() -> tuple[Floats, Floats, Floats]:
    """Return Gauss-Legendre points and weights, and those of integrals from -1 to each point.

    The latter by rows of the point whose value they belong to.
    """
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    running = np.empty((POINTS, POINTS))
    for m in range(POINTS):
        others = np.delete(points, m)
        lagrange = np.polynomial.Polynomial.fromroots(others) / np.prod(points[m] - others)
        antiderivative = lagrange.integ(lbnd=-1.0)
        running[m] = antiderivative(points)
    return points, weights, running


NODES, WEIGHTS, RUNNING = _running_weights()


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
    base: Floats


@njit(inline="always", error_model="numpy")
def deviation(center: float, count: float) -> float:
    """Return the standard deviation of Beta(a n + 1, (1 - a) n + 1)."""
    mean = (center * count + 1.0) / (count + 2.0)
    return float(np.sqrt(mean * (1.0 - mean) / (count + 3.0)))


@njit(inline="always", error_model="numpy")
def fallen(alpha: float, beta: float, below: float) -> float:
    """Return by how much the log density in ``y`` has fallen so far below its mode, or above."""
    return float(alpha * below + (alpha + beta) * np.log1p(alpha / (alpha + beta) * np.expm1(-below)))


@njit(cache=True, nogil=True, error_model="numpy")
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
def panel_width(alpha: float, beta: float, y: float) -> float:
    """Return how wide a panel from ``y`` on may be, for one law.

    As its curvature there wants it; but where it falls like an exponential, as its slope wants it.
    """
    total = alpha + beta
    usual = PANEL * np.sqrt(total / (alpha * beta))
    sharpest = min(max(0.0, y), y + usual)  # the curvature is largest at 0
    share = 1.0 / (1.0 + np.exp(-sharpest))
    curved = PANEL / np.sqrt(max(total * share * (1.0 - share), 1e-300))
    slope = abs(alpha - total / (1.0 + np.exp(-y)))
    return float(min(curved, max(usual, 5.0 / max(slope, 1e-300))))


@njit(inline="always", error_model="numpy")
def log_rest(z: float) -> float:
    """Return log Gamma(z) less (z - 1/2) log z - z + log(2 pi) / 2, for z at least 1."""
    if z < 12.0:
        return float(math.lgamma(z) - ((z - 0.5) * np.log(z) - z + 0.5 * np.log(2.0 * np.pi)))
    inverse = 1.0 / z
    square = inverse * inverse
    return inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680)))


@njit(cache=True, nogil=True, error_model="numpy")
def fill_density(
    alpha: float, beta: float, grid: Grid, logs: Floats, arm: int, begin: float, high: float
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
    points, panels = grid.places.shape
    for k in range(points):
        for panel in range(panels):
            y = grid.places[k, panel]
            if begin <= y <= high:
                shape = alpha * logs[0, k, panel] + beta * logs[1, k, panel] - top
                if curved > SHARP:
                    d = y - mode
                    series = third + d * (fourth + d * (fifth + d * sixth))
                    shape = -curved * d * d * (0.5 + d * series)
                grid.base[k, arm * panels + panel] = np.exp(shape)


@njit(cache=True, nogil=True, error_model="numpy")
def lay_panels(
    shapes: Floats, low: Floats, high: Floats, begin: Floats, start: float, edges: Floats
) -> int:
    """Lay panels' edges that serve all laws; return how many panels, or 0 if there is no room.

    A law is alive from ``begin`` to ``high``; a panel ends where one begins, and at ``start``.
    """
    n_arms = low.size
    x, end = start, start
    for i in range(n_arms):
        x, end = min(x, begin[i]), max(end, high[i])
    panels = 0
    edges[0] = x
    while x < end:
        following = end if x >= start else min(start, end)
        for i in range(n_arms):
            if begin[i] <= x:
                if x < high[i]:
                    width = min(
                        panel_width(shapes[0, i], shapes[1, i], x),
                        panel_width(shapes[2, i], shapes[3, i], x),
                    )
                    following = min(following, x + width)
            elif begin[i] < following:
                following = begin[i]
        if following <= x:  # narrower than numbers are apart
            following = np.nextafter(x, np.inf)
        panels += 1
        if panels >= edges.size:
            return 0
        edges[panels] = following
        x = following
    return panels


@njit(cache=True, nogil=True, error_model="numpy")
def make_grid(
    first: Floats, last: Floats, count: Floats, most: int = MOST_PANELS
) -> Grid:
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
    base = np.zeros((POINTS, n_arms * panels))
    grid = Grid(places, halves, weights, start, above, first.copy(), base)
    for i in range(n_arms):
        fill_density(shapes[0, i], shapes[1, i], grid, logs, i, begin[i], high[i])
    return grid


@njit(inline="always", error_model="numpy")
def log_total(alpha: float, beta: float, shift: float, origin: float) -> float:
    """Return the log integral of a density relative to its mode's, times exp(shift (y - origin)).

    ``alpha`` and ``beta`` are those before the shift.
    """
    up, down = alpha + shift, beta - shift
    total = alpha + beta
    moved = up * np.log1p(shift / alpha) + down * np.log1p(-shift / beta)
    moved += shift * (np.log(alpha / beta) - origin)
    size = 0.5 * np.log(2.0 * np.pi * total / (up * down))
    return float(size + log_rest(up) + log_rest(down) - log_rest(total) + moved)


@njit(cache=True, nogil=True, error_model="numpy")
def move_densities(
    grid: Grid, center: Floats, count: Floats, density: Floats, total: Floats
) -> None:
    """Fill in the densities at other centres, and their totals: 0 for what panels sum up to."""
    points, panels = grid.places.shape
    tilt = np.empty((POINTS, panels))
    shift, known = 0.0, False
    for i in range(count.size):
        own = count[i] * (center[i] - grid.center[i])
        moves = own != 0.0
        if moves and (not known or abs(own - shift) > ALIKE * count[i]):
            shift, known = own, True
            for k in range(points):
                for panel in range(panels):
                    tilt[k, panel] = np.exp(shift * (grid.places[k, panel] - grid.start))
        for k in range(points):
            for panel in range(panels):
                density[k, i * panels + panel] = grid.base[k, i * panels + panel]
        if moves:
            for k in range(points):
                for panel in range(panels):
                    if density[k, i * panels + panel] > 0.0:  # elsewhere the factor may be infinite
                        density[k, i * panels + panel] *= tilt[k, panel]
        total[i] = 0.0
        if grid.above[i]:
            alpha = grid.center[i] * count[i] + 1.0
            own = shift if moves else 0.0
            size = log_total(alpha, count[i] + 2.0 - alpha, own, grid.start)
            total[i] = max(np.exp(size), 1e-300)  # of a law far below the start


@njit(cache=True, nogil=True, error_model="numpy")
def fill_below(grid: Grid, density: Floats, total: Floats, below: Floats) -> None:
    """Fill in the distribution functions, and totals where there is none.

    All laws' panels lie in one row, so that one loop runs over all of them.
    """
    points, panels = grid.places.shape
    carry, factor = np.zeros(density.shape[1]), np.zeros(density.shape[1])
    for k in range(points):
        for q in range(carry.size):
            carry[q] += WEIGHTS[k] * density[k, q]
    for i in range(total.size):
        whole = 0.0
        for panel in range(panels):
            whole += grid.halves[panel] * carry[i * panels + panel]
        known = total[i] > 0.0
        if not known:
            total[i] = whole
        reached = max(0.0, 1.0 - whole / total[i]) if known else 0.0
        for panel in range(panels):
            factor[i * panels + panel] = grid.halves[panel] / total[i]
            within = carry[i * panels + panel] * factor[i * panels + panel]
            carry[i * panels + panel] = reached
            reached += within
    for k in range(points):
        for q in range(carry.size):
            below[k, q] = carry[q]
        for m in range(points):
            share = RUNNING[m, k]
            for q in range(carry.size):
                below[k, q] += share * (factor[q] * density[m, q])
        for q in range(carry.size):
            below[k, q] = max(0.0, below[k, q])


@njit(cache=True, nogil=True, error_model="numpy")
def win_chances(grid: Grid, center: Floats, count: Floats, chance: Floats) -> None:
    """Fill ``chance`` with the probability that each arm's draw is the largest."""
    n_arms, points, panels = count.size, grid.places.shape[0], grid.halves.size
    density, below = np.empty(grid.base.shape), np.empty(grid.base.shape)
    total, after = np.empty(n_arms), np.empty((POINTS, panels))
    move_densities(grid, center, count, density, total)
    fill_below(grid, density, total, below)
    for k in range(points):
        for panel in range(panels):
            after[k, panel] = grid.weights[k, panel]
    for i in range(n_arms):
        for k in range(points):
            for panel in range(panels):
                density[k, i * panels + panel] *= after[k, panel]
                after[k, panel] *= below[k, i * panels + panel]
    for k in range(points):
        for panel in range(panels):
            after[k, panel] = 1.0
    for i in range(n_arms - 1, -1, -1):
        won = 0.0
        for k in range(points):
            for panel in range(panels):
                won += density[k, i * panels + panel] * after[k, panel]
                after[k, panel] *= below[k, i * panels + panel]
        chance[i] = won / total[i]
