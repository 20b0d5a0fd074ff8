"""What posteriors say for and against a mean, compiled: see :mod:`hush.numerics.posterior`."""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.posterior import Posteriors, log_prior
from hush.numerics.compiled.series import inner, panel_of, series_value
from hush.numerics.prior import Prior
from hush.numerics.series import AREAS, NODES, POINTS, WEIGHTS

__all__ = ["log_above", "log_ratio", "mean_of", "upper_of"]


@apart
def mean_of(posteriors: Posteriors, arm: int) -> float:
    """Return a posterior's mean: its upper end less the area under its distribution function."""
    edges, base, integral = posteriors.edges[arm], posteriors.base[arm], posteriors.integral[arm]
    size = posteriors.panels[arm]
    mean = edges[size]
    for i in range(size):
        area = base[i]
        for degree in range(0, NODES + 1, 2):
            area += AREAS[degree] * integral[i, degree]
        mean -= (edges[i + 1] - edges[i]) * area
    return float(mean)


@apart
def log_above(posteriors: Posteriors, arm: int, x: float, prior: Prior) -> float:
    """Return the logarithm of the chance that the arm's mean lies above ``x``."""
    edges, integral, series = posteriors.edges[arm], posteriors.integral[arm], posteriors.series
    size = posteriors.panels[arm]
    if x >= edges[size]:
        return -np.inf
    if x <= edges[0]:
        return 0.0
    here = panel_of(x, edges, size)
    left, right = edges[here], edges[here + 1]
    half = 0.5 * (right - x)
    chance = 0.0
    for k in range(NODES):
        node = inner(x + half * (1.0 + POINTS[k]))
        position = min((2.0 * node - left - right) / (right - left), 1.0)
        log = series_value(position, here, series[arm]) + log_prior(node, prior)
        chance += half * WEIGHTS[k] * np.exp(log)
    for i in range(here + 1, size):
        for degree in range(NODES + 1):
            chance += integral[i, degree]
    return float(min(np.log(chance), 0.0))


@njit(inline="always", error_model="numpy")
def outer_slope(posteriors: Posteriors, arm: int, at_left: bool) -> float:
    """Return the slope of the log likelihood at the left or right end of the panels."""
    edges, series = posteriors.edges[arm], posteriors.series[arm]
    here = 0 if at_left else posteriors.panels[arm] - 1
    slope = 0.0
    for degree in range(1, NODES):  # T_k'(1) = k^2, and T_k'(-1) that with alternating signs
        sign = -1.0 if at_left and degree % 2 == 0 else 1.0
        slope += sign * degree * degree * series[here, degree]
    return float(slope * 2.0 / (edges[here + 1] - edges[here]))


@apart
def log_ratio(posteriors: Posteriors, arm: int, x: float, log_mass: float) -> float:
    """Return the logarithm of posterior over prior at ``x``; beyond the panels, an upper bound.

    The likelihood is log-concave, so it lies below its tangents: those at the outer ends.
    """
    edges, series = posteriors.edges[arm], posteriors.series[arm]
    size = posteriors.panels[arm]
    inside = min(max(x, edges[0]), edges[size])
    here = panel_of(inside, edges, size)
    left, right = edges[here], edges[here + 1]
    position = min((2.0 * inside - left - right) / (right - left), 1.0)
    value = series_value(position, here, series) + log_mass
    if inside != x:
        value += outer_slope(posteriors, arm, x < inside) * (x - inside)
    return float(value)


@apart
def upper_of(posteriors: Posteriors, arm: int, level: float) -> float:
    """Return the largest mean whose evidence is at least ``exp(-level)``, for a uniform prior."""
    edges, series = posteriors.edges[arm], posteriors.series[arm]
    here = posteriors.panels[arm] - 1
    known = series_value(1.0, here, series)
    if known > -level:
        slope = outer_slope(posteriors, arm, False)
        beyond = (known + level) / -slope if slope < 0.0 else np.inf
        return float(min(edges[here + 1] + beyond, 1.0))
    while here > 0 and series_value(-1.0, here, series) <= -level:
        here -= 1
    inside, outside = -1.0, 1.0
    for _ in range(50):
        middle = 0.5 * (inside + outside)
        if series_value(middle, here, series) > -level:
            inside = middle
        else:
            outside = middle
    return float(0.5 * (edges[here] + edges[here + 1] + outside * (edges[here + 1] - edges[here])))
