"""Means with intervals, and quantiles, over runs: the one summary of regret."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["interval", "summarise"]

Floats = NDArray[np.float64]
QUANTILES = (0.05, 0.5, 0.95)


def interval(values: Floats, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
    """Return mean, half-width of its Student interval, and standard error, over axis 1."""
    from scipy.special import stdtrit

    runs = values.shape[1]
    mean = values.mean(axis=1)
    if runs < 2:
        unknown = np.full_like(mean, math.nan)
        return mean, unknown, unknown
    error = values.std(axis=1, ddof=1) / math.sqrt(runs)
    return mean, stdtrit(runs - 1, 0.5 + level / 2.0) * error, error


def summarise(values: Floats) -> dict[str, Any]:
    """Return the columns of a summary: a row per row of ``values``, whose columns are runs.

    >>> list(summarise(np.array([[1.0, 2.0, 3.0]])))
    ['mean', 'low', 'high', 'se', 'q5', 'q50', 'q95', 'worst', 'runs']
    """
    mean, half, error = interval(values)
    quantiles = np.quantile(values, QUANTILES, axis=1)
    return {
        "mean": mean,
        "low": mean - half,
        "high": mean + half,
        "se": error,
        **{f"q{100 * q:g}": row for q, row in zip(QUANTILES, quantiles, strict=True)},
        "worst": values.max(axis=1),
        "runs": values.shape[1],
    }
