"""How likely a noisy sum of coin tosses is, for every mean of the coin.

A release is ``S = B + Z``: ``B`` binomial with ``n`` tosses of mean x, ``Z`` Laplace noise of scale
``1/epsilon``, continuous or discrete. Its likelihood is

    L(x) = sum over b of Binomial(b; n, x) exp(-epsilon |S - b|),

up to a constant that is the same for both kinds of noise. Tilting turns both halves of the sum into
binomial tails: ``Binomial(b; n, x) exp(epsilon b)`` is binomial again, with odds ``exp(epsilon)``
times those of x, times the moment generating function. A tail divided by its first term is a
continued fraction that converges in a few steps wherever the likelihood matters. So L is computed
exactly, to rounding, for every n: no normal approximation is needed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hush.numerics.binomial import log_mass

__all__ = [
    "CLEAR",
    "CLOSE",
    "FEW_TOSSES",
    "LEAST",
    "MOST_RARE",
    "NEARLY",
    "RARE",
    "log_likelihood",
]

Floats = NDArray[np.float64]

FEW_TOSSES = 512  # up to this many, the likelihood is summed term by term
LEAST = 1e-304  # of the noise's density: without it there would be a logarithm of 0
CLOSE = 1e-11  # the last step of a continued fraction, relative to it
RARE, MOST_RARE = 1e4, 1e6  # successes so rare, and so few, are summed term by term
NEARLY = 1e-6  # a share below it is not told from a difference to 1
CLEAR = 30.0  # noise this many times narrower than the binomial: then far tails need no care


def tail_fraction(a: Floats, b: Floats, x: Floats, rest: Floats) -> Floats:
    """Return the continued fraction of the incomplete beta function; ``rest = 1 - x``.

    Where x is so near 1 that the fraction would lose its digits, it is the sum that it stands for.
    """
    value = np.empty_like(x)
    rare = (a > RARE * b) & (b < MOST_RARE)
    for part, method in ((rare, tail_terms), (~rare, lentz)):
        if part.any():
            value[part] = method(a[part], b[part], x[part], rest[part])
    return value


def tail_terms(a: Floats, b: Floats, x: Floats, rest: Floats) -> Floats:
    """Return it as the sum of the tail's terms."""
    term = 1.0 / rest
    value = term.copy()
    for m in range(1, int(np.max(b))):
        term = term * np.maximum(b - m, 0.0) / (a + m) * x / rest
        value += term
        if (term < CLOSE * value).all():
            break
    return value


def lentz(a: Floats, b: Floats, x: Floats, rest: Floats) -> Floats:  # noqa: ARG001
    """Return it evaluated from the front (DLMF 8.17.22, Lentz).

    For ``x < (a + 1) / (a + b + 2)`` it converges: at once far in a tail, and after some
    ``(a + b)^(1/3)`` steps at the middle of the law.
    """
    total = a + b
    most = 60 + int(6.0 * float(np.max(total)) ** (1.0 / 3.0))
    c = np.ones_like(x)
    d = 1.0 / (1.0 - total * x / (a + 1.0))
    value = d.copy()
    for m in range(1, min(most, 20_000)):
        even = m * (b - m) * x / ((a + (2.0 * m - 1.0)) * (a + 2.0 * m))
        d = 1.0 / (1.0 + even * d)
        c = 1.0 + even / c
        value = value * (d * c)
        odd = -(a + m) * (total + m) * x / ((a + 2.0 * m) * (a + (2.0 * m + 1.0)))
        d = 1.0 / (1.0 + odd * d)
        c = 1.0 + odd / c
        step = d * c
        value = value * step
        if np.max(np.abs(step - 1.0)) < CLOSE:
            break
    return value


def log_half(k: float, n: float, x: Floats, rest: Floats, decay: float, clear: bool) -> Floats:
    """Return ``ln sum over b <= k of Binomial(b; n, x) exp(-decay (k - b))``, for 0 <= k < n."""
    grown = np.exp(-decay) * rest + x
    q = x / grown  # the tilted mean
    p = np.exp(-decay) * rest / grown
    middle = (k + 2.0) / (n + 3.0)
    if clear:  # the tilted law lies far above k wherever it matters
        least = middle + 10.0 * math.sqrt(middle * (1.0 - middle) / n)
        least = min(least, 0.5 + 0.5 * middle)
        p = np.where(q < least, 1.0 - least, p)
        q = np.maximum(q, least)
    lower = q > middle
    a = np.where(lower, n - k, k + 1.0)
    b = np.where(lower, k + 1.0, n - k)
    tail = np.where(lower, q, p) * tail_fraction(a, b, np.where(lower, p, q), np.where(lower, q, p))
    near = log_mass(k, n, x, rest) + np.log(tail)
    missing = np.exp(np.minimum(log_mass(k + 1.0, n, q, p), 0.0)) * tail
    # The moment generating function, in the form that keeps its digits near 0 or near 1.
    whole = np.where(
        x < rest,
        n * np.log1p(x * math.expm1(decay)) - decay * k,
        n * np.log1p(np.minimum(rest, 0.5) * math.expm1(-decay)) + decay * (n - k),
    )
    far = whole + np.log1p(-np.where(lower, 0.0, np.minimum(missing, 0.9)))
    return np.where(lower, near, far)


def log_shrunk(part: Floats, rest: Floats, epsilon: float) -> Floats:
    """Return ``ln(rest + part exp(-epsilon))`` for ``rest = 1 - part``, exact at both ends."""
    shrunk = rest + part * math.exp(-epsilon)
    steps = np.maximum(part * math.expm1(-epsilon), NEARLY - 1.0)
    return np.where(shrunk < NEARLY, np.log(shrunk), np.log1p(steps))


def summed(x: Floats, rest: Floats, count: int, value: float, epsilon: float) -> Floats:
    """Return ``ln L`` of a release of few tosses, summed term by term."""
    sums = np.arange(count + 1.0)
    ways = np.append(1.0, np.cumprod((count - sums[:-1]) / (sums[:-1] + 1.0)))
    weights = ways * np.maximum(np.exp(-epsilon * np.abs(value - sums)), LEAST)
    low = x < rest
    powers = np.exp(np.outer(np.log(np.minimum(x, rest) / np.maximum(x, rest)), sums))
    total: Floats = np.where(low, powers @ weights, powers @ weights[::-1])
    return count * np.where(low, np.log1p(-np.minimum(x, 0.5)), np.log(x)) + np.log(total)


def log_likelihood(x: Floats, rest: Floats, count: float, value: float, epsilon: float) -> Floats:
    """Return ``ln L`` for means x in (0, 1) with ``rest = 1 - x``, up to a constant.

    Parameters
    ----------
    x, rest
        The means, and 1 minus them, which may hold more digits.
    count, value
        The release: how many tosses, and their noisy sum.
    epsilon
        The noise has scale ``1 / epsilon``.

    Examples
    --------
    >>> x = np.array([0.2, 0.5, 0.8])
    >>> direct = np.log((1 - x) * np.exp(-0.5 * 1.3) + x * np.exp(-0.5 * 0.3))  # one toss, S = 1.3
    >>> np.round(log_likelihood(x, 1 - x, 1.0, 1.3, 0.5) - direct, 12) + 0.0
    array([0., 0., 0.])
    """
    k = math.floor(value)
    if k < 0.0:
        return epsilon * value + count * log_shrunk(x, rest, epsilon)
    if k >= count:
        return epsilon * (count - value) + count * log_shrunk(rest, x, epsilon)
    if count <= FEW_TOSSES:
        return summed(x, rest, int(count), value, epsilon)
    middle = (k + 1.0) / (count + 2.0)
    clear = epsilon * math.sqrt(count * middle * (1.0 - middle)) > CLEAR
    left = log_half(float(k), count, x, rest, epsilon, clear) - epsilon * (value - k)
    # The other half is the same for the tosses that failed.
    right = log_half(count - k - 1.0, count, rest, x, epsilon, clear)
    right = right - epsilon * (k + 1.0 - value)
    return np.logaddexp(left, right)
