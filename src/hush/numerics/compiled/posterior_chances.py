"""Which arm's draw from its posterior is the largest, compiled, on a grid that is kept.

The twin of :mod:`hush.numerics.posterior_chances`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.edges import common_edges, serves
from hush.numerics.compiled.posterior import Posteriors, log_prior
from hush.numerics.compiled.series import inner
from hush.numerics.prior import Prior
from hush.numerics.series import NODES, POINTS, WEIGHTS

__all__ = ["Grid", "blank_grid", "win_chances"]


class Grid(NamedTuple):
    """Nodes that serve all arms, and each arm's distribution function and hazard there."""

    edges: Floats
    nodes: Floats
    weights: Floats
    below: Floats
    hazard: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def blank_grid() -> Grid:
    """Return a grid that serves nobody: the first call of :func:`win_chances` lays it."""
    none, empty = np.empty(0), np.empty((0, 0))
    return Grid(none, none, none, empty, empty)


@njit(cache=True, nogil=True, error_model="numpy")
def fill_row(posteriors: Posteriors, arm: int, prior: Prior, grid: Grid) -> None:
    """Fill in an arm's distribution function at the nodes, and its density divided by that."""
    edges, size = posteriors.edges[arm], posteriors.panels[arm]
    series, base, integral = posteriors.series[arm], posteriors.base[arm], posteriors.integral[arm]
    below, hazard = grid.below[arm], grid.hazard[arm]
    here = 0
    for k in range(grid.nodes.size):
        x = grid.nodes[k]
        if x >= edges[size] or x <= edges[0]:
            below[k] = 1.0 if x >= edges[size] else 0.0
            hazard[k] = 0.0
            continue
        while here + 1 < size and edges[here + 1] <= x:
            here += 1
        left, right = edges[here], edges[here + 1]
        position = min((2.0 * x - left - right) / (right - left), 1.0)
        twice = 2.0 * position
        one, two = 0.0, 0.0
        three, four = integral[here, NODES], 0.0
        for degree in range(NODES - 1, 0, -1):
            one, two = series[here, degree] + twice * one - two, one
            three, four = integral[here, degree] + twice * three - four, three
        density = np.exp(series[here, 0] + position * one - two + log_prior(x, prior))
        grown = base[here] + integral[here, 0] + position * three - four
        below[k] = min(max(grown, 0.0), 1.0)
        hazard[k] = density / below[k] if below[k] > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def laid(posteriors: Posteriors, prior: Prior) -> Grid:
    """Lay a grid for all arms, and fill it in."""
    edges = common_edges(posteriors.edges, posteriors.panels)
    n_arms, size = posteriors.panels.size, edges.size - 1
    nodes, weights = np.empty(size * NODES), np.empty(size * NODES)
    for i in range(size):
        half = 0.5 * (edges[i + 1] - edges[i])
        for k in range(NODES):
            nodes[i * NODES + k] = inner(edges[i] + half * (1.0 + POINTS[k]))
            weights[i * NODES + k] = half * WEIGHTS[k]
    below, hazard = np.empty((n_arms, nodes.size)), np.empty((n_arms, nodes.size))
    grid = Grid(edges, nodes, weights, below, hazard)
    for i in range(n_arms):
        fill_row(posteriors, i, prior, grid)
    return grid


@njit(cache=True, nogil=True, error_model="numpy")
def chances_on(grid: Grid, chances: Floats) -> None:
    """Fill in every arm's chance: the integral of its density times the others' functions."""
    below, hazard = grid.below, grid.hazard
    product = grid.weights.copy()
    for i in range(chances.size):
        for k in range(product.size):
            product[k] *= below[i, k]
    total = 0.0
    for i in range(chances.size):
        chance = 0.0
        for k in range(product.size):
            chance += product[k] * hazard[i, k]
        chances[i] = chance
        total += chance
    for i in range(chances.size):
        chances[i] /= total


@njit(cache=True, nogil=True, error_model="numpy")
def win_chances(
    posteriors: Posteriors, prior: Prior, changed: int, grid: Grid, chances: Floats
) -> Grid:
    """Fill in the chance of each arm that a draw from its posterior is the largest.

    Only the posterior of ``changed`` is new. The grid, and what all arms have there, is kept from
    call to call, and laid anew when it no longer serves. It comes in and goes out; a blank one
    does to begin with.
    """
    start = 0.0
    for i in range(chances.size):
        start = max(start, posteriors.edges[i, 0])
    if serves(grid.edges, posteriors.edges[changed], posteriors.panels[changed], start):
        fill_row(posteriors, changed, prior, grid)
    else:
        grid = laid(posteriors, prior)
    chances_on(grid, chances)
    return grid
