"""The normal law's tail and quantile, for numbers: Python calls them, and loops compile them."""

from __future__ import annotations

import math

__all__ = ["normal_above", "normal_tail"]

LEAST = 1e-300
STEPS = 4


def normal_tail(x: float) -> float:
    """Return the chance that a standard normal number exceeds x.

    >>> normal_tail(0.0), round(normal_tail(1.6448536269514722), 12)
    (0.5, 0.05)
    """
    return 0.5 * math.erfc(x / math.sqrt(2.0))


def normal_above(tail: float) -> float:
    """Return what a standard normal number exceeds with a chance, which counts as 1e-300 at least.

    Newton's method on the tail's logarithm, which is concave, from the rational start of Hastings
    (Abramowitz and Stegun 26.2.23).

    >>> round(normal_above(0.05), 12), normal_above(0.5) < 1e-15, round(normal_above(1e-300), 9)
    (1.644853626951, True, 37.047096299)
    """
    small = max(min(tail, 1.0 - tail), LEAST)
    root = math.sqrt(-2.0 * math.log(small))
    above = 2.515517 + (0.802853 + 0.010328 * root) * root
    below = 1.0 + (1.432788 + (0.189269 + 0.001308 * root) * root) * root
    x = root - above / below
    for _ in range(STEPS):
        found = 0.5 * math.erfc(x / math.sqrt(2.0))
        density = math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
        x += found / density * math.log(found / small)
    return x if tail <= 0.5 else -x
