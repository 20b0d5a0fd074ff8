"""Rewards that wait to be sent together, at times that have nothing to do with them.

A buffer that is sent when it is full would tell by its times how many rewards came. This one is
sent at multiples of a period from the moment it was made, whatever is in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from hush.errors import AccessError, MisuseError

__all__ = ["RewardBuffer", "Waiting"]

MOST = 1_000_000


@dataclass(frozen=True, eq=False)
class Waiting:
    """A reward that waits, and since when."""

    decision: str = field(repr=False)
    value: float = field(repr=False)
    since: float


class RewardBuffer:
    """The last reward of each decision, until a service has answered to it.

    Parameters
    ----------
    period
        Seconds from one flush to the next.
    keep
        For how many seconds a reward is tried.
    clock
        Seconds that never go back.

    Examples
    --------
    >>> now = 100.0
    >>> buffer = RewardBuffer(5.0, 3600.0, lambda: now)
    >>> buffer.put("some id", 1.0)
    >>> now = 107.0
    >>> buffer.due()  # the next flush is 10 seconds after the first moment
    3.0
    """

    def __init__(self, period: float, keep: float, clock: Callable[[], float]) -> None:
        self._period, self._keep, self._clock = period, keep, clock
        self._began = clock()
        self._lock = Lock()
        self._waiting: dict[str, Waiting] = {}
        self.refusal: AccessError | None = None

    def due(self) -> float:
        """Return in how many seconds the next flush is: a function of the clock alone."""
        return self._period - (self._clock() - self._began) % self._period

    def put(self, decision: str, value: float) -> None:
        """Let a reward wait; it takes the place of an earlier one of its decision."""
        if self.refusal is not None:
            raise AccessError(str(self.refusal))
        with self._lock:
            if len(self._waiting) >= MOST and decision not in self._waiting:
                raise MisuseError(
                    f"{MOST:,} rewards wait to be sent: flush more often, or find out why the "
                    "service does not take them"
                )
            self._waiting[decision] = Waiting(decision, value, self._clock())

    def all(self) -> list[Waiting]:
        """Return what waits; what has waited for too long is dropped."""
        with self._lock:
            oldest = self._clock() - self._keep
            for each in [one for one in self._waiting.values() if one.since < oldest]:
                del self._waiting[each.decision]
            return list(self._waiting.values())

    def drop(self, answered: Waiting) -> None:
        """Forget a reward that was answered, unless another one took its place meanwhile."""
        with self._lock:
            if self._waiting.get(answered.decision) is answered:
                del self._waiting[answered.decision]
