"""The chance that one Beta draw is larger than another, on arrays. Needs scipy.

Laws are given by a centre a in [0, 1] and a count n: ``Beta(a n + 1, (1 - a) n + 1)``. For any
number of laws, and counts of any size, there is :mod:`hush.numerics.compiled.beta`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln

__all__ = ["win_chances"]

Floats = NDArray[np.float64]
POINTS = 160


def win_chances(first: Floats, second: Floats, counts: tuple[float, float]) -> Floats:
    """Return P(X > Y) for two arms' draws, for all pairs of their centres.

    Parameters
    ----------
    first, second
        Centres of the two arms.
    counts
        The arms' counts.

    Examples
    --------
    >>> win_chances(np.array([0.0, 1.0]), np.array([1.0]), (1.0, 1.0)).round(9)
    array([[0.16666667],
           [0.5       ]])
    """
    (rows, row_of), (columns, column_of) = (
        np.unique(each, return_inverse=True) for each in (first, second)
    )
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    angle = (points + 1.0) * math.pi / 4.0
    x = np.sin(angle) ** 2  # flattens both ends
    jacobian = weights * math.pi / 4.0 * np.sin(2.0 * angle)
    n, m = counts
    a, b = rows * n + 1.0, (1.0 - rows) * n + 1.0
    logs = (a - 1.0)[:, None] * np.log(x) + (b - 1.0)[:, None] * np.log1p(-x)
    density = np.exp(logs - betaln(a, b)[:, None])
    below = betainc((columns * m + 1.0)[:, None], ((1.0 - columns) * m + 1.0)[:, None], x)
    wins = np.clip((density * jacobian) @ below.T, 0.0, 1.0)
    chances: Floats = wins[row_of][:, column_of]
    return chances
