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

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hush.numerics.compiled.binomial import log_pmf, lower_sum
from hush.numerics.panels import MOST, STEP, Floats, cell_rule, layout, panel_rule, rule

__all__ = ["LAWS", "selection_chances"]

LAWS = ("exponential", "laplace", "gumbel", "none")
DEPTH = 60.0  # what lies beyond has a chance below exp(-DEPTH)
TERMS = 18  # of the series of exp(-y) for y <= 1: 1 / 19! is left out
BLOCK = 4096
MOST_RISE = 50.0  # exp(-exp(50)) is 0
ROUNDING = 1e-6
NEVER = 1e-30  # a coin of a smaller mean shows no 1 in any number of tosses considered


def selection_chances(means: Floats, count: int, law: str, scale: float) -> Floats:
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
    >>> chances = selection_chances(np.array([0.5, 0.5, 0.4]), 100, "exponential", 2.0)
    >>> chances.round(6).tolist()
    [0.484698, 0.484698, 0.030605]
    """
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


def _zones(means: Floats, count: float, law: str, scale: float) -> Floats:
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
    means: Floats, numbers: Floats, count: float, law: str, scale: float
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
    law: str,
    scale: float,
    places: Floats,
    weights: Floats,
) -> Floats:
    if law == "none":
        return _exact(means, places, weights)
    inside, inner = cell_rule(scale)
    below, density = _laws(means, count, law, scale, places, inside)
    with np.errstate(divide="ignore"):
        logs = np.log(below)
    total = np.einsum("g,gku->ku", numbers, logs)
    # A chance is positive only where no other action's function is 0.
    ready = np.isfinite(total)
    product = np.where(ready, np.exp(np.where(ready, total, 0.0)), 0.0)
    product *= weights[:, None] * inner
    rate = np.divide(density, below, out=np.zeros_like(density), where=below > 0.0)
    return np.asarray(np.einsum("gku,ku->g", rate, product)) / scale


def _laws(
    means: Floats, count: float, law: str, scale: float, places: Floats, inside: Floats
) -> tuple[Floats, Floats]:
    """Return each arm's F at k + u, and its density times the scale: arm x k x u."""
    fall = np.exp(-inside / scale)
    if law == "gumbel":
        sums = _sums(means, places, np.arange(TERMS + 1.0) / scale, 0.0)
        order = np.arange(TERMS + 1.0)
        signs = np.array([(-1.0) ** m / math.factorial(m) for m in range(TERMS + 1)])
        powers = signs[:, None] * fall ** order[:, None]
        below = np.einsum("gkm,mu->gku", sums[..., :-1], powers)
        density = np.einsum("gkm,mu->gku", sums[..., :-1], -order[:, None] * powers)
        sides = _sides(means, count)
        panels = _steps(sides[:, 2], scale)
        above, slope = _gumbel_above(means, count, places, inside, scale, sides, *panels)
        return np.maximum(below, 0.0) + above, np.maximum(density, 0.0) + slope
    sums = _sums(means, places, np.array([0.0, 1.0 / scale]), 1.0 / scale)
    under = sums[..., 1, None] * fall
    if law == "exponential":
        return np.maximum(sums[..., 0, None] - under, 0.0), under
    over = sums[..., 2, None] * np.exp((inside - 1.0) / scale)
    return sums[..., 0, None] - 0.5 * under + 0.5 * over, 0.5 * (under + over)


def _steps(spreads: Floats, scale: float) -> tuple[Floats, Floats, Floats]:
    """Return the length of each arm's panels above k, their points and their weights."""
    lengths = [max(MOST, int(min(0.5 * scale, STEP * each))) for each in spreads.tolist()]
    rules = [rule(length) for length in lengths]
    points, weights = (np.stack([each[part] for each in rules]) for part in (0, 1))
    return np.array(lengths, dtype=np.float64), points, weights


def _exact(means: Floats, places: Floats, weights: Floats) -> Floats:
    """Return chances without noise: j wins at k if those before stay below, those after at it."""
    sums = _sums(means, places, np.array([0.0]), 0.0)[..., 0]
    mass = _masses(means, places)
    with np.errstate(divide="ignore"):
        upto = np.log(np.maximum(sums, 0.0))
        before = np.log(np.maximum(sums - mass, 0.0))
    none = np.zeros((1, weights.size))
    earlier = np.cumsum(np.concatenate([none, before[:-1]]), axis=0)
    later = np.cumsum(np.concatenate([none, upto[:0:-1]]), axis=0)[::-1]
    return np.asarray((mass * np.exp(earlier + later)) @ weights)


@njit(cache=True, nogil=True, error_model="numpy")
def _sums(means: Floats, places: Floats, rates: Floats, above: float) -> Floats:
    """Return ``A(k)`` for each rate, and last the like sum over what lies above k."""
    found = np.zeros((means.size, places.shape[1], rates.size + 1))
    for g in range(means.size):
        p, q = means[g], 1.0 - means[g]
        for i in range(places.shape[1]):
            k, rest = places[0, i], places[1, i]
            for m in range(rates.size):
                found[g, i, m] = lower_sum(k, rest, p, q, rates[m])
            if above > 0.0:
                found[g, i, rates.size] = lower_sum(rest - 1.0, k + 1.0, q, p, above)
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _masses(means: Floats, places: Floats) -> Floats:
    found = np.zeros((means.size, places.shape[1]))
    for g in range(means.size):
        for i in range(places.shape[1]):
            k, rest = places[0, i], places[1, i]
            if k >= 0.0 and rest >= 0.0:
                found[g, i] = math.exp(log_pmf(k, rest, means[g], 1.0 - means[g]))
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _gumbel_above(
    means: Floats,
    count: float,
    places: Floats,
    inside: Floats,
    scale: float,
    sides: Floats,
    lengths: Floats,
    steps: Floats,
    shares: Floats,
) -> tuple[Floats, Floats]:
    """Return the part of F, and of its density, that comes from sums above k."""
    below = np.zeros((means.size, places.shape[1], inside.size))
    slope = np.zeros_like(below)
    farthest = math.log(DEPTH) * scale + 1.0
    for g in range(means.size):
        p, q = means[g], 1.0 - means[g]
        most, least = count - sides[g, 0], max(count - sides[g, 1], 0.0) - ROUNDING
        for i in range(places.shape[1]):
            rest = places[1, i]
            # Where sums lie well above k they are counted from their own start. Among them they
            # are counted from k, which need not be whole where they are widely spread.
            first = most if rest > most else rest - 1.0
            while first >= least and first >= rest - farthest:
                for d in range(steps.shape[1]):
                    lack = first - steps[g, d]
                    if lack < -ROUNDING:
                        continue
                    lack = max(lack, 0.0)
                    mass = shares[g, d] * math.exp(log_pmf(count - lack, lack, p, q))
                    for u in range(inside.size):
                        rise = math.exp(min((rest - lack - inside[u]) / scale, MOST_RISE))
                        part = mass * math.exp(-rise)
                        below[g, i, u] += part
                        slope[g, i, u] += part * rise
                first -= lengths[g]
    return below, slope
