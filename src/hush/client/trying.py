"""Trying again: how often, when, and for how long, where an answer did not come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hush.client.calls import Call, Failed, Heard, Reply, Send, Steps, Wait
from hush.client.understanding import Busy, plain, understood

__all__ = ["Trying", "Unsent"]

Found = TypeVar("Found")
FIRST, LONGEST = 0.1, 2.0


class Unsent(Busy):
    """A service that nothing was sent to, since it cannot be reached."""


@dataclass(frozen=True)
class Trying:
    """How calls are tried.

    A call that can be repeated is, whatever went wrong on the way; one that cannot is tried again
    only where nothing was sent. Pauses are drawn from zero to a limit that doubles, so that many
    clients do not come back at once.

    Attributes
    ----------
    timeout
        Seconds for a call in all. A try that may be repeated has half of what is left, the last one
        all of it.
    tries
        How many there are at most.
    clock
        Seconds that never go back.
    chance
        A random number in [0, 1).
    """

    timeout: float
    tries: int
    clock: Callable[[], float]
    chance: Callable[[], float]

    def steps(self, call: Call[Found], within: float | None = None) -> Steps[Found]:
        """Ask until there is an answer; ``within`` so many seconds, if that is less."""
        limit = self.timeout if within is None else min(within, self.timeout)
        end = self.clock() + limit
        whole = not call.idempotent or within is not None
        for turn in range(self.tries):
            left, last = max(end - self.clock(), 0.0), turn == self.tries - 1
            try:
                return (yield from self.once(call, left if last or whole else left / 2))
            except Busy as error:
                found, after = plain(error), error.after
                again = call.idempotent or isinstance(error, Unsent)
            pause = self._pause(turn, after)
            if last or not again or self.clock() + pause >= end:
                raise found
            yield Wait(pause)
        raise AssertionError  # the last try returns or raises

    def once(self, call: Call[Found], seconds: float) -> Steps[Found]:
        """Ask once."""
        heard = yield Send(call, seconds)
        return understood(call, _replied(call, heard))

    def _pause(self, turn: int, after: float | None) -> float:
        drawn = self.chance() * min(LONGEST, FIRST * 2.0**turn)
        return drawn + (after or 0.0)


def _replied(call: Call[Any], heard: Heard) -> Reply:
    if isinstance(heard, Reply):
        return heard
    if not isinstance(heard, Failed) or not heard.sent:
        raise Unsent("the service cannot be reached")
    text = "no answer came in time" if heard.late else "the connection was lost"
    if not call.idempotent:
        text += "; it may have been done all the same: look before you ask again"
    raise Busy(text)
