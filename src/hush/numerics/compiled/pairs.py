"""Two arms at once, compiled: the twin of :mod:`hush.numerics.pairs`, step by step."""

from __future__ import annotations

from hush.numerics import pairs
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.evidence import log_ratio
from hush.numerics.compiled.posterior import Posteriors
from hush.numerics.pairs import GOLDEN, STEPS, WITHIN

__all__ = ["leader_share", "least_pulls", "meeting", "top_of"]

UNIFORM = 0.0  # the logarithm of what makes a uniform prior's density integrate to 1

least_pulls = apart(pairs.least_pulls)
leader_share = apart(pairs.leader_share)


@apart
def together(posteriors: Posteriors, first: int, second: int, x: float) -> float:
    """Return the sum of two arms' log ratios; for a second arm of -1, the first one's alone."""
    value = log_ratio(posteriors, first, x, UNIFORM)
    return value if second < 0 else value + log_ratio(posteriors, second, x, UNIFORM)


@apart
def highest(
    posteriors: Posteriors, first: int, second: int, low: float, high: float
) -> tuple[float, float]:
    """Return where that sum is largest between two points, and how large."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_low = together(posteriors, first, second, low)
    at_left = together(posteriors, first, second, left)
    at_right = together(posteriors, first, second, right)
    at_high = together(posteriors, first, second, high)
    for _ in range(STEPS):
        most = max(at_low, at_left, at_right, at_high)
        if most - min(at_low, at_left, at_right, at_high) < WITHIN:
            break
        if at_left >= at_right:
            high, right, at_high, at_right = right, left, at_right, at_left
            left = high - GOLDEN * (high - low)
            at_left = together(posteriors, first, second, left)
        else:
            low, left, at_low, at_left = left, right, at_left, at_right
            right = low + GOLDEN * (high - low)
            at_right = together(posteriors, first, second, right)
    best, value = low, at_low
    for at, each in ((left, at_left), (right, at_right), (high, at_high)):
        if each > value:
            best, value = at, each
    return best, value


@apart
def top_of(posteriors: Posteriors, arm: int) -> tuple[float, float]:
    """Return where an arm's log ratio is largest, and how large."""
    return highest(posteriors, arm, -1, 0.0, 1.0)


@apart
def meeting(
    posteriors: Posteriors, arms: tuple[int, int], tops: tuple[float, float]
) -> tuple[float, float, float]:
    """Return the sum of two arms' log ratios at their meeting, and each of them there."""
    first, second = arms
    at, level = highest(posteriors, first, second, min(tops), max(tops))
    one = log_ratio(posteriors, first, at, UNIFORM)
    return level, one, log_ratio(posteriors, second, at, UNIFORM)
