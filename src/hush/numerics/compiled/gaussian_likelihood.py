"""The likelihood of :mod:`hush.numerics.gaussian_likelihood`, compiled: number by number."""

from __future__ import annotations

import numpy as np

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats
from hush.numerics.compiled.binomial import log_mass, log_peak
from hush.numerics.gaussian_likelihood import AROUND, BEYOND, STEPS, WIDE

__all__ = ["log_gaussian_likelihood"]

NEGLIGIBLE = 1e-13
MOST_TERMS = 2 * int(AROUND * WIDE + BEYOND)


@apart
def top_of(odds: float, count: float, noisy: float, precision: float) -> float:
    """Return about where the terms are largest."""
    most = np.log(0.5 * count + 0.5)
    place = most
    for _ in range(STEPS):
        b = np.exp(place)
        slope = np.log(count - b + 1.0) - place + odds + (noisy + 0.5 - b) * precision
        bend = -b / (count - b + 1.0) - 1.0 - b * precision
        step = slope / bend
        place = min(place - step, most)
        if abs(step) < 1e-3 / np.sqrt(b + 1.0):
            break
    return float(min(max(np.exp(max(place, -700.0)) - 0.5, 0.0), count))


@apart
def hill(top: float, off: float, x: float, rest: float, count: float, precision: float) -> float:
    """Return the sum of all terms relative to that at the top, from one to the next."""
    odds, shrink = x / rest, np.exp(-precision)
    total, term, b = 1.0, 1.0, top
    grow = np.exp(precision * (off - 0.5))  # what the noise makes of the next term
    for _ in range(MOST_TERMS):
        if b >= count:
            break
        term *= (count - b) / (b + 1.0) * odds * grow
        grow *= shrink
        b += 1.0
        total += term
        if term < NEGLIGIBLE * total:
            break
    term, b, grow = 1.0, top, np.exp(-precision * (off + 0.5))
    for _ in range(MOST_TERMS):
        if b <= 0.0:
            break
        term *= b / ((count - b + 1.0) * odds) * grow
        grow *= shrink
        b -= 1.0
        total += term
        if term < NEGLIGIBLE * total:
            break
    return total


@apart
def log_gaussian_likelihood(
    x: Floats, count: float, value: float, deviation: float, total: Floats
) -> None:
    """Add the log likelihood of a release to ``total``, for means x in (0, 1)."""
    precision = 1.0 / (deviation * deviation)
    for i in range(x.size):
        part, rest, noisy = x[i], 1.0 - x[i], value
        odds = np.log(part) - np.log(rest)
        if odds + (value - 0.5 * count) * precision > 0.0:
            part, rest, noisy, odds = rest, part, count - value, -odds
        place = top_of(odds, count, noisy, precision)
        width = 1.0 / np.sqrt(1.0 / (place + 0.5) + 1.0 / (count - place + 0.5) + precision)
        top = np.rint(place)
        off = noisy - top
        # Once more from there: beyond 2^53 a logarithm does not tell one number from the next.
        slope = np.log((count - top + 0.5) / (top + 0.5)) + odds + off * precision
        nearer = np.rint(slope * width * width)
        if abs(nearer) < top:
            top, off = top + nearer, off - nearer
        highest = log_mass(top, count, log_peak(top, count - top), part, rest)
        highest -= 0.5 * precision * off * off
        if width < WIDE:
            total[i] += highest + np.log(hill(top, off, part, rest, count, precision))
            continue
        stride = np.floor(width / 1.05)
        reach = int(np.ceil((AROUND * width + BEYOND) / stride))
        summed = 0.0
        for j in range(-reach, reach + 1):
            k = top + j * stride
            if 0.0 <= k <= count:
                each = log_mass(k, count, log_peak(k, count - k), part, rest)
                summed += np.exp(each - 0.5 * precision * (off - j * stride) ** 2 - highest)
        total[i] += highest + np.log(summed * stride)
