"""Polynomials on panels of (0, 1): Chebyshev series through Gauss-Legendre points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hush.numerics.binomial import SMALL

__all__ = [
    "ALMOST",
    "AREAS",
    "GRID_NODES",
    "GRID_POINTS",
    "GRID_WEIGHTS",
    "NODES",
    "POINTS",
    "TO_INTEGRAL",
    "TO_SERIES",
    "WEIGHTS",
    "inner",
    "series_at",
]

Floats = NDArray[np.float64]

NODES = 14
ALMOST = 1.0 - 2.0**-53


def _basis() -> tuple[Floats, Floats, Floats, Floats]:
    """Return Gauss-Legendre points and weights, and what turns values there into series.

    Polynomials are held in Chebyshev's basis. Values times the first matrix are coefficients, times
    the second those of the integral from the panel's left end.
    """
    points, weights = np.polynomial.legendre.leggauss(NODES)
    vandermonde = np.polynomial.chebyshev.chebvander(points, NODES - 1)
    coefficients = np.asarray(np.linalg.inv(vandermonde), dtype=np.float64)
    integral = np.zeros((NODES + 1, NODES))
    for degree, unit in enumerate(np.eye(NODES)):
        grown = np.polynomial.chebyshev.chebint(unit[: degree + 1], lbnd=-1.0)
        integral[: grown.size, degree] = grown
    rows = np.ascontiguousarray(coefficients.T)
    return points, weights, rows, rows @ integral.T


POINTS, WEIGHTS, TO_SERIES, TO_INTEGRAL = _basis()
# The mean of each of Chebyshev's polynomials over its panel: 1 / (1 - k^2), 0 for odd k.
AREAS = np.array([0.0 if k % 2 else 1.0 / (1.0 - k * k) for k in range(NODES + 1)])
GRID_NODES = 8  # of a panel of the grid that serves several posteriors: there it integrates only
GRID_POINTS, GRID_WEIGHTS = np.polynomial.legendre.leggauss(GRID_NODES)


def inner(x: Floats) -> Floats:
    """Return points moved off 0 and 1, by less than numbers there are apart."""
    return np.minimum(np.maximum(x, SMALL), ALMOST)


def series_at(position: Floats, series: Floats) -> Floats:
    """Evaluate Chebyshev series, one a row, at positions in [-1, 1] (Clenshaw)."""
    one = np.zeros_like(position)
    two = np.zeros_like(position)
    for degree in range(series.shape[1] - 1, 0, -1):
        one, two = series[:, degree] + 2.0 * position * one - two, one
    values: Floats = series[:, 0] + position * one - two
    return values
