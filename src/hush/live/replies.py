"""Requests and their replies: a retry with the same key gets the same decision."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hush.errors import KeyReusedError
from hush.live.database import Database
from hush.live.ids import DeferredId
from hush.live.journal import written

__all__ = ["Again", "Made", "Replies", "Request"]

DAY = 86_400_000
CLAIM = (
    "INSERT INTO replies (request, person, segment, until) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (request) DO NOTHING"
)


@dataclass(slots=True)
class Request:
    """One decision that is asked for.

    Attributes
    ----------
    experiment, segment
        Their numbers.
    person
        The keyed hash.
    key
        The keyed hash of the idempotency key, or None.
    deferred
        The decision that is to be registered, where it was made before.
    """

    experiment: int
    segment: int
    person: bytes
    key: bytes | None = None
    deferred: DeferredId | None = None


@dataclass(slots=True)
class Made:
    """A decision that was made: what a reply says, and whether it was said before."""

    experiment: int
    id: str
    arm: int
    propensity: float
    expires: int
    plan: int
    again: bool = False

    def written(self) -> str:
        """Return it as text."""
        return written([self.id, self.arm, self.propensity, self.expires, self.plan])


class Again(Exception):  # noqa: N818  not an error: what was asked is asked again
    """A group is to be run again: one by one where it has several requests."""


class Replies:
    """The replies of a store, by the keyed hash of their key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(
        self,
        requests: dict[int, Request],
        until: dict[int, int],
        answers: dict[int, Made | Exception],
    ) -> None:
        """Answer those whose key was used before; the others' keys are theirs now.

        ``until`` says for each experiment how long its replies are kept.
        """
        keyed = [pair for pair in requests.items() if pair[1].key is not None]
        if not keyed:
            return
        keyed.sort(key=lambda pair: pair[1].key or b"")
        rows = [(each.key, each.person, each.segment, until[each.experiment]) for _, each in keyed]
        mine: set[bytes | None] = set()
        for (place, request), new in zip(keyed, self._database.changed(CLAIM, rows), strict=True):
            if new:
                mine.add(request.key)
            elif request.key in mine:  # twice in one group
                raise Again
            else:
                answers[place] = self._given(request)

    def _given(self, request: Request) -> Made | Exception:
        ((person, segment, body),) = self._database.run(
            "SELECT person, segment, body FROM replies WHERE request = ?", (request.key,)
        )
        if bytes(person) != request.person or segment != request.segment:
            return KeyReusedError(
                "this key was used for another person or segment; take a new one for each request"
            )
        return replace(Made(request.experiment, *json.loads(body)), again=True)

    def keep(self, made: Iterable[tuple[Request, Made]]) -> None:
        """Keep what was replied."""
        rows = [(each.written(), request.key) for request, each in made if request.key is not None]
        self._database.many("UPDATE replies SET body = ? WHERE request = ?", rows)
