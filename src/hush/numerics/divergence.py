"""Divergences of coins, and how far a mean may lie from an estimate within a given divergence.

Plain arithmetic, on numbers and arrays alike, so that rules may call it and still compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["d_eps", "kl", "private_upper", "upper"]

SMALL = 1e-300
ALMOST = 1.0 - 2.0**-53
ROUNDING = 1e-15
NEWTON_STEPS = 5


def kl(p: Any, q: Any) -> Any:  # noqa: ANN401
    """Return the Kullback-Leibler divergence of coins with means p and q, for p <= q.

    >>> round(float(kl(0.4, 0.5)), 6)
    0.020136
    """
    # In terms of q - p: where that is small, the difference of two logarithms has no digits left.
    step, rest = q - p, 1.0 - p
    up = p * np.log1p(step / np.maximum(p, SMALL))
    return -up - rest * np.log1p(-np.minimum(step / np.maximum(rest, SMALL), ALMOST))


def upper(p: Any, c: Any) -> Any:  # noqa: ANN401
    """Return the largest q with ``kl(p, q) <= c``.

    Newton's method from above. With x = q - p, both ``x^2 <= 2 c q (1 - p)`` (the variance of a
    mean between p and q is at most q (1 - p)) and ``-ln(1 - q) <= (c + entropy) / (1 - p)`` hold;
    the smaller of the two is near enough for five steps to reach double precision, and since kl
    is convex in q no step passes the solution.

    >>> round(float(upper(0.4, 0.020136)), 4), float(upper(1.0, 0.1))
    (0.5, 1.0)
    """
    rest = 1.0 - p
    low, high = np.maximum(p, SMALL), np.maximum(rest, SMALL)
    v = c * rest
    entropy = -p * np.log(low) - rest * np.log(high)
    far = rest - np.exp(-(c + entropy) / high) + ROUNDING
    most = ALMOST * rest
    x = np.minimum(np.minimum(v + np.sqrt(v * (2.0 * p + v)), far), most)
    x = np.maximum(x, SMALL)
    for _ in range(NEWTON_STEPS):
        gap = -p * np.log1p(x / low) - rest * np.log1p(-np.minimum(x / high, ALMOST)) - c
        x = np.maximum(np.minimum(x - gap * (p + x) * (rest - x) / x, most), SMALL)
    return np.minimum(p + x, 1.0)


def d_eps(p: Any, q: Any, epsilon: float) -> Any:  # noqa: ANN401
    """Return ``inf over z of epsilon |z - p| + kl(z, q)`` for p <= q: what epsilon leaves of kl.

    Azize et al. 2025, https://arxiv.org/abs/2505.05613. The infimum is at the z at which kl falls
    as fast as the first term grows, or at p if that z lies below it.

    >>> round(float(d_eps(0.4, 0.5, 10.0)), 6), round(float(d_eps(0.4, 0.5, 0.1)), 6)
    (0.020136, 0.008751)
    >>> float(d_eps(0.4, 1.0, 1000.0))
    600.0
    """
    shift = q * np.expm1(-epsilon)
    sure = shift <= -1.0  # q is 1, and exp(-epsilon) too small to be told from 0
    turn = q * np.exp(-epsilon) / np.maximum(1.0 + shift, SMALL) + sure
    logarithm = np.log1p(np.maximum(shift, -ALMOST))
    linear = -epsilon * p - (logarithm + sure * (-epsilon - logarithm))
    near = kl(p, q)
    return near + (p < turn) * (linear - near)


def private_upper(p: Any, c: Any, epsilon: float) -> Any:  # noqa: ANN401
    """Return the largest q with ``d_eps(p, q) <= c``.

    Up to the q at which the infimum leaves p, d_eps is kl; from there on ``-epsilon p - ln(1 - q +
    q exp(-epsilon))``, which is solved by hand.

    >>> round(float(private_upper(0.4, 0.008751, 0.1)), 4)
    0.5
    """
    turn = p / (p + (1.0 - p) * np.exp(-epsilon))
    near = upper(p, c)
    linear = np.expm1(-epsilon * p - c) / np.expm1(-epsilon)
    return near + (c > kl(p, turn)) * (np.minimum(linear, 1.0) - near)
