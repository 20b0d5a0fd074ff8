"""How far a mean may lie from an estimate, one at a time: what compiled rules call.

The twin of :mod:`hush.numerics.divergence`, equal in every digit, without what does not matter for
the number at hand.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics import divergence
from hush.numerics.compiled.apart import apart
from hush.numerics.divergence import EDGE, FAR, ROUNDING, STEPS

__all__ = ["private_upper", "upper"]

nearby = njit(error_model="numpy")(divergence.nearby)
most_left = njit(error_model="numpy")(divergence.most_left)
closer = njit(error_model="numpy")(divergence.closer)
kl = njit(error_model="numpy")(divergence.kl)


@apart
def upper(p: float, c: float) -> float:
    """Return the largest q with ``kl(p, q) <= c``."""
    if p >= 1.0:
        return 1.0
    rest, x = 1.0 - p, nearby(p, c)
    if x > FAR * rest:
        left = most_left(p, c)
        if left * left < EDGE * rest:
            return float(1.0 - left)
        x = min(x, rest - left + ROUNDING)
    for _ in range(STEPS):
        x = closer(p, c, x)
    return float(min(p + x, 1.0))


@apart
def private_upper(p: float, c: float, epsilon: float) -> float:
    """Return the largest q with ``d_eps(p, q) <= c``."""
    turn = p / (p + (1.0 - p) * np.exp(-epsilon))
    if c > kl(p, turn):
        return float(min(np.expm1(-epsilon * p - c) / np.expm1(-epsilon), 1.0))
    return float(upper(p, c))
