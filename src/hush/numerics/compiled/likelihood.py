"""The likelihood of :mod:`hush.numerics.likelihood`, compiled: number by number."""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.binomial import log_mass, log_peak
from hush.numerics.likelihood import CLEAR, CLOSE, FEW_TOSSES, LEAST, MOST_RARE, NEARLY, RARE

__all__ = ["log_likelihood"]


@apart
def tail_fraction(a: float, b: float, x: float, rest: float) -> float:
    """Return the continued fraction of the incomplete beta function; ``rest = 1 - x``.

    By the recurrence of numerators and denominators, which needs one division a step.
    """
    if a > RARE * b and b < MOST_RARE:  # rare events: the terms of the tail, one by one
        term, value = 1.0, 1.0
        for m in range(1, int(b)):
            term *= (b - m) / (a + m) * x / rest
            value += term
            if term < CLOSE * value:
                break
        return value / rest
    total = a + b
    most = min(60 + int(6.0 * total ** (1.0 / 3.0)), 20_000)
    upper, lower = 1.0, 1.0 - total * x / (a + 1.0)
    old_upper, old_lower = 1.0, 1.0
    value = upper / lower
    for m in range(1, most):
        high = a + 2.0 * m
        share = x / ((high - 1.0) * high * (high + 1.0))
        even = m * (b - m) * (high + 1.0) * share
        odd = -(a + m) * (total + m) * (high - 1.0) * share
        old_upper = upper + even * old_upper
        old_lower = lower + even * old_lower
        upper = old_upper + odd * upper
        lower = old_lower + odd * lower
        scale = 1.0 / lower
        old_upper *= scale
        old_lower *= scale
        upper *= scale
        lower = 1.0
        if abs(upper - value) < CLOSE * abs(upper):
            return upper
        value = upper
    return value


@apart
def summed(x: Floats, count: int, value: float, epsilon: float, total: Floats) -> None:
    """Add the log likelihood of a release of few tosses, summed term by term."""
    weights, shrink = np.empty(count + 1), np.exp(-epsilon)
    k = int(np.floor(value))
    fall = np.exp(-epsilon * (value - k))
    for b in range(k, -1, -1):
        weights[b] = max(fall, LEAST)
        fall *= shrink
    fall = np.exp(-epsilon * (k + 1 - value))
    for b in range(k + 1, count + 1):
        weights[b] = max(fall, LEAST)
        fall *= shrink
    ways = 1.0
    for b in range(count + 1):
        weights[b] *= ways
        ways *= (count - b) / (b + 1.0)
    odds, chance = np.empty(x.size), np.zeros(x.size)
    for i in range(x.size):
        odds[i] = min(x[i], 1.0 - x[i]) / max(x[i], 1.0 - x[i])
    for b in range(count + 1):  # Horner, from the power that is smallest on each side
        low, high = weights[count - b], weights[b]
        for i in range(x.size):
            chance[i] = chance[i] * odds[i] + (low if x[i] < 0.5 else high)
    for i in range(x.size):
        most = np.log1p(-x[i]) if x[i] < 0.5 else np.log(x[i])
        total[i] += count * most + np.log(chance[i])


@njit(inline="always", error_model="numpy")
def tilted(
    k: float, n: float, x: float, rest: float, shrink: float, clear: bool
) -> tuple[float, float, float]:
    """Return the tilted mean, 1 minus it, and the middle that tells the two forms apart."""
    grown = shrink * rest + x
    q = x / grown
    p = shrink * rest / grown
    middle = (k + 2.0) / (n + 3.0)
    if clear:
        least = middle + 10.0 * np.sqrt(middle * (1.0 - middle) / n)
        least = min(least, 0.5 + 0.5 * middle)
        if q < least:
            q, p = least, 1.0 - least
    return q, p, middle


@njit(inline="always", error_model="numpy")
def log_far(
    k: float, n: float, next_peak: float, x: float, rest: float, decay: float, q: float, p: float
) -> float:
    """Return the logarithm of the half sum where its tail is the smaller part."""
    tail = p * tail_fraction(k + 1.0, n - k, q, p)
    missing = np.exp(min(log_mass(k + 1.0, n, next_peak, q, p), 0.0)) * tail
    if x < rest:
        whole = n * np.log1p(x * np.expm1(decay)) - decay * k
    else:
        whole = n * np.log1p(rest * np.expm1(-decay)) + decay * (n - k)
    return float(whole + np.log1p(-min(missing, 0.9)))


@apart
def log_likelihood(x: Floats, count: float, value: float, epsilon: float, total: Floats) -> None:
    """Add the log likelihood of a release to ``total``, for means x in (0, 1)."""
    k = np.floor(value)
    if k < 0.0 or k >= count:
        for i in range(x.size):
            part, rest = (x[i], 1.0 - x[i]) if k < 0.0 else (1.0 - x[i], x[i])
            off = value if k < 0.0 else count - value
            shrunk = rest + part * np.exp(-epsilon)
            # Near 0 the sum has digits that a difference to 1 has not.
            each = np.log(shrunk) if shrunk < NEARLY else np.log1p(part * np.expm1(-epsilon))
            total[i] += epsilon * off + count * each
        return
    if count <= FEW_TOSSES:
        summed(x, int(count), value, epsilon, total)
        return
    shrink = np.exp(-epsilon)
    middle = (k + 1.0) / (count + 2.0)
    clear = epsilon * np.sqrt(count * middle * (1.0 - middle)) > CLEAR
    peak, above = log_peak(k, count - k), log_peak(k + 1.0, count - k - 1.0)
    near_left, near_right = np.exp(-epsilon * (value - k)), np.exp(-epsilon * (k + 1.0 - value))
    failed = count - k - 1.0
    for i in range(x.size):
        rest = 1.0 - x[i]
        q, p, middle = tilted(k, count, x[i], rest, shrink, clear)
        u, v, other = tilted(failed, count, rest, x[i], shrink, clear)
        mass = log_mass(k, count, peak, x[i], rest)
        # The first term beyond k, relative to the one at k.
        ratio = (count - k) / (k + 1.0) * x[i] / rest
        if q > middle and u > other:
            left = near_left * q * tail_fraction(count - k, k + 1.0, p, q)
            right = near_right * ratio * u * tail_fraction(count - failed, failed + 1.0, v, u)
            total[i] += mass + np.log(left + right)
            continue
        if q > middle:
            one = mass + np.log(q * tail_fraction(count - k, k + 1.0, p, q))
        else:
            one = log_far(k, count, above, x[i], rest, epsilon, q, p)
        if u > other:
            two = mass + np.log(ratio * u * tail_fraction(count - failed, failed + 1.0, v, u))
        else:
            two = log_far(failed, count, peak, rest, x[i], epsilon, u, v)
        one -= epsilon * (value - k)
        two -= epsilon * (k + 1.0 - value)
        total[i] += max(one, two) + np.log1p(np.exp(min(one, two) - max(one, two)))
