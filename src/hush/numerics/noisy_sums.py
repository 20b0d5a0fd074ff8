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

import numpy as np

from hush.extras import require
from hush.noise.laws import SumLaw
from hush.numerics.between_means import at_many_means
from hush.numerics.largest import chances_on
from hush.numerics.panels import Floats, cell_rule, layout, panel_rule
from hush.numerics.where_sums_lie import DEPTH, NEVER, sides, steps, window, zones

__all__ = ["laplace_laws", "win_chances"]

TERMS = 18  # of the series of exp(-y) for y <= 1: 1 / 19! is left out
BLOCK = 4096
SHARES: dict[SumLaw, float] = {"exponential": 1.0, "laplace": 0.5}  # of noise above 0
DROPS = (4.0, 12.0, 30.0, 80.0)  # how far the logarithm of a product falls on a panel
NOBODY = 75.0  # a largest sum of a chance below exp(-75) is left out
FEW = 256  # arms whose product bounds that
WIDE = 40.0  # standard deviations of sums beside which a cell is short


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
    low, high, kept = window(groups, numbers, float(count), law, scale)
    chances = np.zeros(groups.size)
    if law in SHARES:
        high = min(high, int(sides(groups[kept], float(count))[:, 1].max()))
        chances[kept] = _beyond(groups[kept], numbers[kept], count, law, scale, high)
    narrow = zones(groups[kept], float(count), law, scale)
    edges = layout(low, high, narrow, {0, int(count)})
    edges = _worth(edges, groups[kept], numbers[kept], count, law, scale)
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
    ends = sides(means, float(count))
    low = math.floor(float(ends[:, 0].min()) - DEPTH * scale)
    high = math.ceil(float(ends[:, 1].max()) + DEPTH * scale) + 1
    edges = layout(low, high, zones(means, float(count), "laplace", scale), {0, int(count)})
    points, weights = panel_rule(edges)
    rests = -panel_rule([edge - int(count) for edge in edges])[0]
    inside, inner = cell_rule(scale)
    for first in range(0, points.size, BLOCK):
        part = slice(first, first + BLOCK)
        places = np.stack([points[part], rests[part]])
        below, density = _laws(means, float(count), "laplace", scale, places, inside)
        grid = (weights[part, None] * inner / scale).ravel()
        yield grid, density.reshape(means.size, -1), below.reshape(means.size, -1)


def _beyond(
    means: Floats, numbers: Floats, count: int, law: SumLaw, scale: float, high: int
) -> Floats:
    """Return each action's chance to win above all sums, where only noise can be.

    From there on ``F = 1 - a v`` with ``v = exp(-(x - high) / scale)``: a polynomial in v.
    """
    from hush.numerics.compiled.noisy_sums import lower_sums

    place = np.array([[float(high)], [float(count - high)]])
    tops = SHARES[law] * lower_sums(means, place, np.array([1.0 / scale]), 0.0)[:, :1, 0]
    total = float(numbers @ tops[:, 0])
    ends = np.minimum(1.0, np.array([0.0, *DROPS]) / max(total, 1e-300))
    points, weights = np.polynomial.legendre.leggauss(16)
    halves = 0.5 * np.diff(ends)[:, None]
    at = (ends[:-1, None] + halves * (points + 1.0)).ravel()
    below, density = 1.0 - tops * at, np.broadcast_to(tops, (means.size, at.size))
    return _shared((halves * weights).ravel(), numbers, density, below)


def _shared(weights: Floats, numbers: Floats, density: Floats, below: Floats) -> Floats:
    """Return the chance of each law, where so many equal actions have it, of one of them."""
    if (numbers > 1.0).any():
        # Equal actions are one law: the largest of their draws, which each of them has as often.
        many = numbers[:, None]
        density, below = density * below ** (many - 1.0), below**many
    return chances_on(weights, density, below)


def _worth(
    edges: list[int], means: Floats, numbers: Floats, count: int, law: SumLaw, scale: float
) -> list[int]:
    """Return the edges without those below which the largest sum almost never lies.

    Whoever wins there, all sums lie there: the product of their chances bounds everybody's. That of
    the best few hundred will do.
    """
    best = np.argsort(means)[-FEW:]
    first, last = 0, len(edges) - 1
    while last - first > 1:
        middle = (first + last) // 2
        below = _start_of_cell(means[best], float(count), law, scale, edges[middle])
        rare = numbers[best] @ np.log(np.maximum(below, 1e-300)) < -NOBODY
        first, last = (middle, last) if rare else (first, middle)
    return edges[first:]


def _start_of_cell(means: Floats, count: float, law: SumLaw, scale: float, k: int) -> Floats:
    """Return each distribution function a little after k."""
    from hush.numerics.compiled.noisy_sums import lower_sums

    place = np.array([[float(k)], [count - k]])
    if law == "none":
        return np.asarray(lower_sums(means, place, np.zeros(1), 0.0)[:, 0, 0])
    return _laws(means, count, law, scale, place, cell_rule(scale)[0][:1])[0][:, 0, 0]


def _cell(means: Floats, count: float, law: SumLaw, scale: float) -> tuple[Floats, Floats]:
    """Return a rule within a cell.

    Functions of exponential noise are linear in ``exp(-u / scale)``. Where all sums are wide, few
    of them change much within a cell, and three points in that variable do.
    """
    if law != "exponential" or count * float((means * (1.0 - means)).min()) < WIDE**2:
        return cell_rule(scale)
    points, weights = np.polynomial.legendre.leggauss(3)
    half = -0.5 * math.expm1(-1.0 / scale)
    at = 1.0 - half * (points + 1.0)
    return -scale * np.log(at), scale * half * weights / at


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
    inside, inner = _cell(means, count, law, scale)
    below, density = _laws(means, count, law, scale, places, inside)
    grid = (weights[:, None] * inner / scale).ravel()
    return _shared(grid, numbers, density.reshape(means.size, -1), below.reshape(means.size, -1))


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
        ends = sides(means, count)
        given = means, count, places, inside, scale, ends, steps(ends[:, 2], scale)
        above, slope = gumbel_above(*given)
        return np.maximum(below, 0.0) + above, np.maximum(density, 0.0) + slope
    rates, over_rate = np.array([0.0, 1.0 / scale]), 1.0 / scale if law == "laplace" else 0.0

    def tails(some: Floats) -> Floats:
        return np.asarray(lower_sums(some, places, rates, over_rate)[..., : 3 if over_rate else 2])

    sums = at_many_means(means, count, tails)
    under = sums[..., 1, None] * fall
    if law == "exponential":
        return np.maximum(sums[..., 0, None] - under, 0.0), under
    over = sums[..., 2, None] * np.exp((inside - 1.0) / scale)
    return sums[..., 0, None] - 0.5 * under + 0.5 * over, 0.5 * (under + over)


def _exact(means: Floats, places: Floats, weights: Floats) -> Floats:
    """Return chances without noise: j wins at k if those before stay below, those after at it."""
    from hush.numerics.compiled.noisy_sums import lower_sums, masses

    sums = lower_sums(means, places, np.array([0.0]), 0.0)[..., 0]
    mass = masses(means, places)
    at_most = np.maximum(sums, 0.0)
    return chances_on(weights, mass, np.maximum(sums - mass, 0.0), at_most)
