"""Parts of a window, on which arms' chances to win lie between close bounds.

On a part arm j's chance lies between ``low[j]`` and ``low[j] + spread[j]``; the leader's is what
the others leave. So a round is arm j's with probability ``low[j]`` whatever round it is, and with
probability ``rest``, the sum of the spreads, it must be looked at. Parts are laid so that few are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.simulation.kernels.thompson_margins import MOST_POINTS
from hush.simulation.kernels.thompson_windows import Window, polynomial

__all__ = ["MOST_LOOKS", "Part", "Parts", "new_parts", "next_part", "no_part", "open_parts"]

LOG_NEVER = np.log(1e-20)  # chances below this are taken as zero
LOOKS = 6.0  # how many looks a part is laid for
MOST_LOOKS = 64  # where there are more, a part ends early


class Parts(NamedTuple):
    """Room for a window's polynomials, bounds on their slopes and bends, and for a part."""

    coefficients: Floats
    slope: Floats
    bend: Floats
    low: Floats
    spread: Floats
    wins: Integers
    first_wins: Integers
    looked: Integers
    places: Integers
    found: Integers
    times: Floats


class Part(NamedTuple):
    """Where a part ends, in rounds and in ``u``; who leads, and how likely rounds are looked at.

    And its window: the last round, the polynomials' number of points, its middle and half width
    in ln t, and how far logarithms of chances may be from the polynomials.
    """

    end: int
    edge: float
    leader: int
    rest: float
    window_end: int
    points: int
    middle: float
    half: float
    margin: float


@njit(inline="always", error_model="numpy")
def no_part(done: int) -> Part:
    """Return a part that ends here, of a window that ends here."""
    return Part(done, 0.0, 0, 0.0, done, 1, 0.0, 1.0, 0.0)


@apart
def new_parts(n_arms: int) -> Parts:
    """Return room for the parts of a run."""
    return Parts(
        np.zeros((n_arms, MOST_POINTS)),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        np.zeros(MOST_LOOKS, np.int64),
        np.zeros(MOST_LOOKS, np.int64),
        np.zeros(n_arms),
    )


@apart
def open_parts(parts: Parts, window: Window, done: int) -> Part:
    """Return a part of no rounds before the first one, of a window that has been interpolated.

    On [-1, 1], ``sum of k^2 |c_k|`` bounds a polynomial's slope, and
    ``sum of k^2 (k^2 - 1) / 3 |c_k|`` its second derivative.
    """
    for j in range(parts.slope.size):
        slope, bend = 0.0, 0.0
        for k in range(1, window.points):
            size = k * k * abs(parts.coefficients[j, k])
            slope += size
            bend += size * (k * k - 1.0) / 3.0
        parts.slope[j], parts.bend[j] = slope, bend
    end, points, margin = done + window.rounds, window.points, window.margin
    left, right = np.log(float(done + 1)), np.log(float(end))
    half = max(0.5 * (right - left), 1e-300)
    return Part(done, -1.0, 0, 0.0, end, points, 0.5 * (left + right), half, margin)


@njit(inline="always", error_model="numpy")
def bound_chances(parts: Parts, before: Part, leader: int, left: float, right: float) -> float:
    """Fill in bounds of the chances between two places; return the sum of the spreads.

    Between two points a function is off its chord by at most its second derivative times an eighth
    of their squared distance; and chances are off their polynomials by the margin.
    """
    rest, low, spread = 0.0, parts.low, parts.spread
    low[leader], spread[leader] = 1.0, 0.0
    for j in range(low.size):
        if j == leader:
            continue
        one = polynomial(parts.coefficients, j, before.points, left)
        two = polynomial(parts.coefficients, j, before.points, right)
        off = 0.125 * parts.bend[j] * (right - left) ** 2 + before.margin
        top = max(one, two) + off
        high = np.exp(min(0.0, top)) if top > LOG_NEVER else 0.0
        low[j] = np.exp(min(one, two) - off) if top > LOG_NEVER else 0.0
        spread[j] = high - low[j]
        rest += spread[j]
        low[leader] -= high
    return rest


@apart
def next_part(parts: Parts, before: Part) -> Part:
    """Lay the next part of a window, in which a few rounds will be looked at."""
    points, middle, half, left = before.points, before.middle, before.half, before.edge
    done, leader, top = before.end, before.leader, -np.inf
    for j in range(parts.low.size):
        value = polynomial(parts.coefficients, j, points, left)
        parts.low[j] = value
        if value > top:
            leader, top = j, value
    rate = 0.0
    for j in range(parts.low.size):
        if j != leader:
            rate += np.exp(parts.low[j]) * parts.slope[j]
    rate *= half * np.exp(middle + half * left)  # looks are about this times the width squared
    width = np.sqrt(LOOKS / max(rate, 1e-300))
    while True:
        right, end = 1.0, before.window_end
        if left + width < 1.0:
            right = left + width
            end = min(end, int(np.exp(middle + half * right)))
        if end <= done + 1:  # a single round's chances are known
            end, here = done + 1, min(1.0, (np.log(float(done + 1)) - middle) / half)
            rest, right = bound_chances(parts, before, leader, here, here), max(left, here)
        else:
            rest = bound_chances(parts, before, leader, left, right)
        few = rest * (end - done) <= 4.0 * LOOKS and parts.low[leader] > 0.0
        if few or end == done + 1:
            return Part(
                end, right, leader, rest, before.window_end, points, middle, half, before.margin
            )
        width = 0.5 * (right - left)
