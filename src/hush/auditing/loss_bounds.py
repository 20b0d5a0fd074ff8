"""Lower bounds on a loss from counts of one event on two tables."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

__all__ = ["CONFIDENCE", "concentrated_bound", "loss_bound"]

CONFIDENCE = 0.99


def loss_bound(
    hits: int, samples: int, other_hits: int, other_samples: int, *, confidence: float = CONFIDENCE
) -> float:
    """Return a lower bound on ``ln(P(event | A) / P(event | B))`` from counts.

    Each of the two probabilities has a one-sided Clopper-Pearson bound with half of the allowed
    error, so both hold together with the confidence.

    >>> round(loss_bound(800, 1000, 200, 1000), 3)
    1.183
    """
    low, high = _ends(hits, samples, other_hits, other_samples, confidence)
    return math.log(low / high) if low > 0.0 else -math.inf


def _ends(
    hits: int, samples: int, other_hits: int, other_samples: int, confidence: float
) -> tuple[float, float]:
    """Return a lower end of the first probability and an upper end of the second."""
    error = (1.0 - confidence) / 2.0
    low = stats.beta.ppf(error, hits, samples - hits + 1) if hits else 0.0
    missed = other_samples - other_hits
    high = stats.beta.ppf(1.0 - error, other_hits + 1, missed) if missed else 1.0
    return float(low), float(high)


def concentrated_bound(hits: int, samples: int, other_hits: int, other_samples: int) -> float:
    """Return a lower bound on rho from counts of one event under two tables.

    What is seen of an event loses no more than all that is seen: the Renyi divergences of the two
    coins, at the ends of their intervals, over their order.

    >>> round(concentrated_bound(800, 1000, 200, 1000), 3)
    0.622
    """
    low, high = _ends(hits, samples, other_hits, other_samples, CONFIDENCE)
    if low <= high:
        return 0.0
    orders = 1.0 + np.geomspace(0.05, 40.0, 60)
    first = orders * math.log(low) + (1.0 - orders) * math.log(high)
    rest = orders * math.log1p(-low) + (1.0 - orders) * math.log1p(-high)
    return float((np.logaddexp(first, rest) / ((orders - 1.0) * orders)).max())
