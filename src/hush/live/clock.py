"""What time it is: an injected clock, and a guard that does not believe it blindly.

A batch settles when its time has come, so whoever sets the clock forward settles batches before
their rewards are there. Times are milliseconds since 1970.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Protocol, runtime_checkable

from hush.errors import ClockError
from hush.live.durations import UNITS, milliseconds, readable

__all__ = ["Clock", "GuardedClock", "ManualClock", "MeasuredClock", "SystemClock", "moment"]

JUMP = 5 * UNITS["m"]
DAY = UNITS["d"]


@lru_cache(maxsize=256)  # decisions that are made together expire together
def moment(at: int) -> datetime:
    """Return a time as a datetime.

    >>> moment(0).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(at / 1_000, UTC)


class Clock(Protocol):
    """Where a store reads the time: anything with these two methods.

    >>> clock: Clock = ManualClock()
    >>> clock.wall(), clock.boot()
    (1767225600000, 0)
    """

    def wall(self) -> int:
        """Return the time of day, in milliseconds since 1970."""

    def boot(self) -> int:
        """Return milliseconds of a clock that nobody can set."""


@runtime_checkable
class MeasuredClock(Clock, Protocol):
    """A clock that is elsewhere, and is asked now and then."""

    def measure(self) -> None:
        """Ask what time it is there."""


class SystemClock:
    """The machine's clocks.

    >>> SystemClock().wall() > 1_700_000_000_000
    True
    """

    def wall(self) -> int:
        """Return the time of day."""
        return time.time_ns() // 1_000_000

    def boot(self) -> int:
        """Return the time since the machine started, with the time that it slept."""
        return time.clock_gettime_ns(_STEADY) // 1_000_000

    def __repr__(self) -> str:
        return "SystemClock()"


_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class ManualClock:
    """A clock that stands still until it is told to move: for tests and rehearsals.

    >>> clock = ManualClock()
    >>> clock.advance("1d")
    >>> moment(clock.wall()).isoformat()
    '2026-01-02T00:00:00+00:00'
    """

    def __init__(self, start: int = 1_767_225_600_000) -> None:
        self._wall = start
        self._boot = 0

    def wall(self) -> int:
        """Return the time it was moved to."""
        return self._wall

    def boot(self) -> int:
        """Return by how much it was moved."""
        return self._boot

    def advance(self, length: str | float | timedelta) -> None:
        """Let time pass."""
        step = milliseconds("length", length)
        self._wall += step
        self._boot += step

    def jump(self, step: int) -> None:
        """Set the time of day by so many milliseconds, forward or back; no time passes."""
        self._wall += step

    def __repr__(self) -> str:
        return f"ManualClock({self._wall})"


class GuardedClock:
    """The time of a store: never before what was stored, and not ahead of what can be believed.

    A jump of over five minutes against the boot clock, or at opening a gap of over a day (or the
    longest window, if that is more) since the stored time, *holds* the clock: time then passes
    with the boot clock alone, and settlement waits until an operator has confirmed.

    Attributes
    ----------
    held
        Why the clock is held; None while it is not.

    Examples
    --------
    >>> clock = ManualClock()
    >>> guarded = GuardedClock(clock, stored=None, gap=0)
    >>> before = guarded.now()
    >>> clock.jump(3_600_000)
    >>> guarded.now() == before, guarded.held
    (True, 'the clock was set forward by 1h while this store was open')
    >>> guarded.confirm()
    >>> guarded.now() - before
    3600000
    """

    def __init__(self, clock: Clock, stored: int | None, gap: int) -> None:
        self._clock = clock
        self.held: str | None = None
        wall = clock.wall()
        self._last = wall if stored is None else max(wall, stored)
        self._anchor = self._last, clock.boot()
        if stored is not None:
            away = wall - stored
            if away > max(gap, DAY):
                self._hold(f"{readable(away)} have passed since this store was last in use", stored)
            elif away < -JUMP:
                self._hold(f"the clock is {readable(-away)} behind this store's time", stored)

    def _hold(self, why: str, last: int) -> None:
        self.held = why
        self._last = last
        self._anchor = last, self._clock.boot()

    def now(self) -> int:
        """Return the store's time, and hold it if the clock cannot be believed."""
        wall, boot = self._clock.wall(), self._clock.boot()
        expected = self._expected(boot)
        if self.held is None:
            jump = wall - expected
            if -JUMP <= jump <= JUMP:
                self._last = max(self._last, wall)
                self._anchor = wall, boot
                return self._last
            way = "forward" if jump > 0 else "back"
            self._hold(
                f"the clock was set {way} by {readable(abs(jump))} while this store was open",
                max(self._last, expected),
            )
            return self._last
        self._last = max(self._last, expected)
        return self._last

    def measure(self) -> None:
        """Ask a clock that is elsewhere what time it is; others need no asking."""
        if isinstance(self._clock, MeasuredClock):
            self._clock.measure()

    def _expected(self, boot: int) -> int:
        at, since = self._anchor
        return at + (boot - since)

    def read(self) -> int:
        """Return the same time and leave no trace: for rewards, which change nothing public.

        Else whether the clock is held would tell that a reward came while it was set wrong.
        """
        wall, expected = self._clock.wall(), self._expected(self._clock.boot())
        believed = self.held is None and -JUMP <= wall - expected <= JUMP
        return max(self._last, wall if believed else expected)

    def confirm(self) -> None:
        """Believe the clock from here on."""
        if self.held is None:
            return
        wall = self._clock.wall()
        if wall < self.now() - JUMP:
            raise ClockError(
                f"the clock is {readable(self._last - wall)} behind this store's time; set it "
                "right, then confirm"
            )
        self._last = max(self._last, wall)
        self._anchor = wall, self._clock.boot()
        self.held = None  # last: another thread may ask for the time at any moment
