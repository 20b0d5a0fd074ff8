"""Upper quantiles of what is known of a coin's mean, one at a time, to about twelve digits.

With ``y = 1 - q``, the chance that a Beta(S + 1, F + 1) draw exceeds q is the incomplete beta
function ``I_y(F + 1, S + 1)``, here by its continued fraction. Its logarithm is concave in y, so
that Newton's method from the left stays on the left. Chernoff's bound for coins is such a start.
"""

from __future__ import annotations

import math

import numpy as np

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.divergence import upper

__all__ = ["beta_upper"]

STEPS = 60
TERMS = 100_000
ENOUGH = 1e-15
NEAR = 1e-6
TINY = 1e-300


@apart
def beta_fraction(y: float, a: float, b: float) -> float:
    """Return the fraction of ``I_y(a, b) = y^a (1 - y)^b / (a B(a, b)) times it``, by Lentz."""
    c, d = 1.0, 1.0 - (a + b) * y / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    value = d
    for m in range(1, TERMS):
        even = m * (b - m) * y / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        odd = -(a + m) * (a + b + m) * y / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        change = 1.0
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = 1.0 + term / c
            c = c if abs(c) > TINY else TINY
            change = c * d
            value *= change
        if abs(change - 1.0) < ENOUGH:
            break
    return value


@apart
def beta_upper(successes: float, failures: float, tail: float) -> float:
    """Return the q that a ``Beta(successes + 1, failures + 1)`` draw exceeds with chance ``tail``.

    Numbers of both that are not whole will do, but for those between 0 and 1.
    """
    if tail >= 1.0:
        return 0.0
    a, b = failures + 1.0, successes + 1.0
    if failures == 0.0:
        return float(np.exp(np.log1p(-tail) / b))
    if successes == 0.0:
        return float(1.0 - np.exp(np.log(tail) / a))
    count = successes + failures + 1.0
    share = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - np.log(a) - np.log(tail)
    y = max(1.0 - upper(successes / count, -np.log(tail) / count), TINY)
    for _ in range(STEPS):
        fraction = beta_fraction(y, a, b)
        excess = share + a * np.log(y) + b * np.log1p(-y) + np.log(fraction)
        step = -excess * y * (1.0 - y) * fraction / a
        y = min(max(y + step, 0.5 * y), 0.5 * (1.0 + y))
        if abs(excess) < NEAR:  # the step that was just taken leaves about its square
            break
    return float(1.0 - y)
