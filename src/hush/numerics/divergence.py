"""Divergences of coins, and how far a mean may lie from an estimate within a given divergence.

Plain arithmetic, on numbers and arrays alike, so that rules may call it and still compile; of
inverses there are compiled twins (:mod:`hush.numerics.compiled.divergence`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["d_eps", "kl", "private_upper", "upper"]

SMALL = 1e-300
ALMOST = 1.0 - 2.0**-53
ROUNDING = 1e-15
FAR, EDGE = 0.4, 1e-17
STEPS = 2


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

    >>> round(float(upper(0.4, 0.020136)), 4), float(upper(1.0, 0.1))
    (0.5, 1.0)
    """
    rest, x = 1.0 - p, nearby(p, c)
    far, left = x > FAR * rest, most_left(p, c)
    x = np.where(far, np.minimum(x, rest - left + ROUNDING), x)
    for _ in range(STEPS):
        x = closer(p, c, x)
    edge = far & (left * left < EDGE * rest)
    return np.where(edge, 1.0 - left, np.minimum(p + x, 1.0))[()]


def nearby(p: Any, c: Any) -> Any:  # noqa: ANN401
    """Return about how far above p that is: ``x^2 = 2 c (p + x / 3) (1 - p - x / 3)``."""
    slope, wide = c * (1.0 - p - p) / 3.0, 1.0 + 2.0 * c / 9.0
    return (slope + np.sqrt(slope * slope + 2.0 * c * wide * p * (1.0 - p))) / wide


def most_left(p: Any, c: Any) -> Any:  # noqa: ANN401
    """Return what ``1 - q`` is at most, and all but equal to where it is small.

    Close to 1 the last digits of ``q - p`` would tell, and q might fall where c grows.
    """
    low, high = np.maximum(p, SMALL), np.maximum(1.0 - p, SMALL)
    return np.exp(-(c - p * np.log(low) - (1.0 - p) * np.log(high)) / high)


def closer(p: Any, c: Any, x: Any) -> Any:  # noqa: ANN401
    """Return a better x with ``kl(p, p + x) = c``, by Householder's method of fourth order.

    Two such steps reach double precision, where five of Newton's do, with half the logarithms.
    """
    rest = 1.0 - p
    x = np.maximum(np.minimum(x, ALMOST * rest), SMALL)
    up, down = p + x, rest - x
    low, high = np.maximum(p, SMALL), np.maximum(rest, SMALL)
    gap = -p * np.log1p(x / low) - rest * np.log1p(-np.minimum(x / high, ALMOST)) - c
    # Newton's step, and the second and third derivatives over the first, all relative to x.
    slope = x / (up * down)
    step = np.minimum(np.maximum(gap / slope / x, -1.0), 1.0)
    first, second = slope * down, slope * up
    bend = 1.0 - first + second
    twist = bend * bend - 1.0 + first * first + second * second
    share = (1.0 - 0.5 * step * bend) / (1.0 - step * bend + step * step * twist / 6.0)
    return np.maximum(np.minimum(x - x * step * share, ALMOST * rest), SMALL)


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
    return np.where(c > kl(p, turn), np.minimum(linear, 1.0), near)[()]
