"""Windows of rounds in which arms' chances to win are interpolated.

At a few points of a window, in ln t, every arm's chance to win is computed
(:mod:`hush.numerics.compiled.beta`) and its logarithm interpolated by a Chebyshev polynomial.
Points are added (3, 5, 9, 17) until the polynomial foretells the new ones; a window on which it
does not is halved. Where a centre starts or stops being clipped, a window ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers
from hush.numerics.compiled.beta import win_chances
from hush.numerics.compiled.beta_panels import MOST_PANELS, deviation, make_grid
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Arms, Handle

__all__ = ["MOST_POINTS", "PLAIN_ROUNDS", "fit_window", "open_window", "polynomial"]

PLAIN_ROUNDS = 200  # where so many rounds surely bring a release, they are played one by one
FEW_ROUNDS = 80  # below so many, Beta draws cost less than a window
PATIENCE = 1.5  # how much longer a window is than it will probably be needed
MOST_POINTS = 17
TOLERANCE = 1e-5  # of a level's forecast; the next level, which is used, is then below 1e-8
DRIFT = 2.0  # how many standard deviations a centre may move within a window
COSINES = np.cos(np.pi * np.arange(2 * MOST_POINTS - 2) / (MOST_POINTS - 1))


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
def fit_window(
    rule: Rule,
    handle: Handle,
    arms: Arms,
    start: int,
    most: int,
    needed: Integers,
    coefficients: Floats,
) -> tuple[int, int]:
    """Interpolate the log chances over a window, halving it until that succeeds.

    It is laid for about as many rounds as an arm takes to win what it needs. Returns the number of
    points of the polynomials, or 0 where rounds are better played one by one, and how many rounds.
    """
    mean, count, n_arms = arms.means, arms.counts, arms.means.size
    last, center = np.empty(n_arms), np.empty(n_arms)
    chance, values = np.empty(n_arms), np.empty(MOST_POINTS)
    logs = np.empty((n_arms, MOST_POINTS))
    centers_at(rule, handle, mean, count, float(start + most - 1), last)
    centers_at(rule, handle, mean, count, float(start), center)
    if constant_chances(center, count, chance):
        for i in range(n_arms):
            coefficients[i, 0] = np.log(chance[i])
        return 1, most
    grid = make_grid(center, last, count, MOST_PANELS)
    # Level by level: positions 0, step, 2 step, ...; only every other one is new, but of 3.
    rounds, step, points, position, worst = most, MOST_POINTS - 1, 1, 0, 0.0
    left, right = np.log(float(start)), np.log(float(start))
    while rounds >= FEW_ROUNDS and grid.halves.size > 0:
        u = -COSINES[position * step]
        if position > 0:
            t = np.exp(0.5 * (left + right) + 0.5 * (right - left) * u)
            centers_at(rule, handle, mean, count, t, center)
        win_chances(grid, center, count, chance)
        for i in range(n_arms):
            value = np.log(max(chance[i], 1e-60))
            logs[i, position * step] = value
            if points > 3 and chance[i] > 1e-17:
                foretold = polynomial(coefficients, i, (points + 1) // 2, u)
                # The smaller a chance, the less its precision matters.
                weight = min(1.0, (1e3 * chance[i]) ** 0.25)
                worst = max(worst, weight * abs(foretold - value))
        if position == 0:
            rounds = min(most, int(PATIENCE * expected_rounds(chance, needed, most)) + 1)
        position += 2 if points > 3 else 1
        if position < points:
            continue
        if points > 1:
            for i in range(n_arms):
                for k in range(points):
                    values[k] = logs[i, k * step]
                chebyshev(values, points, coefficients, i)
            if points > 3 and worst < TOLERANCE:
                return points, rounds
            if step == 1:
                rounds >>= 1
        step = (MOST_POINTS - 1) // 2 if points in (1, MOST_POINTS) else step >> 1
        points, position, worst = (MOST_POINTS - 1) // step + 1, 1, 0.0
        right = np.log(float(start + rounds - 1))
    return 0, rounds


@njit(inline="always", error_model="numpy")
def open_window(
    rule: Rule,
    handle: Handle,
    arms: Arms,
    start: int,
    most: int,
    needed: Integers,
    coefficients: Floats,
) -> tuple[int, int]:
    """Lay a window of at most so many rounds from round ``start`` on; as above."""
    rounds = most
    if rounds > PLAIN_ROUNDS:
        rounds = smooth_rounds(rule, handle, arms.means, arms.counts, start, most)
    if rounds <= PLAIN_ROUNDS:
        return 0, rounds
    return fit_window(rule, handle, arms, start, rounds, needed, coefficients)
