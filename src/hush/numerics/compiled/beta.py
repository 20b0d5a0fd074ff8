"""The chance that each of several Beta draws is the largest, to about nine digits.

With densities ``f_i`` and distribution functions ``F_i`` it is ``P_j = integral of f_j times the
product of the other F_i``. Every term is positive, so that small chances come out as precise as
large ones, relative to their size. The integral runs over the logit of a draw, on the panels of
:mod:`hush.numerics.compiled.beta_panels`.

While centres move densities need not be computed again: with ``s`` added to ``a n`` a density is
multiplied by ``exp(s y)``, and where all centres move alike that factor is the same for all arms.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.beta_panels import POINTS, WEIGHTS, Grid
from hush.numerics.compiled.exponential import exponential

__all__ = ["win_chances"]

PAIRS = POINTS // 2
ALIKE = 1e-15  # centres that differ by no more are the same


def _running_weights() -> tuple[Floats, Floats]:
    """Return weights of integrals from -1 to the left points, in columns.

    Points lie alike on both sides of 0. Of an even polynomial, the integral to a left point and
    the one to its mirror image differ from half of the total by as much; of an odd one both are the
    same. So there are weights of sums over pairs of points, for the former, and weights of
    differences, for the latter: half as many as points ask for.
    """
    points, _ = np.polynomial.legendre.leggauss(POINTS)
    running = np.empty((POINTS, POINTS))
    for m in range(POINTS):
        others = np.delete(points, m)
        lagrange = np.polynomial.Polynomial.fromroots(others) / np.prod(points[m] - others)
        antiderivative = lagrange.integ(lbnd=-1.0)
        running[m] = antiderivative(points)
    left, mirrored = running[:, :PAIRS], running[:, : PAIRS - 1 : -1]
    off, mean = 0.5 * (mirrored - left), 0.5 * (mirrored + left)
    return off[:PAIRS].copy(), 0.5 * (mean[: PAIRS - 1 : -1] - mean[:PAIRS])


OF_SUMS, OF_DIFFERENCES = _running_weights()


@njit(inline="always", error_model="numpy")
def log_rest(z: float) -> float:
    """Return log Gamma(z) less (z - 1/2) log z - z + log(2 pi) / 2, for z at least 1."""
    if z < 12.0:
        return float(math.lgamma(z) - ((z - 0.5) * np.log(z) - z + 0.5 * np.log(2.0 * np.pi)))
    inverse = 1.0 / z
    square = inverse * inverse
    return inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680)))


@njit(inline="always", error_model="numpy")
def log_total(alpha: float, beta: float, shift: float, origin: float) -> float:
    """Return the log integral of a density relative to its mode's, times exp(shift (y - origin)).

    ``alpha`` and ``beta`` are those before the shift.
    """
    up, down = alpha + shift, beta - shift
    total = alpha + beta
    moved = up * np.log1p(shift / alpha) + down * np.log1p(-shift / beta)
    moved += shift * (np.log(alpha / beta) - origin)
    size = 0.5 * np.log(2.0 * np.pi * total / (up * down))
    return float(size + log_rest(up) + log_rest(down) - log_rest(total) + moved)


@njit(inline="always", error_model="numpy")
def move_densities(
    grid: Grid, center: Floats, count: Floats, density: Floats, total: Floats
) -> None:
    """Fill in the densities at other centres, and their totals: 0 for what panels sum up to."""
    points, panels = grid.places.shape
    tilt = np.empty((POINTS, panels))
    shift, known = 0.0, False
    for i in range(count.size):
        own = count[i] * (center[i] - grid.center[i])
        moves = own != 0.0
        if moves and (not known or abs(own - shift) > ALIKE * count[i]):
            shift, known = own, True
            for k in range(points):
                for panel in range(panels):
                    tilt[k, panel] = exponential(shift * (grid.places[k, panel] - grid.start))
        for k in range(points):
            for panel in range(panels):
                factor = tilt[k, panel] if moves else 1.0
                density[k, i * panels + panel] = grid.base[k, i * panels + panel] * factor
        total[i] = 0.0
        if grid.above[i]:
            alpha = grid.center[i] * count[i] + 1.0
            own = shift if moves else 0.0
            size = log_total(alpha, count[i] + 2.0 - alpha, own, grid.start)
            total[i] = max(np.exp(size), 1e-300)  # of a law far below the start


@njit(inline="always", error_model="numpy")
def fill_below(grid: Grid, density: Floats, total: Floats, below: Floats) -> None:
    """Fill in the distribution functions, and totals where there is none.

    All laws' panels lie in one row, so that one loop runs over all of them.
    """
    panels, size = grid.halves.size, density.shape[1]
    sums, differences = np.empty((PAIRS, size)), np.empty((PAIRS, size))
    carry, factor = np.zeros(size), np.empty(size)
    for m in range(PAIRS):
        for q in range(size):
            one, two = density[m, q], density[POINTS - 1 - m, q]
            sums[m, q], differences[m, q] = two + one, two - one
            carry[q] += WEIGHTS[m] * (two + one)
    for i in range(total.size):
        whole = 0.0
        for panel in range(panels):
            whole += grid.halves[panel] * carry[i * panels + panel]
        known = total[i] > 0.0
        if not known:
            total[i] = whole
        inverse = 1.0 / total[i]
        reached = max(0.0, 1.0 - whole * inverse) if known else 0.0
        for panel in range(panels):
            q = i * panels + panel
            factor[q] = grid.halves[panel] * inverse
            within = carry[q] * factor[q]
            carry[q] = reached + 0.5 * within
            reached += within
    for k in range(PAIRS):
        for q in range(size):
            off, mean = 0.0, 0.0
            for m in range(PAIRS):
                off += OF_SUMS[m, k] * sums[m, q]
                mean += OF_DIFFERENCES[m, k] * differences[m, q]
            middle, off = carry[q] + factor[q] * mean, factor[q] * off
            below[k, q] = max(0.0, middle - off)
            below[POINTS - 1 - k, q] = max(0.0, middle + off)


@partial(apart, from_python=True)
def win_chances(grid: Grid, center: Floats, count: Floats, chance: Floats) -> None:
    """Fill ``chance`` with the probability that each arm's draw is the largest."""
    n_arms, points, panels = count.size, grid.places.shape[0], grid.halves.size
    density, below = np.empty(grid.base.shape), np.empty(grid.base.shape)
    total, after, won = np.empty(n_arms), np.empty((POINTS, panels)), np.empty(panels)
    move_densities(grid, center, count, density, total)
    fill_below(grid, density, total, below)
    for k in range(points):
        for panel in range(panels):
            after[k, panel] = grid.weights[k, panel]
    for i in range(n_arms):
        for k in range(points):
            for panel in range(panels):
                density[k, i * panels + panel] *= after[k, panel]
                after[k, panel] *= below[k, i * panels + panel]
    for k in range(points):
        for panel in range(panels):
            after[k, panel] = 1.0
    for i in range(n_arms - 1, -1, -1):
        for panel in range(panels):
            won[panel] = 0.0
        for k in range(points):
            for panel in range(panels):
                won[panel] += density[k, i * panels + panel] * after[k, panel]
                after[k, panel] *= below[k, i * panels + panel]
        chance[i] = 0.0
        for panel in range(panels):
            chance[i] += won[panel]
        chance[i] /= total[i]
