"""The chance that each of several Beta draws is the largest, to about nine digits.

With densities ``f_i`` and distribution functions ``F_i`` it is ``P_j = integral of f_j times the
product of the other F_i``. Every term is positive, so that small chances come out as precise as
large ones, relative to their size. The integral runs over panels about as wide as the narrowest
law that lives there, with ten Gauss-Legendre points each; distribution functions are running
integrals of the same interpolated densities, and every law is divided by its own total, so that
no gamma function is needed.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats

__all__ = ["MOST_PANELS", "POINTS", "make_grid", "win_chances"]

POINTS = 10
MOST_PANELS = 4096
# A law ends where its density has fallen by exp(50): what lies beyond has a chance below 1e-20.
DEPTH = 50.0
PANEL = 2.5  # in standard deviations
SHARP = 2.0**22  # counts above this use the form that does not cancel


def _running_weights() -> tuple[Floats, Floats, Floats]:
    """Return Gauss-Legendre points and weights, and those of integrals from -1 to each point."""
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    running = np.empty((POINTS, POINTS))
    for m in range(POINTS):
        others = np.delete(points, m)
        lagrange = np.polynomial.Polynomial.fromroots(others) / np.prod(points[m] - others)
        antiderivative = lagrange.integ(lbnd=-1.0)
        running[:, m] = antiderivative(points)
    return points, weights, running


NODES, WEIGHTS, RUNNING = _running_weights()


@njit(inline="always", error_model="numpy")
def log_shape(x: float, center: float, count: float) -> float:
    """Return the log density of Beta(a n + 1, (1 - a) n + 1) at x, less its value at its mode a."""
    if center >= 1.0:
        return count * np.log(x) if x > 0.0 else (-np.inf if count > 0.0 else 0.0)
    if center <= 0.0:
        return count * np.log1p(-x) if x < 1.0 else (-np.inf if count > 0.0 else 0.0)
    if x <= 0.0 or x >= 1.0:
        return -np.inf
    gap = x - center
    rest = 1.0 - center
    return float(count * (center * np.log1p(gap / center) + rest * np.log1p(-gap / rest)))


@njit(cache=True, nogil=True, error_model="numpy")
def law_end(center: float, count: float, end: float) -> float:
    """Return where the density has fallen by exp(DEPTH) between the mode and an end, 0 or 1."""
    if log_shape(end, center, count) >= -DEPTH:
        return end
    inner, outer = center, end
    for _ in range(60):
        middle = 0.5 * (inner + outer)
        if log_shape(middle, center, count) >= -DEPTH:
            inner = middle
        else:
            outer = middle
        if abs(outer - inner) <= 1e-3 * abs(inner - center):
            break
    return outer


@njit(inline="always", error_model="numpy")
def deviation(center: float, count: float) -> float:
    """Return the standard deviation of Beta(a n + 1, (1 - a) n + 1)."""
    mean = (center * count + 1.0) / (count + 2.0)
    return float(np.sqrt(mean * (1.0 - mean) / (count + 3.0)))


@njit(cache=True, nogil=True, error_model="numpy")
def make_grid(
    first: Floats, last: Floats, count: Floats, low: Floats, high: Floats, edges: Floats
) -> int:
    """Lay panels that serve all laws while their centres move from ``first`` to ``last``.

    Fills each law's range into ``low`` and ``high`` and the panels' ends into ``edges``; returns
    the number of panels, or 0 if there is no room for them.
    """
    n_arms = count.size
    width = np.empty(n_arms)
    rough_low = np.zeros(n_arms, np.bool_)
    rough_high = np.zeros(n_arms, np.bool_)
    for i in range(n_arms):
        low[i] = law_end(first[i], count[i], 0.0)
        high[i] = law_end(last[i], count[i], 1.0)
        width[i] = PANEL * min(deviation(first[i], count[i]), deviation(last[i], count[i]))
        # A small power that is no whole number has a kink at the end: panels shrink towards it.
        power = first[i] * count[i]
        rough_low[i] = low[i] == 0.0 and 0.0 < power < 12.0
        power = (1.0 - last[i]) * count[i]
        rough_high[i] = high[i] == 1.0 and first[i] < 1.0 and power < 12.0
    x, end = low[0], high[0]
    for i in range(n_arms):
        x, end = min(x, low[i]), max(end, high[i])
    panels = 0
    edges[0] = x
    while x < end:
        step = np.inf
        bottom = 0.0
        top = 0.0
        for i in range(n_arms):
            if low[i] <= x < high[i]:
                step = min(step, width[i])
                if rough_low[i]:
                    bottom = max(bottom, 1e-7 * width[i])
                if rough_high[i]:
                    top = max(top, 1e-7 * width[i])
        if bottom > 0.0:
            step = min(step, max(bottom, x))
        if top > 0.0:
            step = min(step, max(0.5 * (1.0 - x), top))
        following = min(x + step, end)
        for i in range(n_arms):
            if x < low[i] < following:
                following = low[i]
        if following <= x:  # narrower than numbers are apart
            following = np.nextafter(x, 2.0)
        panels += 1
        if panels >= edges.size:
            return 0
        edges[panels] = following
        x = following
    return panels


@njit(cache=True, nogil=True, error_model="numpy")
def win_chances(
    center: Floats,
    count: Floats,
    low: Floats,
    high: Floats,
    edges: Floats,
    panels: int,
    chance: Floats,
) -> None:
    """Fill ``chance`` with the probability that each arm's draw is the largest."""
    n_arms = count.size
    density = np.zeros((n_arms, POINTS))
    below = np.zeros((n_arms, POINTS))
    total = np.zeros(n_arms)
    scale = np.empty(n_arms)
    log_center = np.empty(n_arms)
    log_rest = np.empty(n_arms)
    before = np.ones(n_arms + 1)
    log_x = np.empty(POINTS)
    log_y = np.empty(POINTS)
    for i in range(n_arms):
        scale[i] = 0.4 / deviation(center[i], count[i])  # totals near 1: products stay in range
        log_center[i] = np.log(center[i]) if center[i] > 0.0 else 0.0
        log_rest[i] = np.log1p(-center[i]) if center[i] < 1.0 else 0.0
        chance[i] = 0.0
    for panel in range(panels):
        left, half = edges[panel], 0.5 * (edges[panel + 1] - edges[panel])
        for k in range(POINTS):
            x = left + half * (1.0 + NODES[k])
            log_x[k] = np.log(x)
            log_y[k] = np.log1p(-x)
        alive = False
        for i in range(n_arms):
            if edges[panel + 1] <= low[i] or left >= high[i]:
                for k in range(POINTS):
                    density[i, k] = 0.0
                    below[i, k] = total[i]
                continue
            alive = True
            a, n = center[i], count[i]
            for k in range(POINTS):
                if n <= SHARP and 0.0 < a < 1.0:
                    shape = n * (
                        a * (log_x[k] - log_center[i]) + (1.0 - a) * (log_y[k] - log_rest[i])
                    )
                else:
                    shape = log_shape(left + half * (1.0 + NODES[k]), a, n)
                density[i, k] = scale[i] * np.exp(shape) if shape > -700.0 else 0.0
            whole = 0.0
            for k in range(POINTS):
                part = 0.0
                for m in range(POINTS):
                    part += RUNNING[k, m] * density[i, m]
                below[i, k] = max(0.0, total[i] + half * part)
                whole += WEIGHTS[k] * density[i, k]
            total[i] += half * whole
        if not alive:
            continue
        for k in range(POINTS):
            weight = half * WEIGHTS[k]
            for i in range(n_arms):
                before[i + 1] = before[i] * below[i, k]
            after = weight
            for i in range(n_arms - 1, -1, -1):
                chance[i] += after * before[i] * density[i, k]
                after *= below[i, k]
    product = 1.0
    for i in range(n_arms):
        product *= total[i]
    for i in range(n_arms):
        chance[i] /= product
