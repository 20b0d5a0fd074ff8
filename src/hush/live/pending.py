"""Pending bits: the one place where what a reward said lies until it is summed.

A row is written with the default's bit when its decision is registered, and nothing tells whether
a reward came. After its deadline it is added to its batch's sum and deleted, in one transaction.
Only settlement, the door for rewards, erasure and the counting of a check may use this module; an
import contract holds that.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from hush.live.database import Database
from hush.live.ids import bit_of
from hush.live.keys import Keys
from hush.live.terms import MOST_EPOCHS

__all__ = ["Pending"]


class Pending:
    """The pending bits of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, bits: Iterable[tuple[int, int, int, int]]) -> None:
        """Write bits of decisions: (bit, batch, worker, ordinal); one that is gone stays gone.

        In the order of their rows, so that two who write the same ones never wait for each other;
        of two bits for one row the later stays.
        """
        in_order = sorted(bits, key=itemgetter(1, 2, 3))
        self._database.many(
            "UPDATE pending SET bit = ? WHERE batch = ? AND worker = ? AND ordinal = ?", in_order
        )

    def fold(self, batch: int, before: int | None = None) -> tuple[int, int]:
        """Delete a batch's rows, all or those of deadlines before a time; return count and sum."""
        if before is None:
            rows = self._database.run("DELETE FROM pending WHERE batch = ? RETURNING bit", (batch,))
        else:
            rows = self._database.run(
                "DELETE FROM pending WHERE batch = ? AND deadline < ? RETURNING bit",
                (batch, before),
            )
        return len(rows), sum(int(row[0]) for row in rows)

    def next_deadline(self, batch: int) -> int | None:
        """Return the first deadline of those that wait."""
        ((first,),) = self._database.run(
            "SELECT min(deadline) FROM pending WHERE batch = ?", (batch,)
        )
        return None if first is None else int(first)

    def waiting(self) -> dict[int, int]:
        """Return how many rows of each batch there are."""
        rows = self._database.run("SELECT batch, count(*) FROM pending GROUP BY batch")
        return {int(batch): int(count) for batch, count in rows}

    def beyond_counts(self) -> list[tuple[int, int]]:
        """Return experiments with people of more rows than they were counted for, and how many."""
        rows = self._database.run(
            "SELECT experiment, count(*) FROM (SELECT lanes.experiment AS experiment, person, "  # noqa: S608
            f"count(*) AS size FROM pending JOIN lanes ON lane = batch / {MOST_EPOCHS} "
            "GROUP BY lanes.experiment, person) AS mine WHERE size > COALESCE((SELECT given FROM "
            "people WHERE people.experiment = mine.experiment AND people.person = mine.person), 0) "
            "GROUP BY experiment ORDER BY experiment"
        )
        return [(int(number), int(persons)) for number, persons in rows]

    def erase(
        self, person: bytes, default_unit: float, batches: tuple[int, int], keys: Keys
    ) -> None:
        """Let a person's bits be the default's, in the batches of a range, for good.

        The rows get ordinals that no id has: a reward that comes afterwards finds none.
        """
        rows = self._database.run(
            "SELECT batch, worker, ordinal FROM pending WHERE batch BETWEEN ? AND ? "
            "AND person = ? AND ordinal > 0 ORDER BY batch, worker, ordinal",
            (*batches, person),
        )
        self._database.many(
            "UPDATE pending SET bit = ?, ordinal = -ordinal "
            "WHERE batch = ? AND worker = ? AND ordinal = ?",
            [
                (bit_of(default_unit, worker, ordinal, keys), batch, worker, ordinal)
                for batch, worker, ordinal in rows
            ],
        )
