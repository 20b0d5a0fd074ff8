"""Windows of rounds in which arms' chances to win are interpolated, and bounds on these chances.

At a few points of a window, in ln t, every arm's chance to win is computed
(:mod:`hush.numerics.compiled.beta`) and its logarithm interpolated by a Chebyshev polynomial.
Points are added (3, 5, 9, 17) until the polynomial foretells the new ones; a window on which it
does not is halved. Where a centre starts or stops being clipped, a window ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.beta import deviation, make_grid, win_chances
from hush.policies.core.bandit import Rule
from hush.simulation.kernels.arms import Arms, Handle

__all__ = ["bound_chances", "bound_others", "end_of_part", "open_window", "polynomial"]

PLAIN_ROUNDS = 600  # below this many rounds, Beta draws cost less than a window
MOST_POINTS = 17
PARTS = 16
TOLERANCE = 1e-5  # of a level's forecast; the next level, which is used, is then below 1e-8
DRIFT = 2.0  # how many standard deviations a centre may move within a window
LOG_NEVER = np.log(1e-20)  # chances below this are taken as zero


@njit(cache=True, nogil=True, error_model="numpy")
def chebyshev(values: Floats, points: int, coefficients: Floats) -> None:
    """Turn values at ``points`` Chebyshev-Lobatto nodes (from -1 to 1) into coefficients."""
    last = points - 1
    for k in range(points):
        total = 0.0
        for m in range(points):
            share = 0.5 if m in (0, last) else 1.0
            total += share * values[m] * np.cos(np.pi * k * (last - m) / last)
        coefficients[k] = total * (1.0 if k in (0, last) else 2.0) / last
    for k in range(points, coefficients.size):
        coefficients[k] = 0.0


@njit(cache=True, forceinline=True, error_model="numpy")
def polynomial(coefficients: Floats, arm: int, points: int, u: float) -> float:
    """Evaluate an arm's Chebyshev series by Clenshaw's recurrence.

    It is handed the table and a row's number: a row by itself would be counted by atomic steps.
    """
    one, two = 0.0, 0.0
    for k in range(points - 1, 0, -1):
        one, two = coefficients[arm, k] + 2.0 * u * one - two, one
    return float(coefficients[arm, 0] + u * one - two)


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
def fit_window(
    rule: Rule,
    handle: Handle,
    mean: Floats,
    count: Floats,
    start: int,
    rounds: int,
    edges: Floats,
    coefficients: Floats,
) -> tuple[int, int]:
    """Interpolate the log chances over a window, halving it until that succeeds.

    Returns the number of points of the polynomials and the number of rounds of the window.
    """
    n_arms = mean.size
    first, last, center = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    low, high, chance = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    logs = np.empty((n_arms, MOST_POINTS))
    while True:
        centers_at(rule, handle, mean, count, float(start), first)
        centers_at(rule, handle, mean, count, float(start + rounds - 1), last)
        if constant_chances(first, count, chance):
            for i in range(n_arms):
                coefficients[i, 0] = np.log(chance[i])
            return 1, rounds
        panels = make_grid(first, last, count, low, high, edges)
        if panels == 0:
            return 0, rounds
        left, right = np.log(float(start)), np.log(float(start + rounds - 1))
        step = MOST_POINTS - 1
        points = 2
        known = False
        while step > 1 and not known:
            # Level by level: positions 0, step, 2 step, ... ; only every other one is new.
            step >>= 1
            points = (MOST_POINTS - 1) // step + 1
            worst = 0.0
            for position in range(points):
                if points > 3 and position % 2 == 0:
                    continue
                u = -np.cos(np.pi * position / (points - 1))
                t = np.exp(0.5 * (left + right) + 0.5 * (right - left) * u)
                centers_at(rule, handle, mean, count, t, center)
                win_chances(center, count, low, high, edges, panels, chance)
                for i in range(n_arms):
                    value = np.log(max(chance[i], 1e-60))
                    if points > 3 and chance[i] > 1e-17:
                        foretold = polynomial(coefficients, i, (points + 1) // 2, u)
                        worst = max(worst, abs(foretold - value))
                    logs[i, position * step] = value
            values = np.empty(points)
            for i in range(n_arms):
                for position in range(points):
                    values[position] = logs[i, position * step]
                chebyshev(values, points, coefficients[i])
            known = points > 3 and worst < TOLERANCE
        if known or rounds <= PLAIN_ROUNDS:
            return (points if known else 0), rounds
        rounds >>= 1


@njit(inline="always", error_model="numpy")
def open_window(
    rule: Rule,
    handle: Handle,
    arms: Arms,
    start: int,
    left: int,
    edges: Floats,
    coefficients: Floats,
) -> tuple[int, int]:
    """Lay a window from round ``start`` on.

    Returns the number of points of its polynomials, or 0 where rounds are better played one by
    one, and its number of rounds.
    """
    mean, count, needed = arms.means, arms.counts, arms.needed
    rounds = min(1, left)
    for j in range(mean.size):  # at most so many rounds pass before some epoch is full
        rounds = min(rounds + needed[j] - 1, left)
    rounds = smooth_rounds(rule, handle, mean, count, start, rounds)
    points = 0
    if rounds > PLAIN_ROUNDS:
        points, rounds = fit_window(rule, handle, mean, count, start, rounds, edges, coefficients)
    return points, rounds


@njit(inline="always", error_model="numpy")
def bound_chances(coefficients: Floats, points: int, part: int, bound: Floats) -> int:
    """Bound each arm's chance on one part of the window; return the arm with the largest bound.

    Between two points of a polynomial its value exceeds the larger end by at most its steepest
    slope times half their distance, and ``sum of k^2 |c_k|`` bounds the slope on [-1, 1].
    """
    leader = 0
    for j in range(bound.size):
        slope = 0.0
        for k in range(1, points):
            slope += k * k * abs(coefficients[j, k])
        left = polynomial(coefficients, j, points, 2.0 * part / PARTS - 1.0)
        right = polynomial(coefficients, j, points, 2.0 * (part + 1) / PARTS - 1.0)
        top = max(left, right) + slope / PARTS
        bound[j] = min(1.0, np.exp(top)) if top > LOG_NEVER else 0.0
        if bound[j] > bound[leader]:
            leader = j
    return leader


@njit(inline="always", error_model="numpy")
def bound_others(coefficients: Floats, points: int, part: int, bound: Floats) -> tuple[int, float]:
    """Bound each arm's chance; return the arm with the largest bound, and the sum of the others."""
    leader = bound_chances(coefficients, points, part, bound)
    whole = 0.0
    for j in range(bound.size):
        whole += bound[j]
    return leader, whole - bound[leader]


@njit(inline="always", error_model="numpy")
def end_of_part(part: int, window_end: int, middle: float, half: float) -> int:
    """Return the last round of a part of a window, given its middle and half width in ln t."""
    edge = np.exp(middle + half * (2.0 * (part + 1) / PARTS - 1.0))
    return window_end if part == PARTS - 1 else min(window_end, int(edge))
