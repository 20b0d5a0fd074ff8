"""Limits: decisions a second of a token, and posts of one decision's reward.

The two know nothing of each other. A reward's limit is its own id's: whether one is taken never
depends on what others post.
"""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["DecisionLimit", "RewardLimit"]

PERIOD = 10.0


class DecisionLimit:
    """Lets a token have so many decisions a second, and those of some seconds at once.

    Examples
    --------
    >>> now = 0.0
    >>> limit = DecisionLimit(rate=2.0, clock=lambda: now)
    >>> limit.wait("token", 4), limit.wait("token", 1)
    (0, 1)
    >>> now = 1.0
    >>> limit.wait("token", 2)
    0
    """

    def __init__(self, rate: float | None, clock: Callable[[], float], burst: float = 2.0) -> None:
        self._rate, self._clock = rate, clock
        self._most = 0.0 if rate is None else rate * burst
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, token: str, wanted: int) -> int:
        """Take so many decisions, or return how many seconds to wait before asking again."""
        if self._rate is None:
            return 0
        now = self._clock()
        left, since = self._buckets.get(token, (self._most, now))
        left = min(self._most, left + (now - since) * self._rate)
        short = min(wanted, self._most) - left
        if short > 0.0:
            self._buckets[token] = (left, now)
            return max(1, math.ceil(short / self._rate))
        self._buckets[token] = (left - wanted, now)
        return 0


class RewardLimit:
    """Lets each decision's reward be posted so many times in ten seconds.

    Examples
    --------
    >>> now = 0.0
    >>> limit = RewardLimit(most=2, clock=lambda: now)
    >>> limit.wait(7), limit.wait(7), limit.wait(7), limit.wait(8)
    (0, 0, 10, 0)
    """

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most, self._clock = most, clock
        self._period = -1
        self._posted: dict[object, int] = {}

    def wait(self, decision: object) -> int:
        """Take a post, or return how many seconds to wait before the next."""
        now = self._clock()
        period = int(now // PERIOD)
        if period != self._period:
            self._period, self._posted = period, {}
        posted = self._posted.get(decision, 0)
        if posted >= self._most:
            return max(1, math.ceil((period + 1) * PERIOD - now))
        self._posted[decision] = posted + 1
        return 0
