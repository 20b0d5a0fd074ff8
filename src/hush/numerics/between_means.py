"""Functions of a coin's mean that are smooth on the scale of its sum, for many means at once.

Where many means lie within a standard deviation of their sums, what depends on the mean is computed
at a few of them and is a polynomial in between: the logarithm of a binomial tail, or of its overlap
with noise, has no singularity nearer than two and a half standard deviations, so that sixteen
Chebyshev points on one and a half give thirteen digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hush.numerics.panels import Floats

__all__ = ["at_many_means"]

POINTS = 16
WIDTH = 1.5  # of a panel, in standard deviations of the sums
LEAST = 10.0  # standard deviations of sums that are wide enough for that
TINY = 1e-280  # below it a value has no digits
ANGLES = (np.arange(POINTS) + 0.5) * np.pi / POINTS


def at_many_means(means: Floats, count: float, function: Callable[[Floats], Floats]) -> Floats:
    """Return a positive function of the mean, by the first axis, at all of the means.

    Parameters
    ----------
    means
        The means.
    count
        How many tosses are summed.
    function
        Takes some means and returns an array of numbers for each.

    Examples
    --------
    >>> means = np.linspace(0.5, 0.501, 100)
    >>> found = at_many_means(means, 1e4, lambda p: np.exp(-1e4 * (p - 0.5) ** 2))
    >>> bool(np.allclose(found, np.exp(-1e4 * (means - 0.5) ** 2), rtol=1e-12))
    True
    """
    low, span = float(means.min()), float(np.ptp(means))
    spread = math.sqrt(count * float((means * (1.0 - means)).min()))
    if spread < LEAST or span == 0.0:
        return function(means)
    panels = math.ceil(count * span / (WIDTH * spread))
    if 2 * panels * POINTS > means.size:
        return function(means)
    width = span / panels
    nodes = low + width * (np.arange(panels)[:, None] + 0.5 - 0.5 * np.cos(ANGLES))
    values = function(nodes.ravel())
    if values.min() < TINY:
        return function(means)
    logs = np.log(values).reshape(panels, POINTS, -1)
    found = np.empty((means.size, *values.shape[1:]))
    home = np.minimum(((means - low) / width).astype(np.intp), panels - 1)
    for panel in range(panels):
        inside = home == panel
        basis = _basis(2.0 * (means[inside] - low) / width - 2.0 * panel - 1.0)
        found[inside] = np.exp(basis @ logs[panel]).reshape(-1, *values.shape[1:])
    return found


def _basis(at: Floats) -> Floats:
    """Return each point's polynomial at places in -1..1: sums of Chebyshev's, which are bounded."""
    order = np.arange(POINTS)
    shares = np.where(order == 0, 1.0, 2.0) / POINTS
    there = np.cos(order * np.arccos(np.clip(at, -1.0, 1.0))[:, None])
    # The points go from -1 up: their angles from pi down.
    return np.asarray((there * shares) @ np.cos(order[:, None] * (np.pi - ANGLES)))
