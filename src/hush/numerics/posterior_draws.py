"""Which arm's draw from its posterior is the largest, found by drawing: for many arms.

An arm's draw is where its distribution function reaches a uniform level. A table of quantiles says
between which two of them it lies; only draws that may be the largest are then computed, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hush.numerics.posterior import Posterior
from hush.numerics.series import NODES

__all__ = ["PosteriorDraws", "inverse"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Panels = tuple[Floats, Floats, Floats, Floats]

# The largest of K draws has a level of about 1 - 1/K: four steps for each halving of 1 - level.
HALVINGS = 16
LEVELS = 1.0 - np.append(np.outer(0.5 ** np.arange(HALVINGS), [1.0, 0.875, 0.75, 0.625]), 0.0)
ORDERS = np.arange(NODES + 1.0)
CLOSE = 1e-13  # in probability


class PosteriorDraws:
    """The posteriors of many arms, tabulated to draw from all of them at once.

    Examples
    --------
    >>> low, high = (Posterior.before(epsilon=1.0).given(100, value) for value in (20.0, 80.0))
    >>> draws = PosteriorDraws(2)
    >>> for arm, posterior in enumerate([low, high]):
    ...     draws.put(arm, posterior)
    >>> draws.largest(np.array([0, 1]), np.random.default_rng(7))
    1
    """

    def __init__(self, n_arms: int) -> None:
        self._posteriors: dict[int, Posterior] = {}
        self._tables = np.zeros((n_arms, LEVELS.size))

    def put(self, arm: int, posterior: Posterior) -> None:
        """Take over an arm's posterior."""
        self._posteriors[arm] = posterior
        inner = _solved(_panels(posterior, LEVELS[1:-1]))
        self._tables[arm] = np.concatenate((posterior.edges[:1], inner, posterior.edges[-1:]))

    def largest(self, arms: Whole, generator: np.random.Generator) -> int:
        """Draw once from the posterior of each arm, and return the arm of the largest draw."""
        levels = generator.random(arms.size)
        step = LEVELS.searchsorted(levels, side="right")
        least, most = self._tables[arms, step - 1], self._tables[arms, step]
        near = np.flatnonzero(most >= least.max())
        if near.size > 1:
            known = [self._posteriors[arm] for arm in arms[near]]
            near = near[[inverse(known, levels[near]).argmax()]]
        return int(arms[near[0]])


def inverse(posteriors: Sequence[Posterior], levels: Floats) -> Floats:
    """Return where each posterior's distribution function reaches its level.

    >>> known = Posterior.before(epsilon=1.0).given(100, 62.5)
    >>> x = inverse([known, known], np.array([0.1, 0.9]))
    >>> np.round(known.below(x), 9)
    array([0.1, 0.9])
    """
    each = [_panels(one, levels[i : i + 1]) for i, one in enumerate(posteriors)]
    left, right, wanted, growth = (np.concatenate(part) for part in zip(*each, strict=True))
    return _solved((left, right, wanted, growth))


def _panels(posterior: Posterior, levels: Floats) -> Panels:
    """Return the panel that holds each level: its ends, what is wanted of its mass, its series."""
    where = posterior.base.searchsorted(levels, side="right") - 1
    edges = posterior.edges
    wanted = levels - posterior.base[where]
    return edges[where], edges[where + 1], wanted, posterior.integral[where]


def _solved(panels: Panels) -> Floats:
    """Return where on each panel its series reaches what is wanted: Newton, kept in brackets."""
    left, right, wanted, growth = panels
    slope = np.polynomial.chebyshev.chebder(growth, axis=1)
    low, high = np.full(wanted.size, -1.0), np.ones(wanted.size)
    at = np.zeros(wanted.size)
    for _ in range(60):
        basis = np.cos(np.arccos(at)[:, None] * ORDERS)  # Chebyshev's polynomials
        miss = (basis * growth).sum(axis=1) - wanted
        if np.abs(miss).max() <= CLOSE:
            break
        low, high = np.where(miss < 0.0, at, low), np.where(miss > 0.0, at, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = at - miss / (basis[:, :-1] * slope).sum(axis=1)
        at = np.where((step >= low) & (step <= high), step, 0.5 * (low + high))
    found: Floats = 0.5 * (left + right + at * (right - left))
    return found
