"""Sums over a binomial law that hold their digits for every n: the heart of exact regret.

What is needed is ``sum over s <= k of pmf(s) exp(-rate (k - s))``: a distribution function for
rate 0, and the overlap of a binomial with exponential noise otherwise. Tilting makes it a binomial
tail, and a tail divided by its last term is the integral

    (n - k) integral over v in 0..1 of (1 - v)^(n - k - 1) (1 + odds v)^k dv,

``odds = (1 - p) / p exp(-rate)`` (the incomplete beta function, DLMF 8.17). The integrand is
positive and falls from 1, so that thirty Gauss-Legendre points give it to about twelve digits,
whatever n is. All of it is analytic in k, which need not be whole.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hush.numerics import binomial
from hush.numerics.compiled.apart import apart

__all__ = ["log_mass", "log_peak", "log_pmf", "lower_sum", "stirling_error"]

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(30)
POINTS, WEIGHTS = 0.5 * (POINTS + 1.0), 0.5 * WEIGHTS
HALF_LOG_2PI = binomial.HALF_LOG_2PI
FALL = 38.0  # the integral stops where its integrand has fallen by exp(FALL)
NOTHING = -700.0  # a logarithm below which a probability is taken for 0


stirling_error = apart(binomial.stirling_error)


@apart
def log_peak(k: float, rest: float) -> float:
    """Return the logarithm of the binomial probability of k at its best mean."""
    if k <= 0.0 or rest <= 0.0:
        return 0.0
    n = k + rest
    error = stirling_error(n) - stirling_error(k) - stirling_error(rest)
    return float(error + 0.5 * math.log(n / (k * rest)) - HALF_LOG_2PI)


@njit(inline="always", error_model="numpy")
def log_mass(k: float, n: float, peak: float, x: float, rest: float) -> float:
    """Return the logarithm of the binomial probability of k; ``peak`` is that of the best mean.

    For many means x and one k: :func:`log_pmf` has more digits where n is huge, and takes longer.
    """
    gap = x - k / n if x < rest else (n - k) / n - rest
    total = peak
    if k > 0.0:
        step = gap * n / k
        total += k * (np.log1p(step) if abs(step) < 0.5 else np.log(x * n / k))
    if k < n:
        step = -gap * n / (n - k)
        total += (n - k) * (np.log1p(step) if abs(step) < 0.5 else np.log(rest * n / (n - k)))
    return total


@apart
def _deviance(x: float, mean: float) -> float:
    """Return ``x ln(x / mean) + mean - x``, accurate where x is near the mean."""
    if x <= 0.0:
        return mean
    step = (x - mean) / mean
    if abs(step) < 0.5:
        return mean * ((1.0 + step) * math.log1p(step) - step)
    return x * math.log(x / mean) + mean - x


@apart
def log_pmf(k: float, rest: float, p: float, q: float) -> float:
    """Return the logarithm of ``Binomial(k; n, p)``, ``rest = n - k``, ``q = 1 - p``.

    Both k and n - k are asked for: where one of them is small, the other would not tell its digits.

    >>> round(math.exp(log_pmf(1.0, 1.0, 0.5, 0.5)), 12)
    0.5
    """
    n = k + rest
    if p <= 0.0 or q <= 0.0:
        return 0.0 if (k if p <= 0.0 else rest) == 0.0 else -math.inf
    if k <= 0.0:
        return n * math.log1p(-p) if p < 0.5 else n * math.log(q)
    if rest <= 0.0:
        return n * math.log1p(-q) if q < 0.5 else n * math.log(p)
    return float(log_peak(k, rest) - _deviance(k, n * p) - _deviance(rest, n * q))


@apart
def _tail_ratio(k: float, rest: float, odds: float) -> float:
    """Return ``rest * integral of (1 - v)^(rest - 1) (1 + odds v)^k``."""
    top = rest - 1.0
    slope = max(top - k * odds, 0.0)
    bend = top + k * odds * odds
    root = math.sqrt(slope * slope + 2.0 * FALL * bend)
    end = 1.0 if slope + root <= 2.0 * FALL else 2.0 * FALL / (slope + root)
    while end < 1.0 and top * math.log1p(-end) + k * math.log1p(odds * end) > -FALL + 2.0:
        end = min(1.0, 1.4 * end)
    total = 0.0
    for i in range(POINTS.size):
        v = end * POINTS[i]
        total += WEIGHTS[i] * math.exp(top * math.log1p(-v) + k * math.log1p(odds * v))
    return rest * end * total


@apart
def lower_sum(  # noqa: PLR0911  one case, one return
    k: float, rest: float, p: float, q: float, rate: float
) -> float:
    """Return ``sum over s <= k of Binomial(s; n, p) exp(-rate (k - s))``, ``rest = n - k``.

    >>> round(lower_sum(1.0, 1.0, 0.5, 0.5, 0.0), 12)
    0.75
    """
    n = k + rest
    if k < 0.0:
        return 0.0
    if rest <= 0.0:
        fall = q * math.expm1(-rate)
        each = math.log1p(fall) if fall > -0.5 else math.log(p + q * math.exp(-rate))
        return math.exp(n * each + rate * rest)
    if p <= 0.0:
        return math.exp(-rate * k)
    if q <= 0.0:
        return 0.0
    odds = q / p * math.exp(-rate)
    if k * odds <= rest:
        last = log_pmf(k, rest, p, q)
        return math.exp(last) * _tail_ratio(k, rest, odds) if last > NOTHING else 0.0
    # Past the tilted mean: all there is, less what lies above k.
    # Both forms are the same; the one of smaller terms holds more digits.
    if k < rest:
        everything = math.exp(n * math.log1p(p * math.expm1(rate)) - rate * k)
    else:
        everything = math.exp(n * math.log1p(q * math.expm1(-rate)) + rate * rest)
    first = log_pmf(k + 1.0, rest - 1.0, p, q) + rate
    if first <= NOTHING:
        return everything
    above = math.exp(first) * _tail_ratio(rest - 1.0, k + 1.0, 1.0 / odds)
    return max(everything - above, 0.0)
