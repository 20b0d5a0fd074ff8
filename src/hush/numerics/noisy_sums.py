"""With which chance each action wins a noisy argmax of binomial sums, by quadrature.

Action j's noisy sum ``x = S_j + Z_j`` has distribution function ``F_j`` and density ``f_j``; j wins
with chance ``integral of f_j(x) prod over i != j of F_i(x) dx``. Write ``x = k + u`` with k whole
and u in 0..1. For noise of scale b that is made of exponentials,

    F(k + u) = sum over m of c_m exp(-m u / b) A_m(k)  +  the part of sums above k,
    A_m(k) = sum over s <= k of pmf(s) exp(-m (k - s) / b),

so that u enters by simple factors, and k by functions that are smooth wherever a binomial is wide.
Over u there is a Gauss-Legendre rule, over k the panels of :mod:`hush.numerics.panels`. Nothing is
approximated by a normal law. All terms are positive where it matters, so that chances of 1e-20
have as many good digits as others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hush.extras import require
from hush.noise.laws import SumLaw
from hush.numerics.largest import chances_on
from hush.numerics.panels import MOST, STEP, Floats, cell_rule, layout, panel_rule, rule

__all__ = ["laplace_laws", "win_chances"]

DEPTH = 60.0  # what lies beyond has a chance below exp(-DEPTH)
TERMS = 18  # of the series of exp(-y) for y <= 1: 1 / 19! is left out
BLOCK = 4096
NEVER = 1e-30  # a coin of a smaller mean shows no 1 in any number of tosses considered


class Steps(NamedTuple):
    """The panels that an arm's sums above k are gone through by: a row an arm."""

    lengths: Floats
    points: Floats
    weights: Floats


def win_chances(means: Floats, count: int, law: SumLaw, scale: float) -> Floats:
    """Return each action's chance to have the largest noisy sum of ``count`` coins.

    Parameters
    ----------
    means
        The coins' means.
    count
        How many tosses are summed.
    law
        ``"exponential"``, ``"laplace"``, ``"gumbel"``, or ``"none"``: ties go to the lowest action.
    scale
        The scale of the noise.

    Examples
    --------
    >>> chances = win_chances(np.array([0.5, 0.5, 0.4]), 100, "exponential", 2.0)
    >>> chances.round(6).tolist()
    [0.484698, 0.484698, 0.030605]
    """
    require("an exact law of noisy sums")
    means = np.where(np.asarray(means) < NEVER, 0.0, means)
    if law == "none":
        # Ties go by position, so that equal arms differ.
        groups, members = means, np.arange(means.size)
    else:
        groups, members = np.unique(means, return_inverse=True)
    numbers = np.bincount(members).astype(np.float64)
    low, high, kept = _window(groups, numbers, float(count), law, scale)
    chances = np.zeros(groups.size)
    zones = _zones(groups[kept], float(count), law, scale)
    edges = layout(low, high, zones, {0, int(count)})
    points, weights = panel_rule(edges)
    # Also counted from the top, where all but sure coins are: k alone has no digits left there.
    rests = -panel_rule([edge - int(count) for edge in edges])[0]
    for first in range(0, points.size, BLOCK):
        part = slice(first, first + BLOCK)
        places = np.stack([points[part], rests[part]])
        chances[kept] += _integrate(
            groups[kept], numbers[kept], float(count), law, scale, places, weights[part]
        )
    return np.asarray(chances[members])


def laplace_laws(
    means: Floats, count: int, scale: float
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield the law of every arm's noisy sum wherever one can lie, a block of points at a time.

    Each block has the points' weights, and arm x point the density, times the weights' unit, and
    the distribution function. Noise is Laplace.

    >>> blocks = laplace_laws(np.array([0.5, 0.2]), 100, 2.0)
    >>> sum(density @ weights for weights, density, _ in blocks).round(12).tolist()
    [1.0, 1.0]
    """
    require("an exact law of noisy sums")
    means = np.where(np.asarray(means) < NEVER, 0.0, means)
    sides = _sides(means, float(count))
    low = math.floor(float(sides[:, 0].min()) - DEPTH * scale)
    high = math.ceil(float(sides[:, 1].max()) + DEPTH * scale) + 1
    edges = layout(low, high, _zones(means, float(count), "laplace", scale), {0, int(count)})
    points, weights = panel_rule(edges)
    rests = -panel_rule([edge - int(count) for edge in edges])[0]
    inside, inner = cell_rule(scale)
    for first in range(0, points.size, BLOCK):
        part = slice(first, first + BLOCK)
        places = np.stack([points[part], rests[part]])
        below, density = _laws(means, float(count), "laplace", scale, places, inside)
        grid = (weights[part, None] * inner / scale).ravel()
        yield grid, density.reshape(means.size, -1), below.reshape(means.size, -1)


def _zones(means: Floats, count: float, law: SumLaw, scale: float) -> Floats:
    """Return where panels must be short, and how short: rows of start, end, length.

    An arm's function changes on the scale of its standard deviation where its sum can lie, and on
    the scale of the noise beside that, unless the noise is too narrow to matter there.
    """
    sides = _sides(means, count)
    zones = [np.column_stack([sides[:, :2], STEP * sides[:, 2]])]
    beside = sides[scale * math.sqrt(2.0 * DEPTH) > sides[:, 2]]
    if law != "none" and beside.size:
        # Gumbel's left tail falls like exp(-exp), which needs shorter panels.
        length = np.full(len(beside), (1.0 if law == "gumbel" else 2.0) * scale)
        far = 2.0 * DEPTH * scale
        zones.append(np.column_stack([beside[:, 1], beside[:, 1] + far, length]))
        zones.append(np.column_stack([beside[:, 0] - far, beside[:, 0], length]))
    return np.concatenate(zones)


def _sides(means: Floats, count: float) -> Floats:
    """Return where each sum can lie by Bernstein's inequality, and its standard deviation."""
    variance = count * means * (1.0 - means)
    far = DEPTH / 3.0 + np.sqrt((DEPTH / 3.0) ** 2 + 2.0 * DEPTH * variance)
    low = np.floor(np.maximum(count * means - far, 0.0))
    high = np.ceil(np.minimum(count * means + far, count)) + 1.0
    return np.stack([low, high, np.sqrt(variance)], axis=1)


def _window(
    means: Floats, numbers: Floats, count: float, law: SumLaw, scale: float
) -> tuple[int, int, NDArray[np.intp]]:
    """Return the range of k that matters, and the arms that can win in it."""
    sides = _sides(means, count)
    deep = DEPTH + math.log(float(numbers.sum()))
    down = {"laplace": deep, "gumbel": math.log(deep)}.get(law, 0.0) * scale
    up = 0.0 if law == "none" else deep * scale
    low = math.floor(float(sides[:, 0].max()) - down)
    kept = np.flatnonzero(sides[:, 1] + up > low)
    high = math.ceil(float(sides[kept, 1].max()) + up) + 1
    return low, high, kept


def _integrate(
    means: Floats,
    numbers: Floats,
    count: float,
    law: SumLaw,
    scale: float,
    places: Floats,
    weights: Floats,
) -> Floats:
    if law == "none":
        return _exact(means, places, weights)
    inside, inner = cell_rule(scale)
    below, density = _laws(means, count, law, scale, places, inside)
    grid = (weights[:, None] * inner / scale).ravel()
    below, density = below.reshape(means.size, -1), density.reshape(means.size, -1)
    if (numbers > 1.0).any():
        # Equal actions are one law: the largest of their draws, which each of them has as often.
        many = numbers[:, None]
        density, below = density * below ** (many - 1.0), below**many
    return chances_on(grid, density, below)


def _laws(
    means: Floats, count: float, law: SumLaw, scale: float, places: Floats, inside: Floats
) -> tuple[Floats, Floats]:
    """Return each arm's F at k + u, and its density times the scale: arm x k x u."""
    from hush.numerics.compiled.noisy_sums import gumbel_above, lower_sums

    fall = np.exp(-inside / scale)
    if law == "gumbel":
        sums = lower_sums(means, places, np.arange(TERMS + 1.0) / scale, 0.0)
        order = np.arange(TERMS + 1.0)
        signs = np.array([(-1.0) ** m / math.factorial(m) for m in range(TERMS + 1)])
        powers = signs[:, None] * fall ** order[:, None]
        below = np.einsum("gkm,mu->gku", sums[..., :-1], powers)
        density = np.einsum("gkm,mu->gku", sums[..., :-1], -order[:, None] * powers)
        sides = _sides(means, count)
        steps = _steps(sides[:, 2], scale)
        above, slope = gumbel_above(means, count, places, inside, scale, sides, steps)
        return np.maximum(below, 0.0) + above, np.maximum(density, 0.0) + slope
    sums = lower_sums(means, places, np.array([0.0, 1.0 / scale]), 1.0 / scale)
    under = sums[..., 1, None] * fall
    if law == "exponential":
        return np.maximum(sums[..., 0, None] - under, 0.0), under
    over = sums[..., 2, None] * np.exp((inside - 1.0) / scale)
    return sums[..., 0, None] - 0.5 * under + 0.5 * over, 0.5 * (under + over)


def _steps(spreads: Floats, scale: float) -> Steps:
    """Return each arm's panels above k."""
    lengths = [max(MOST, int(min(0.5 * scale, STEP * each))) for each in spreads.tolist()]
    rules = [rule(length) for length in lengths]
    points, weights = (np.stack([each[part] for each in rules]) for part in (0, 1))
    return Steps(np.array(lengths, dtype=np.float64), points, weights)


def _exact(means: Floats, places: Floats, weights: Floats) -> Floats:
    """Return chances without noise: j wins at k if those before stay below, those after at it."""
    from hush.numerics.compiled.noisy_sums import lower_sums, masses

    sums = lower_sums(means, places, np.array([0.0]), 0.0)[..., 0]
    mass = masses(means, places)
    at_most = np.maximum(sums, 0.0)
    return chances_on(weights, mass, np.maximum(sums - mass, 0.0), at_most)
