"""What a client remembers of an experiment: how far it has been, and the numbers of arms."""

from __future__ import annotations

from datetime import UTC, datetime
from threading import Lock

from hush.live import Decision

__all__ = ["Remembered"]


class Remembered:
    """How far an experiment has been, by the decisions that a client was given.

    A store that was set back as a whole cannot find out from inside. A client that was answered by
    a newer plan can tell it: the id of that decision is the evidence.

    Examples
    --------
    >>> known = Remembered()
    >>> for plan, name in ((3, "first"), (2, "second")):
    ...     known.note(Decision(name, 0, "old", 1.0, datetime.now(UTC), plan))
    >>> known.evidence
    'first'
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._numbers: dict[str, int] = {}
        self._forget()

    def _forget(self) -> None:
        self._plan, self._id, self._behind = -1, "", False

    @property
    def evidence(self) -> str | None:
        """The id to show at the next decision; None where nothing is odd."""
        with self._lock:
            return self._id if self._behind and self._id else None

    def forget(self) -> None:
        """Begin anew: the evidence was given."""
        with self._lock:
            self._forget()

    def note(self, decision: Decision, *, old: bool = False) -> None:
        """Look at a decision; one that is ``old`` may be of an earlier plan."""
        with self._lock:
            self._numbers[decision.name] = decision.arm
            if decision.plan < self._plan:
                self._behind |= not old
            elif not decision.deferred:  # an id that is not registered yet is no evidence
                self._plan, self._id = decision.plan, decision.id

    def fallback(self, name: str) -> Decision:
        """Return what to show where no answer came; nothing is learnt from it."""
        with self._lock:
            number = self._numbers.get(name, -1)
        return Decision("", number, name, 1.0, datetime.now(UTC), -1, deferred=True)
