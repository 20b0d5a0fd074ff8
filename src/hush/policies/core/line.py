"""Lines of learners: who may go on from a state.

A learner, the states it gives, and the learners restored from them form a *line*. Two learners of
one line that both go on would each release the sums of the running epochs, with noise of their own.
So a line has one holder. What a process can know, it checks: a state that was continued is refused,
a learner whose state was restored goes on no more, and neither does one in a forked child. What
happened to a state in another process or on another machine cannot be seen from here.
"""

from __future__ import annotations

import os
import secrets
import threading
import weakref
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Protocol

from hush.errors import StateError, whole

__all__ = ["Holder", "Line", "continue_line", "watch"]

FORKED = (
    "this learner was made before a fork, and its parent process holds it too; make or restore "
    "learners after forking"
)
RESTORED = "this learner's state was restored; go on with the restored learner"
CONTINUED = (
    "this state was continued already: going on from it again would release the same sums twice; "
    "restore the newest state"
)


class Holder(Protocol):
    """A learner, as its line sees it."""

    _lock: threading.RLock

    def _bar(self, why: str) -> None:
        """Refuse to go on from now on."""

    def __hash__(self) -> int: ...


class Line:
    """How far a learner has come, and where in its line it stands.

    Attributes
    ----------
    identity
        Of the line; drawn when the first state is asked for.
    generation
        How often the line was restored.
    round, releases
        How many rounds were decided, and releases drawn.
    """

    __slots__ = ("elsewhere", "generation", "holder", "identity", "releases", "round")

    def __init__(self) -> None:
        self.identity = ""
        self.generation = 0
        self.round = 0
        self.releases = 0
        self.holder: weakref.ref[Holder] | None = None
        self.elsewhere = False

    def position(self) -> tuple[int, int, int]:
        """Return what grows as the line goes on."""
        return self.generation, self.round, self.releases

    def told(self, holder: Holder | None) -> dict[str, Any]:
        """Return what a state says of its line; with a holder, it is remembered here."""
        if holder is not None:
            with _LOCK:
                self.identity = self.identity or secrets.token_hex(16)
                self.holder = weakref.ref(holder)
                _KNOWN[self.identity] = self
        return {"id": self.identity, "generation": self.generation, "releases": self.releases}


_LOCK = threading.RLock()
_KNOWN: dict[str, Line] = {}
_LEARNERS: weakref.WeakSet[Holder] = weakref.WeakSet()


def watch(learner: Holder) -> None:
    """Let a learner hear of forks."""
    _LEARNERS.add(learner)


def continue_line(line: Line, told: Mapping[str, Any], *, strict: bool) -> None:
    """Let a restored learner's line go on from what its state told, or raise.

    ``strict`` is for secure noise. Noise for simulation is the same in every copy, so that nothing
    is lost by restoring a state often.
    """
    identity = told["id"]
    if not isinstance(identity, str):
        raise StateError("this state's line is damaged; restore from an intact copy")
    line.generation = whole("generation", told["generation"], least=0)
    line.releases = whole("releases", told["releases"], least=0)
    if not strict or not identity:
        return
    with _LOCK:
        known = _KNOWN.get(identity)
        holder = None if known is None or known.holder is None else known.holder()
        with nullcontext() if holder is None else holder._lock:
            if known is not None:
                if known.elsewhere or line.position() < known.position():
                    raise StateError(CONTINUED)
                if holder is not None:
                    holder._bar(RESTORED)
            line.identity = identity
            line.generation += 1
            _KNOWN[identity] = line


def _after_fork() -> None:
    global _LOCK  # noqa: PLW0603  another thread of the parent may have held it
    _LOCK = threading.RLock()
    for line in _KNOWN.values():
        line.elsewhere = line.elsewhere or (line.holder is not None and line.holder() is not None)
    for learner in list(_LEARNERS):
        learner._lock = threading.RLock()
        learner._bar(FORKED)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
