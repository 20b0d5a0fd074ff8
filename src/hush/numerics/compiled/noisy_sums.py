"""The binomial sums behind :mod:`hush.numerics.noisy_sums`, compiled.

``places`` has two rows: k, and n less k, which has digits where k has none left.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.binomial import log_pmf, lower_sum
from hush.numerics.where_sums_lie import DEPTH, Steps

__all__ = ["gumbel_above", "lower_sums", "masses"]

MOST_RISE = 50.0  # exp(-exp(50)) is 0
ROUNDING = 1e-6
LEAST = 1e-250  # a probability from which others may be found by steps


@njit(cache=True, nogil=True, error_model="numpy")
def lower_sums(means: Floats, places: Floats, rates: Floats, above: float) -> Floats:
    """Return ``A(k)`` for each rate, and last the like sum over what lies above k.

    From one whole number to the next a sum falls by its rate and gains the next probability: all
    are positive, so that no digits are lost. An integral is needed where the numbers jump.
    """
    found = np.zeros((means.size, places.shape[1], rates.size + 1))
    falls = np.exp(-rates)
    for g in range(means.size):
        p, q = means[g], 1.0 - means[g]
        mass, before = 0.0, -np.inf
        for i in range(places.shape[1]):
            k, rest = places[0, i], places[1, i]
            steps = k == before + 1.0 and mass > LEAST and rest >= 0.0
            before = k
            if steps:
                mass *= (rest + 1.0) / k * (p / q)
                for m in range(rates.size):
                    found[g, i, m] = found[g, i - 1, m] * falls[m] + mass
            else:
                for m in range(rates.size):
                    found[g, i, m] = lower_sum(k, rest, p, q, rates[m])
                inside = k > 0.0 and rest > 0.0 and p > 0.0 and q > 0.0
                mass = math.exp(log_pmf(k, rest, p, q)) if inside else 0.0
            if above > 0.0:
                found[g, i, rates.size] = lower_sum(rest - 1.0, k + 1.0, q, p, above)
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def masses(means: Floats, places: Floats) -> Floats:
    """Return the probability of k for each mean and place; 0 beyond the ends."""
    found = np.zeros((means.size, places.shape[1]))
    for g in range(means.size):
        for i in range(places.shape[1]):
            k, rest = places[0, i], places[1, i]
            if k >= 0.0 and rest >= 0.0:
                found[g, i] = math.exp(log_pmf(k, rest, means[g], 1.0 - means[g]))
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def gumbel_above(
    means: Floats,
    count: float,
    places: Floats,
    inside: Floats,
    scale: float,
    sides: Floats,
    steps: Steps,
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
                for d in range(steps.points.shape[1]):
                    lack = first - steps.points[g, d]
                    if lack < -ROUNDING:
                        continue
                    lack = max(lack, 0.0)
                    mass = steps.weights[g, d] * math.exp(log_pmf(count - lack, lack, p, q))
                    for u in range(inside.size):
                        rise = math.exp(min((rest - lack - inside[u]) / scale, MOST_RISE))
                        part = mass * math.exp(-rise)
                        below[g, i, u] += part
                        slope[g, i, u] += part * rise
                first -= steps.lengths[g]
    return below, slope
