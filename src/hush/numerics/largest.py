"""Who has the largest draw? One integral, whatever the laws are.

Law j wins with chance ``integral of f_j(x) prod over i != j of F_i(x) dx``. The products over
the others are those over all before j times those over all after it, so that each is found in one
step, without a division that a small F would spoil. Modules that know a law lay the points and
call this; each calls its answer ``win_chances``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["chances_on"]

Floats = NDArray[np.float64]


def chances_on(
    weights: Floats, density: Floats, below: Floats, at_most: Floats | None = None
) -> Floats:
    """Return each law's chance to have the largest draw, from values at the points of a rule.

    Parameters
    ----------
    weights
        The rule's weights.
    density, below
        Law x point: densities and distribution functions.
    at_most
        For discrete laws, where the lowest wins a tie: ``below`` is then the chance of less than
        the point, this that of the point or less.

    Examples
    --------
    >>> points, weights = np.polynomial.legendre.leggauss(3)
    >>> x = 0.5 * (points + 1.0)  # a uniform draw against the larger of two others
    >>> chances_on(0.5 * weights, np.array([x**0, 2 * x]), np.array([x, x**2])).round(12)
    array([0.33333333, 0.66666667])
    """
    before = np.ones_like(below)
    np.cumprod(below[:-1], axis=0, out=before[1:])
    rivals = below if at_most is None else at_most
    chances = np.empty(below.shape[0])
    after = weights
    for row in range(chances.size - 1, -1, -1):
        chances[row] = (after * before[row] * density[row]).sum()
        after = after * rivals[row]
    return chances
