"""How far logarithms of chances may be from polynomials, where centres move evenly in ln t.

While centres move, the density of arm i's logit is multiplied by ``exp(s_i y_i)``. If every ``s_i``
is ``c_i`` times one number s, then the laws of all arms together are an exponential family in s,
with the statistic ``Y = sum of c_i y_i``. That arm j wins is a convex set of it. So derivatives of
``log P_j`` are differences of cumulants of Y: given that the arm wins, and given nothing. Both laws
are log-concave, and the first one's variance is hardly larger. Of the log-concave laws of one
variance, the exponential one has the largest cumulants known to us: ``(n - 1)! sigma^n``. What a
polynomial through n Chebyshev points leaves is then at most ``(sigma h)^n / (n 2^(n - 2))``, with h
half of what s moves by. That is no proof, and it is not close: of what tests and runs showed, all
lay below a quarter of it from three points on.

A round is looked at closely where a random number falls into that margin, on which an integral
decides.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Handle

__all__ = ["MOST_POINTS", "enough_points", "movement"]

MOST_POINTS = 17
EVEN = 1e-8  # standard deviations that a centre may be off what even movement would make it
UNEVEN = -1.0
FEW_HITS = 1.0  # rounds of a window that may fall into margins
WIDEST = 0.1  # margin
NO_MARGIN = 1e-8  # what is closer than this is as good as the integrals


@njit(inline="always", error_model="numpy")
def log_gamma_variance(shape: float) -> float:
    """Return at least the variance of the logarithm of a Gamma variable, and not much more."""
    inverse = 1.0 / shape
    return inverse * (1.0 + inverse * (0.5 + inverse / 6.0))


@njit(inline="always", error_model="numpy")
def logit_variance(center: float, count: float) -> float:
    """Return the variance of the logit of Beta(a n + 1, (1 - a) n + 1), or a little more."""
    one, two = center * count + 1.0, (1.0 - center) * count + 1.0
    return log_gamma_variance(one) + log_gamma_variance(two)


@apart
def movement(
    rule: Rule,
    handle: Handle,
    means: Floats,
    counts: Floats,
    left: float,
    right: float,
    moved: Floats,
) -> float:
    """Fill in by how much centres move between two times, given by their logarithms.

    Returns the standard deviation of half of what laws are tilted by, ``sigma h``; ``UNEVEN`` where
    centres do not move evenly.
    """
    total, quarter = 0.0, 0.25 * (right - left)
    for i in range(moved.size):
        mean, count = means[i], counts[i]
        first = rule(mean, count, np.exp(left), handle)
        last = rule(mean, count, np.exp(right), handle)
        moved[i] = last - first
        if moved[i] == 0.0:
            continue
        spread = max(logit_variance(first, count), logit_variance(last, count))
        for k in range(1, 3):
            here = rule(mean, count, np.exp(left + k * quarter), handle)
            off = count * (here - first - 0.25 * k * moved[i])
            if off * off * spread > EVEN * EVEN:
                return UNEVEN
        total += (0.5 * count * moved[i]) ** 2 * spread
    return float(np.sqrt(total))


@apart
def enough_points(spread: float, lost: float) -> tuple[int, float, bool]:
    """Return how many points to begin with, the margin that they leave, and whether they suffice.

    ``lost`` rounds at most are not the leader's. Where centres do not move evenly, or too far,
    points will be added.
    """
    points, following = 2, 3
    while spread >= 0.0 and points <= MOST_POINTS:
        margin = spread**points / (points * 2.0 ** (points - 2))
        if margin < min(WIDEST, max(NO_MARGIN, 0.5 * FEW_HITS / max(lost, 1e-300))):
            return points, margin, True
        points, following = following, 2 * following - 1
    return 3, 0.0, False
