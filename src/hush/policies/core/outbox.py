"""Releases on their way out: nobody acts on one before ``on_release`` has taken it."""

from __future__ import annotations

from collections.abc import Callable

from hush.errors import MisuseError
from hush.privacy import Release

__all__ = ["OnRelease", "Outbox"]

OnRelease = Callable[[Release], object]
"""Is handed each release before anything can act on it."""


class Outbox:
    """Hands releases to a function, in order, each until it is taken.

    A function that fails leaves the release here: the same one is handed out again later. So a
    release is drawn once, however often storing it fails.

    Attributes
    ----------
    take
        The function; without one nothing waits.
    waiting
        The releases that were not taken yet.
    handing
        Whether the function is being called.

    Examples
    --------
    >>> import hush
    >>> taken = []
    >>> outbox = Outbox()
    >>> outbox.take = taken.append
    >>> outbox.put(hush.Release(0, 0, 1, 0.5, "noisy-sum", 1.0))
    >>> outbox.flush()
    >>> len(taken), len(outbox.waiting)
    (1, 0)
    """

    def __init__(self) -> None:
        self.take: OnRelease | None = None
        self.waiting: list[Release] = []
        self.handing = False

    def put(self, release: Release) -> None:
        """Let a release wait for being taken."""
        if self.take is not None:
            self.waiting.append(release)

    def flush(self) -> None:
        """Hand out what waits; an error of the function is the caller's to hear."""
        if self.handing:
            raise MisuseError("on_release may read its learner, not use it: store and return")
        self.handing = True
        try:
            while self.waiting and self.take is not None:
                self.take(self.waiting[0])
                self.waiting.pop(0)
        finally:
            self.handing = False

    @property
    def untold(self) -> list[Release]:
        """What is waiting, less the one that is being taken: whoever stores a state has that."""
        return self.waiting[int(self.handing) :]
