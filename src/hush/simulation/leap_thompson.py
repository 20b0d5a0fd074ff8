"""The leap engine for lazy Thompson policies: exact in law, by thinning.

Between releases the chance of each arm to win a round depends on time alone, through its centre
``a(t)``, and smoothly so. The engine works on windows of rounds:

1. At a few points of a window, in ln t, it computes every arm's chance to win
   (:mod:`hush.numerics.compiled.beta`) and interpolates its logarithm by a Chebyshev
   polynomial. Points are added (3, 5, 9, 17) until the polynomial foretells the new ones; a window
   on which it does not is halved. Where a centre starts or stops being clipped, a window ends.
2. On each of 16 parts of the window it bounds each chance from above. With leader l, a round is
   a candidate with probability q, the sum of the others' bounds: it skips geometrically to the next
   candidate, all rounds before being the leader's, picks an arm in proportion to the bounds, and
   accepts it with its true chance over its bound, else plays the leader. Where q is large it draws
   each round by rejection instead.

A window cannot outlast the rounds in which some epoch must end. Where that is soon, rounds are
played one by one with Beta draws, which is cheaper.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.random import Generator

from hush.numerics.compiled.beta import (
    MOST_PANELS,
    deviation,
    make_grid,
    win_chances,
)
from hush.policies.core.bandit import Rule
from hush.simulation.kernels import (
    Floats,
    Handle,
    Integers,
    add_segment,
    largest_draw,
    pass_checkpoints,
    released_sum,
    settle,
)

__all__ = ["leap_thompson"]

PLAIN_ROUNDS = 600  # below this many rounds, Beta draws cost less than a window
MOST_POINTS = 17
PARTS = 16
FOREVER = 2**61
TOLERANCE = 1e-5  # of a level's forecast; the next level, which is used, is then below 1e-8
DRIFT = 2.0  # how many standard deviations a centre may move within a window
LOG_NEVER = np.log(1e-20)  # chances below this are taken as zero
FEW = 0.5  # candidates rarer than this are leapt to; else every round is looked at


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


@njit(inline="always", error_model="numpy")
def polynomial(coefficients: Floats, points: int, u: float) -> float:
    """Evaluate a Chebyshev series by Clenshaw's recurrence."""
    one, two = 0.0, 0.0
    for k in range(points - 1, 0, -1):
        one, two = coefficients[k] + 2.0 * u * one - two, one
    return float(coefficients[0] + u * one - two)


@njit(inline="always", error_model="numpy")
def geometric(slowness: float, chance: float, source: Generator) -> int:
    """Draw how many rounds pass before the next candidate; ``slowness`` is -1 / log(1 - chance)."""
    if chance <= 0.0:
        return FOREVER
    return int(min(source.standard_exponential() * slowness, float(FOREVER)))


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
                        foretold = polynomial(coefficients[i], (points + 1) // 2, u)
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
    mean: Floats,
    count: Floats,
    needed: Integers,
    start: int,
    left: int,
    edges: Floats,
    coefficients: Floats,
) -> tuple[int, int]:
    """Lay a window from round ``start`` on.

    Returns the number of points of its polynomials, or 0 where rounds are better played one by
    one, and its number of rounds.
    """
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
        left = polynomial(coefficients[j], points, 2.0 * part / PARTS - 1.0)
        right = polynomial(coefficients[j], points, 2.0 * (part + 1) / PARTS - 1.0)
        top = max(left, right) + slope / PARTS
        bound[j] = min(1.0, np.exp(top)) if top > LOG_NEVER else 0.0
        if bound[j] > bound[leader]:
            leader = j
    return leader


@njit(inline="always", error_model="numpy")
def thinned(
    coefficients: Floats,
    points: int,
    bound: Floats,
    leader: int,
    others: float,
    u: float,
    source: Generator,
) -> int:
    """Decide a candidate round: an arm other than the leader if it is accepted, else the leader."""
    pick = source.random() * others
    for j in range(bound.size):
        if j != leader:
            if pick < bound[j]:
                return j if pick < np.exp(polynomial(coefficients[j], points, u)) else leader
            pick -= bound[j]
    return leader


@njit(inline="always", error_model="numpy")
def rejected(
    coefficients: Floats, points: int, bound: Floats, whole: float, u: float, source: Generator
) -> int:
    """Decide a round by rejection: propose in proportion to the bounds until one is accepted."""
    while True:
        pick = source.random() * whole
        for j in range(bound.size):
            if pick < bound[j]:
                if pick < np.exp(polynomial(coefficients[j], points, u)):
                    return j
                break
            pick -= bound[j]


@njit(cache=True, nogil=True, error_model="numpy")
def leap_thompson(
    rule: Rule,
    parameters: Floats,
    means: Floats,
    lengths: Integers,
    epsilon: float,
    discrete: bool,
    cumulative: bool,
    explores_first: bool,
    checkpoints: Integers,
    source: Generator,
    pulls: Integers,
    keep_segments: bool,
    stop: Integers,
) -> tuple[Integers, int, int]:
    """Play one run; fill ``pulls`` at the checkpoints.

    Returns the played segments (start, length, arm) if wanted, the number of windows and the
    number of rounds that were looked at one by one.
    """
    n_arms = means.size
    handle = parameters.ctypes
    count = np.zeros(n_arms)
    total = np.zeros(n_arms)
    mean = np.zeros(n_arms)
    epoch = np.zeros(n_arms, np.int64)
    length = np.full(n_arms, lengths[0])
    needed = length.copy()
    played = np.zeros(n_arms, np.int64)
    segments = np.empty((64 if keep_segments else 0, 3), np.int64)
    edges = np.empty(MOST_PANELS)
    coefficients = np.zeros((n_arms, MOST_POINTS))
    bound = np.zeros(n_arms)
    horizon = checkpoints[-1]
    unreleased = n_arms if explores_first else 0
    used, position, windows, looked, done = 0, 0, 0, 0, 0
    plain_end, window_end, part_end, candidate = 0, 0, 0, 0
    points, part, leader = 0, 0, 0
    others, slowness, middle, half = 0.0, 0.0, 0.0, 1.0
    while done < horizon and stop[0] == 0:
        repeat = 1
        if unreleased > 0:
            arm = n_arms - unreleased
            repeat = min(needed[arm], horizon - done)
        elif done < plain_end:
            looked += 1
            arm = largest_draw(rule, handle, mean, count, done + 1, source)
        elif done >= window_end:
            points, rounds = open_window(
                rule, handle, mean, count, needed, done + 1, horizon - done, edges, coefficients
            )
            if points == 0:
                plain_end = done + min(rounds, PLAIN_ROUNDS)
            else:
                windows += 1
                window_end, part_end, part = done + rounds, done, -1
                left, right = np.log(float(done + 1)), np.log(float(done + rounds))
                middle, half = 0.5 * (left + right), max(0.5 * (right - left), 1e-300)
            continue
        elif done >= part_end:
            part += 1
            edge = np.exp(middle + half * (2.0 * (part + 1) / PARTS - 1.0))
            part_end = window_end if part == PARTS - 1 else min(window_end, int(edge))
            leader = bound_chances(coefficients, points, part, bound)
            whole = 0.0
            for j in range(n_arms):
                whole += bound[j]
            others = whole - bound[leader]
            slowness = -1.0 / np.log1p(-others) if others < FEW else 0.0
            candidate = done + 1 + geometric(slowness, others, source)
            continue
        elif others >= FEW:
            looked += 1
            u = (np.log(float(done + 1)) - middle) / half
            arm = rejected(coefficients, points, bound, others + bound[leader], u, source)
        elif done + 1 < candidate:
            arm = leader
            repeat = min(needed[leader], part_end - done, candidate - done - 1)
        else:
            looked += 1
            u = (np.log(float(done + 1)) - middle) / half
            arm = thinned(coefficients, points, bound, leader, others, u, source)
            candidate = done + 2 + geometric(slowness, others, source)
        position = pass_checkpoints(checkpoints, position, done, repeat, arm, played, pulls)
        if keep_segments:
            segments, used = add_segment(segments, used, done + 1, repeat, arm)
        played[arm] += repeat
        needed[arm] -= repeat
        done += repeat
        if needed[arm] == 0:
            drawn = source.binomial(length[arm], means[arm])
            released = released_sum(drawn, epsilon, discrete, source)
            settle(arm, released, cumulative, lengths, total, count, mean, epoch, length, needed)
            unreleased = max(0, unreleased - 1)
            plain_end, window_end = done, done  # what was computed no longer holds
    return segments[:used], windows, looked
