"""Binomial probabilities that hold their digits for every n (Loader 2000).

The compiled twin, :mod:`hush.numerics.compiled.binomial`, shares Stirling's error with this module,
and has sums over the law as well.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["SMALL", "log_mass", "log_peak", "stirling_error"]

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
SMALL = 1e-300


def stirling_error(z: float) -> float:
    """Return ``ln Gamma(z + 1)`` less Stirling's formula; 0 for z of 0 and below.

    >>> round(stirling_error(1.0), 12)
    0.081061466795
    """
    if z < 16.0:
        if z <= 0.0:
            return 0.0
        return math.lgamma(z + 1.0) - (z + 0.5) * math.log(z) + z - HALF_LOG_2PI
    y = 1.0 / (z * z)
    series = 1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))
    return series / z


def log_peak(k: float, rest: float) -> float:
    """Return the logarithm of the binomial probability of k at its best mean, ``k / (k + rest)``.

    >>> round(math.exp(log_peak(1.0, 1.0)), 12)
    0.5
    """
    if k <= 0.0 or rest <= 0.0:
        return 0.0
    n = k + rest
    error = stirling_error(n) - stirling_error(k) - stirling_error(rest)
    return error + 0.5 * math.log(n / (k * rest)) - HALF_LOG_2PI


def log_mass(k: float, n: float, x: Any, rest: Any) -> Any:  # noqa: ANN401
    """Return the logarithm of the binomial probability of k, for means x and ``rest = 1 - x``.

    >>> round(math.exp(log_mass(1.0, 3.0, 0.5, 0.5)), 12)
    0.375
    """
    p, q = k / n, (n - k) / n
    gap = np.where(x < rest, x - p, q - rest)
    # Where x is near p the difference keeps its digits; far away the ratio does.
    step = gap / max(p, SMALL)
    up = np.where(np.abs(step) < 0.5, np.log1p(clipped(step, 0.5)), np.log(x / max(p, SMALL)))
    step = gap / max(q, SMALL)
    down = np.where(np.abs(step) < 0.5, np.log1p(clipped(-step, 0.5)), np.log(rest / max(q, SMALL)))
    return log_peak(k, n - k) + n * (p * up + q * down)


def clipped(x: Any, most: float) -> Any:  # noqa: ANN401
    """Return x, at most ``most`` from 0."""
    return np.minimum(np.maximum(x, -most), most)
