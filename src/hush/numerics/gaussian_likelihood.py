"""How likely a sum of coin tosses with Gaussian noise is, for every mean of the coin.

A release is ``S = B + Z``: ``B`` binomial with ``n`` tosses of mean x, ``Z`` Gaussian noise of
deviation s, continuous or discrete. Its likelihood is, up to a constant,

    L(x) = sum over b of Binomial(b; n, x) exp(-(S - b)^2 / (2 s^2)).

Its terms are log-concave in b. Their top is found by Newton's method on ``ln(b + 1/2)``, in which
the slope is concave, so that it converges from anywhere. Around the top the terms are summed; where
they form a wide hill, of width w, only every m-th is, ``m <= w``, times m: for so smooth a hill the
trapezoidal rule errs by a share of ``exp(-18)`` at most, which is how much of the characteristic
function of the hill is left at the frequency ``2 pi / m``. The tests hold L against the full sum,
to a relative 1e-7.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hush.numerics.binomial import HALF_LOG_2PI, SMALL, clipped, stirling_error
from hush.numerics.likelihood import log_likelihood

__all__ = [
    "AROUND",
    "BEYOND",
    "STEPS",
    "WIDE",
    "log_gaussian_likelihood",
    "log_release_likelihood",
]

Floats = NDArray[np.float64]

FIRST_ERRORS = np.array([stirling_error(float(z)) for z in range(17)])
STEPS = 80  # of Newton's method, at most: each divides b by e, or doubles the digits
WIDE = 6.0  # width of a hill of which not every term is summed
AROUND, BEYOND = 8.0, 12.0  # widths, and terms, that are summed on either side of the top


def log_gaussian_likelihood(
    x: Floats, rest: Floats, count: float, value: float, deviation: float
) -> Floats:
    """Return ``ln L`` for means x in (0, 1) with ``rest = 1 - x``, up to a constant.

    Parameters
    ----------
    x, rest
        The means, and 1 minus them, which may hold more digits.
    count, value
        The release: how many tosses, and their noisy sum.
    deviation
        Of the noise.

    Examples
    --------
    >>> x = np.array([0.2, 0.5, 0.8])
    >>> direct = np.log((1 - x) * np.exp(-0.5 * 1.3**2) + x * np.exp(-0.5 * 0.3**2))  # one toss
    >>> np.round(log_gaussian_likelihood(x, 1 - x, 1.0, 1.3, 1.0) - direct, 9) + 0.0
    array([0., 0., 0.])
    """
    precision = deviation**-2.0
    odds = np.log(x) - np.log(rest)
    # The top lies in the lower half, of successes or of failures.
    upper = odds + (value - 0.5 * count) * precision > 0.0
    part, other = np.where(upper, rest, x), np.where(upper, x, rest)
    odds = np.where(upper, -odds, odds)
    noisy = np.where(upper, count - value, value)
    top = _top(odds, count, noisy, precision)
    width = 1.0 / np.sqrt(1.0 / (top + 0.5) + 1.0 / (count - top + 0.5) + precision)
    middle = np.rint(top)
    off = noisy - middle
    # Once more from there: beyond 2^53 a logarithm does not tell one number from the next.
    slope = np.log((count - middle + 0.5) / (middle + 0.5)) + odds + off * precision
    nearer = np.rint(slope * width * width)
    nearer = np.where(np.abs(nearer) < middle, nearer, 0.0)
    middle, off = middle + nearer, off - nearer
    stride = np.where(width < WIDE, 1.0, np.floor(width / 1.05))
    most = np.ceil((AROUND * width + BEYOND) / stride).max()
    offsets = np.arange(-most, most + 1.0) * stride[:, None]
    terms = _log_terms(middle[:, None], offsets, part[:, None], other[:, None], count)
    # Differences to the top are exact, where the sums themselves may have no more digits.
    terms -= 0.5 * precision * (off[:, None] - offsets) ** 2
    largest = terms.max(axis=1)
    total: Floats = largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1))
    return total + np.log(stride)


def log_release_likelihood(
    x: Floats, rest: Floats, count: float, value: float, epsilon: float, gaussian: bool
) -> Floats:
    """Return ``ln L`` of a release with Laplace or Gaussian noise of variance ``2 / epsilon^2``.

    >>> half = np.array([0.5])
    >>> [log_release_likelihood(half, half, 9.0, 4.5, 1.0, each).shape for each in (False, True)]
    [(1,), (1,)]
    """
    if gaussian:
        return log_gaussian_likelihood(x, rest, count, value, math.sqrt(2.0) / epsilon)
    return log_likelihood(x, rest, count, value, epsilon)


def _top(odds: Floats, count: float, noisy: Floats, precision: float) -> Floats:
    """Return about where the terms are largest: ``ln((n-b+1/2)/(b+1/2)) + odds`` meets the pull."""
    place = np.full(odds.shape, math.log(0.5 * count + 0.5))
    for _ in range(STEPS):
        b = np.exp(place)  # plus a half
        slope = np.log(count - b + 1.0) - place + odds + (noisy + 0.5 - b) * precision
        bend = -b / (count - b + 1.0) - 1.0 - b * precision
        step = slope / bend
        place = np.minimum(place - step, math.log(0.5 * count + 0.5))
        if (np.abs(step) < 1e-3 / np.sqrt(b + 1.0)).all():
            break
    top: Floats = np.clip(np.exp(np.maximum(place, -700.0)) - 0.5, 0.0, count)
    return top


def _log_terms(top: Floats, offsets: Floats, x: Floats, rest: Floats, count: float) -> Floats:
    """Return logarithms of binomial probabilities, of which tops and offsets tell the successes."""
    k = top + offsets
    inside = (k >= 0.0) & (k <= count)
    k = np.clip(k, 0.0, count)
    failed = count - k
    p, q = k / count, failed / count
    gap = np.where(x < rest, x - p, q - rest)
    up, down = gap / np.maximum(p, SMALL), -gap / np.maximum(q, SMALL)
    logs = _log_peaks(k, failed)
    for many, step, ratio in (
        (k, up, x / np.maximum(p, SMALL)),
        (failed, down, rest / np.maximum(q, SMALL)),
    ):
        near = np.abs(step) < 0.5
        logs = logs + many * np.where(near, np.log1p(clipped(step, 0.5)), np.log(ratio))
    return np.where(inside, logs, -np.inf)


def _log_peaks(k: Floats, rest: Floats) -> Floats:
    n = k + rest
    error = _errors(n) - _errors(k) - _errors(rest)
    both = np.maximum(k, SMALL) * np.maximum(rest, SMALL)
    peak = error + 0.5 * (np.log(n) - np.log(both)) - HALF_LOG_2PI
    return np.where((k > 0.0) & (rest > 0.0), peak, 0.0)


def _errors(z: Floats) -> Floats:
    """Return Stirling's errors, as :func:`hush.numerics.binomial.stirling_error` does."""
    large = np.maximum(z, 16.0)
    y = 1.0 / (large * large)
    far = 1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))
    near = FIRST_ERRORS[np.minimum(z, 16.0).astype(np.int64)]  # z is whole
    return np.where(z < 16.0, near, far / large)
