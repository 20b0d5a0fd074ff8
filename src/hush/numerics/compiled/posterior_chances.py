"""Which arm's draw from its posterior is the largest, compiled, on a grid that is kept.

The twin of :mod:`hush.numerics.posterior_chances`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.edges import common_edges, serves
from hush.numerics.compiled.posterior import Posteriors, log_prior
from hush.numerics.compiled.series import inner, placed, series_at
from hush.numerics.prior import Prior
from hush.numerics.series import GRID_NODES, GRID_POINTS, GRID_WEIGHTS

__all__ = ["Grid", "blank_grid", "win_chances"]


class Grid(NamedTuple):
    """Nodes that serve all arms, and each arm's distribution function and hazard there.

    The prior is the logarithm of its density, which all arms share.
    """

    edges: Floats
    nodes: Floats
    weights: Floats
    prior: Floats
    below: Floats
    hazard: Floats


@apart
def blank_grid() -> Grid:
    """Return a grid that serves nobody: the first call of :func:`win_chances` lays it."""
    none, empty = np.empty(0), np.empty((0, 0))
    return Grid(none, none, none, none, empty, empty)


@apart
def fill_row(posteriors: Posteriors, arm: int, grid: Grid) -> None:
    """Fill in an arm's distribution function at the nodes, and its density divided by that."""
    edges, size = posteriors.edges[arm], posteriors.panels[arm]
    series, base, integral = posteriors.series[arm], posteriors.base[arm], posteriors.integral[arm]
    start, end = 0, grid.nodes.size
    while end > 0 and grid.nodes[end - 1] >= edges[size]:
        end -= 1
        grid.below[arm, end], grid.hazard[arm, end] = 1.0, 0.0
    while start < end and grid.nodes[start] <= edges[0]:
        grid.below[arm, start], grid.hazard[arm, start] = 0.0, 0.0
        start += 1
    nodes, logs = grid.nodes[start:end], grid.prior[start:end]
    below, hazard = grid.below[arm, start:end], grid.hazard[arm, start:end]
    position, starts = placed(nodes, edges, size)
    older = np.empty(nodes.size)
    for here in range(size):
        part = slice(starts[here], starts[here + 1])
        series_at(position[part], series[here], hazard[part], older[part])
        series_at(position[part], integral[here], below[part], older[part])
        for k in range(starts[here], starts[here + 1]):
            below[k] = min(max(base[here] + below[k], 0.0), 1.0)
            hazard[k] = np.exp(hazard[k] + logs[k]) / below[k] if below[k] > 0.0 else 0.0


@apart
def laid(posteriors: Posteriors, prior: Prior) -> Grid:
    """Lay a grid for all arms, and fill it in."""
    edges = common_edges(posteriors.edges, posteriors.panels)
    n_arms, size = posteriors.panels.size, edges.size - 1
    room = size * GRID_NODES
    nodes, weights, logs = np.empty(room), np.empty(room), np.empty(room)
    for i in range(size):
        half = 0.5 * (edges[i + 1] - edges[i])
        for k in range(GRID_NODES):
            at, x = i * GRID_NODES + k, inner(edges[i] + half * (1.0 + GRID_POINTS[k]))
            nodes[at], weights[at], logs[at] = x, half * GRID_WEIGHTS[k], log_prior(x, prior)
    below, hazard = np.empty((n_arms, room)), np.empty((n_arms, room))
    grid = Grid(edges, nodes, weights, logs, below, hazard)
    for i in range(n_arms):
        fill_row(posteriors, i, grid)
    return grid


@apart
def chances_on(grid: Grid, chances: Floats) -> None:
    """Fill in every arm's chance: the integral of its density times the others' functions."""
    below, hazard = grid.below, grid.hazard
    product = grid.weights.copy()
    for i in range(chances.size):
        for k in range(product.size):
            product[k] *= below[i, k]
    total, parts = 0.0, np.empty(GRID_NODES)
    for i in range(chances.size):
        for k in range(GRID_NODES):
            parts[k] = 0.0
        for start in range(0, product.size, GRID_NODES):  # sums side by side are faster than one
            for k in range(GRID_NODES):
                parts[k] += product[start + k] * hazard[i, start + k]
        chances[i] = 0.0
        for k in range(GRID_NODES):
            chances[i] += parts[k]
        total += chances[i]
    for i in range(chances.size):
        chances[i] /= total


@apart
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
        fill_row(posteriors, changed, grid)
    else:
        grid = laid(posteriors, prior)
    chances_on(grid, chances)
    return grid
