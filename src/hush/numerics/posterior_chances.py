"""Which arm's draw from its posterior is the largest: the chances of Thompson sampling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hush.numerics.edges import common_edges
from hush.numerics.largest import chances_on
from hush.numerics.posterior import Posterior
from hush.numerics.series import GRID_POINTS, GRID_WEIGHTS, inner

__all__ = ["win_chances"]

Floats = NDArray[np.float64]


def win_chances(posteriors: Sequence[Posterior]) -> Floats:
    """Return the chance of each arm that a draw from its posterior is the largest.

    The integral of its density times the others' distribution functions. All terms are positive,
    so that small chances come out as precise, relative to their size, as large ones.

    Examples
    --------
    >>> same = Posterior.before(epsilon=1.0).given(10, 4.0)
    >>> np.round(win_chances([same, same]), 9)
    array([0.5, 0.5])
    """
    chances = np.zeros(len(posteriors))
    # Nobody wins below the highest lower end, where that arm's distribution function is 0.
    start = max(each.edges[0] for each in posteriors)
    end = max(each.edges[-1] for each in posteriors)
    alive = [i for i, each in enumerate(posteriors) if each.edges[-1] > start]
    if len(alive) == 1:
        chances[alive[0]] = 1.0
        return chances
    grid = common_edges([posteriors[i].edges for i in alive], start, end)
    half = 0.5 * np.diff(grid)
    x = inner(grid[:-1, None] + half[:, None] * (1.0 + GRID_POINTS)).ravel()
    below = np.array([posteriors[i].below(x) for i in alive])
    density = np.array([posteriors[i].density(x) for i in alive])
    chances[alive] = chances_on((half[:, None] * GRID_WEIGHTS).ravel(), density, below)
    shares: Floats = chances / chances.sum()
    return shares
