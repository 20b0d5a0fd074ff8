"""Which of several Beta draws is the largest, and how likely."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaincinv, betaln, xlog1py, xlogy

from hush.policies.core.statistics import Floats

__all__ = ["beta_win_chances"]

TAILS = 10.0 ** -np.array([18.0, 15.0, 12.0, 9.0, 7.0, 5.0, 4.0, 3.0, 2.0, 1.3, 0.9, 0.6])
LEVELS = np.concatenate([TAILS, [0.5]])
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(24)


def beta_win_chances(first: Floats, second: Floats) -> Floats:
    """Return the chance of each arm that its ``Beta(first, second)`` draw is the largest.

    The integral of an arm's density times the others' distribution functions, panel by panel: the
    panels' edges are quantiles of every arm, so that each law is smooth on each panel.

    >>> beta_win_chances(np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0])).round(12)
    array([0.33333333, 0.33333333, 0.33333333])
    >>> beta_win_chances(np.array([2.0, 1.0]), np.array([1.0, 1.0])).round(12)
    array([0.66666667, 0.33333333])
    """
    n_arms = first.size
    if n_arms == 1:
        return np.ones(1)
    a, b = first[:, None], second[:, None]
    low, high = betaincinv(a, b, LEVELS), 1.0 - betaincinv(b, a, LEVELS)
    # Below every arm's lowest quantile nobody wins: the highest of them starts the integral.
    edges = np.unique(np.clip(np.concatenate([low, high], axis=1).ravel(), low[:, 0].max(), 1.0))
    if edges.size < 2:
        edges = np.array([low[:, 0].max(), 1.0])
    half = 0.5 * np.diff(edges)[:, None]
    x = (edges[:-1, None] + half * (1.0 + POINTS)).ravel()
    weights = (half * WEIGHTS).ravel()
    below = betainc(a, b, x)
    density = np.exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - betaln(a, b))
    chances = np.zeros(n_arms)
    before, after = _products(below), _products(below[::-1])[::-1]
    chances[:] = (weights * density * before * after).sum(axis=1)
    shares: Floats = chances / chances.sum()
    return shares


def _products(below: Floats) -> Floats:
    """Return, for each arm, the product of the distribution functions of those before it."""
    running = np.ones_like(below)
    running[1:] = np.cumprod(below[:-1], axis=0)
    return running
