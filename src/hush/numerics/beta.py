"""Which of several Beta draws is the largest, on arrays. Needs scipy.

For counts of any size, and for windows of rounds, there is :mod:`hush.numerics.compiled.beta`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln, xlog1py, xlogy

from hush.numerics.largest import chances_on

__all__ = ["pair_win_chances", "win_chances"]

Floats = NDArray[np.float64]

TAILS = 10.0 ** -np.array([18.0, 15.0, 12.0, 9.0, 7.0, 5.0, 4.0, 3.0, 2.0, 1.3, 0.9, 0.6])
LEVELS = np.concatenate([TAILS, [0.5]])
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(24)
PAIR_POINTS, PAIR_WEIGHTS = np.polynomial.legendre.leggauss(160)


def win_chances(first: Floats, second: Floats) -> Floats:
    """Return the chance of each arm that its ``Beta(first, second)`` draw is the largest.

    The integral of an arm's density times the others' distribution functions, panel by panel: the
    panels' edges are quantiles of every arm, so that each law is smooth on each panel.

    >>> win_chances(np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0])).round(12)
    array([0.33333333, 0.33333333, 0.33333333])
    >>> win_chances(np.array([2.0, 1.0]), np.array([1.0, 1.0])).round(12)
    array([0.66666667, 0.33333333])
    """
    if first.size == 1:
        return np.ones(1)
    a, b = first[:, None], second[:, None]
    low, high = betaincinv(a, b, LEVELS), 1.0 - betaincinv(b, a, LEVELS)
    # Below every arm's lowest quantile nobody wins: the highest of them starts the integral.
    start = np.fmax.reduce(low[:, 0], initial=0.0)
    found = np.concatenate([low, high], axis=1).ravel()
    # scipy has no quantile at some places next to a uniform law; the other edges do without.
    edges = np.unique(np.clip(found[np.isfinite(found)], start, 1.0))
    if edges.size < 2:
        edges = np.array([start, 1.0])
    half = 0.5 * np.diff(edges)[:, None]
    x = (edges[:-1, None] + half * (1.0 + POINTS)).ravel()
    density = np.exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - betaln(a, b))
    chances = chances_on((half * WEIGHTS).ravel(), density, betainc(a, b, x))
    shares: Floats = chances / chances.sum()
    return shares


def pair_win_chances(first: Floats, second: Floats, counts: tuple[float, float]) -> Floats:
    """Return P(X > Y) for two arms' draws ``Beta(a n + 1, (1 - a) n + 1)``, all pairs of centres.

    Parameters
    ----------
    first, second
        Centres ``a`` of the two arms.
    counts
        The arms' counts ``n``.

    Examples
    --------
    >>> pair_win_chances(np.array([0.0, 1.0]), np.array([1.0]), (1.0, 1.0)).round(9)
    array([[0.16666667],
           [0.5       ]])
    """
    (rows, row_of), (columns, column_of) = (
        np.unique(each, return_inverse=True) for each in (first, second)
    )
    angle = (PAIR_POINTS + 1.0) * math.pi / 4.0
    x = np.sin(angle) ** 2  # flattens both ends
    jacobian = PAIR_WEIGHTS * math.pi / 4.0 * np.sin(2.0 * angle)
    n, m = counts
    a, b = rows * n + 1.0, (1.0 - rows) * n + 1.0
    logs = (a - 1.0)[:, None] * np.log(x) + (b - 1.0)[:, None] * np.log1p(-x)
    density = np.exp(logs - betaln(a, b)[:, None])
    below = betainc((columns * m + 1.0)[:, None], ((1.0 - columns) * m + 1.0)[:, None], x)
    wins = np.clip((density * jacobian) @ below.T, 0.0, 1.0)
    chances: Floats = wins[row_of][:, column_of]
    return chances
