"""Windows of rounds in which arms' chances to win are interpolated.

At a few points of a window, in ln t, every arm's chance to win is computed
(:mod:`hush.numerics.compiled.beta`) and its logarithm interpolated by a Chebyshev polynomial. Where
a centre starts or stops being clipped, a window ends.

Where all centres move evenly in ln t, as many points are taken (2, 3, 5, 9, 17) as leave a margin
into which hardly any round will fall: :mod:`hush.simulation.kernels.thompson_margins`. Elsewhere
points are added until the polynomial foretells the new ones; a window on which it does not is
halved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.beta import win_chances
from hush.numerics.compiled.beta_panels import (
    MOST_PANELS,
    Grid,
    blank_grid,
    deviation,
    make_grid,
)
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Arms, Handle
from hush.simulation.kernels.thompson_margins import MOST_POINTS, enough_points, movement

__all__ = [
    "PLAIN_ROUNDS",
    "Window",
    "blank_window",
    "chance_at",
    "clipped_weight",
    "fit_window",
    "open_window",
    "polynomial",
]

PLAIN_ROUNDS = 200  # where so many rounds surely bring a release, they are played one by one
FEW_ROUNDS = 80  # below so many, Beta draws cost less than a window
PATIENCE = 1.5  # how much longer a window is than it will probably be needed
TOLERANCE = 1e-5  # of a level's forecast; the next level, which is used, is then below 1e-8
LOG_TINY = np.log(1e-17)  # chances below need not be foretold
DRIFT = 2.0  # how many standard deviations a centre may move within a window
COSINES = np.cos(np.pi * np.arange(2 * MOST_POINTS - 2) / (MOST_POINTS - 1))


class Window(NamedTuple):
    """The polynomials' number of points, or 0 where rounds are better played one by one.

    And its first round, how many rounds it has, how far logarithms of chances may be from the
    polynomials, and what chances are computed from where that matters: panels, and by how much
    centres move in all.
    """

    points: int
    start: int
    rounds: int
    margin: float
    grid: Grid
    moved: Floats


@apart
def blank_window() -> Window:
    """Return a window of no rounds."""
    return Window(0, 0, 0, 0.0, blank_grid(), np.empty(0))


@apart
def chebyshev(values: Floats, points: int, coefficients: Floats, arm: int) -> None:
    """Turn values at ``points`` Chebyshev-Lobatto nodes (from -1 to 1) into an arm's series."""
    last = points - 1
    step = (MOST_POINTS - 1) // last
    for k in range(points):
        total = 0.0
        for m in range(points):
            share = 0.5 if m in (0, last) else 1.0
            total += share * values[m] * COSINES[k * (last - m) * step % COSINES.size]
        coefficients[arm, k] = total * (1.0 if k in (0, last) else 2.0) / last
    for k in range(points, MOST_POINTS):
        coefficients[arm, k] = 0.0


@njit(cache=True, forceinline=True, error_model="numpy")
def polynomial(coefficients: Floats, arm: int, points: int, u: float) -> float:
    """Evaluate an arm's Chebyshev series by Clenshaw's recurrence.

    It is handed the table and a row's number: a row by itself would be counted by atomic steps.
    """
    one, two = 0.0, 0.0
    for k in range(points - 1, 0, -1):
        one, two = coefficients[arm, k] + 2.0 * u * one - two, one
    return float(coefficients[arm, 0] + u * one - two)


@apart
def centers_at(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    t: float,
    center: Floats,
) -> None:
    """Fill in every arm's centre at time ``t``."""
    for i in range(mean.size):
        center[i] = rule(mean[i], count[i], t, handle)


@apart
def smooth_rounds(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    start: int,
    rounds: int,
) -> int:
    """Shorten a window so that no centre is clipped for a part of it or moves too far."""
    for i in range(mean.size):
        first = rule(mean[i], count[i], float(start), handle)
        while rounds > 1:
            last = rule(mean[i], count[i], float(start + rounds - 1), handle)
            if last - first <= DRIFT * deviation(first, count[i]):
                break
            rounds >>= 1
        last = rule(mean[i], count[i], float(start + rounds - 1), handle)
        if rounds > 1 and last > first and (first <= 0.0 or last >= 1.0):
            inside, outside = 1, rounds  # the last round of the same regime lies between
            while outside - inside > 1:
                middle = (inside + outside) >> 1
                value = rule(mean[i], count[i], float(start + middle - 1), handle)
                same = value <= 0.0 if first <= 0.0 else value < 1.0
                if same:
                    inside = middle
                else:
                    outside = middle
            rounds = inside
    return rounds


@apart
def clipped_weight(rule: Rule, handle: Handle, arms: Arms, start: int) -> float:
    """Return the sum of n + 1 of all arms if all are clipped at 1, else 0."""
    total = 0.0
    for i in range(arms.means.size):
        if rule(arms.means[i], arms.counts[i], float(start), handle) < 1.0:
            return 0.0
        total += arms.counts[i] + 1.0
    return total


@apart
def constant_chances(center: Floats, count: Floats, chance: Floats) -> bool:
    """Where all arms are clipped at 1 their draws are Beta(n + 1, 1): chances in proportion."""
    total = 0.0
    for i in range(count.size):
        if center[i] < 1.0:
            return False
        total += count[i] + 1.0
    for i in range(count.size):
        chance[i] = (count[i] + 1.0) / total
    return True


@njit(inline="always", error_model="numpy")
def expected_rounds(chance: Floats, needed: Integers, most: int) -> int:
    """Return about how many rounds pass before some arm has won as many as it needs."""
    rounds = float(most)
    for i in range(chance.size):
        rounds = min(rounds, needed[i] / max(chance[i], 1e-60))
    return max(1, int(rounds))


@apart
def interpolate(logs: Floats, points: int, coefficients: Floats) -> None:
    """Turn columns into every arm's polynomial: every one, or every other, fourth or eighth."""
    values = np.empty(MOST_POINTS)
    for i in range(logs.shape[0]):
        for k in range(points):
            values[k] = logs[i, k * ((MOST_POINTS - 1) // (points - 1))]
        chebyshev(values, points, coefficients, i)


@apart
def foretold(logs: Floats, points: int, coefficients: Floats) -> bool:
    """Tell whether polynomials of half the points foretell the others closely enough.

    The smaller a chance, the less its precision matters.
    """
    step, half = (MOST_POINTS - 1) // (points - 1), (points + 1) // 2
    for position in range(step, MOST_POINTS, 2 * step):
        for i in range(logs.shape[0]):
            value = logs[i, position]
            off = abs(polynomial(coefficients, i, half, -COSINES[position]) - value)
            weight = min(1.0, (1e3 * np.exp(value)) ** 0.25)
            if value > LOG_TINY and weight * off > TOLERANCE:
                return False
    return True


@apart
def fit_window(
    rule: Rule,
    handle: Handle,
    arms: Arms,
    start: int,
    most: int,
    needed: Integers,
    coefficients: Floats,
    before: Window,
) -> Window:
    """Interpolate the log chances over a window, halving it until that succeeds.

    It is laid for about as many rounds as an arm takes to win what it needs. Where it needs no
    panels it has those of the window before it.
    """
    mean, count, n_arms = arms.means, arms.counts, arms.means.size
    last, center, chance = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    centers_at(rule, handle, mean, count, float(start + most - 1), last)
    centers_at(rule, handle, mean, count, float(start), center)
    if constant_chances(center, count, chance):
        for i in range(n_arms):
            coefficients[i, 0] = np.log(chance[i])
        return Window(1, start, most, 0.0, before.grid, before.moved)
    grid, moved = make_grid(center, last, count, MOST_PANELS), last
    logs = np.empty((n_arms, MOST_POINTS))
    if grid.halves.size == 0:
        return Window(0, start, most, 0.0, grid, moved)
    win_chances(grid, center, count, chance)
    lost = 1.0
    for i in range(n_arms):
        logs[i, 0] = np.log(max(chance[i], 1e-60))
        lost = min(lost, 1.0 - chance[i])
    rounds = min(most, int(PATIENCE * expected_rounds(chance, needed, most)) + 1)
    left = np.log(float(start))
    while rounds >= FEW_ROUNDS:
        right = np.log(float(start + rounds - 1))
        spread = movement(rule, handle, mean, count, left, right, moved)
        points, margin, enough = enough_points(spread, lost * rounds)
        known = 1  # points, of which the first is at the start whatever the others are
        while points <= MOST_POINTS:
            step = (MOST_POINTS - 1) // (points - 1)
            for k in range(1, points):
                if k % 2 == 1 or known == 1:
                    u = -COSINES[k * step]
                    t = np.exp(0.5 * (left + right) + 0.5 * (right - left) * u)
                    centers_at(rule, handle, mean, count, t, center)
                    win_chances(grid, center, count, chance)
                    for i in range(n_arms):
                        logs[i, k * step] = np.log(max(chance[i], 1e-60))
            if not enough and known > 1:
                enough = foretold(logs, points, coefficients)
            interpolate(logs, points, coefficients)
            if enough:
                return Window(points, start, rounds, margin, grid, moved)
            known, points = points, 2 * points - 1
        rounds >>= 1
    return Window(0, start, rounds, 0.0, grid, moved)


@apart
def chance_at(window: Window, arm: int, t: int) -> float:
    """Return an arm's chance in a round of a window on which centres move evenly."""
    grid = window.grid
    first, last = np.log(float(window.start)), np.log(float(window.start + window.rounds - 1))
    share = (np.log(float(t)) - first) / max(last - first, 1e-300)
    center, chance = np.empty(grid.counts.size), np.empty(grid.counts.size)
    for i in range(center.size):
        center[i] = grid.center[i] + share * window.moved[i]
    win_chances(grid, center, grid.counts, chance)
    return float(chance[arm])


@njit(inline="always", error_model="numpy")
def open_window(
    rule: Rule,
    handle: Handle,
    arms: Arms,
    start: int,
    most: int,
    needed: Integers,
    coefficients: Floats,
    before: Window,
) -> Window:
    """Lay a window of at most so many rounds from round ``start`` on; as above."""
    rounds = most
    if rounds > PLAIN_ROUNDS:
        rounds = smooth_rounds(rule, handle, arms.means, arms.counts, start, most)
    if rounds <= PLAIN_ROUNDS:
        return Window(0, start, rounds, 0.0, before.grid, before.moved)
    return fit_window(rule, handle, arms, start, rounds, needed, coefficients, before)
