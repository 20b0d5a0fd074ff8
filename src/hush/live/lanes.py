"""Lanes: an arm's batches in one segment, of which one is open.

A batch is a set of decisions. Which batch a decision belongs to is settled when it is registered;
how many a batch takes depends on releases and on decisions, never on rewards. An open batch's
count is kept in its lane; what was summed of it already, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from hush.live.database import Database
from hush.live.terms import MOST_EPOCHS, Terms

__all__ = ["Lane", "Lanes", "batch_number"]


def batch_number(lane: int, epoch: int) -> int:
    """Return the number that stands for a batch in ids and tables."""
    return lane * MOST_EPOCHS + epoch


@dataclass(slots=True)
class Lane:
    """The open batch of an arm, and how many decisions there were.

    Attributes
    ----------
    lane
        Its own number.
    epoch
        Which of the arm's batches is open.
    wanted
        How many decisions it takes; 0 before its first one.
    count
        How many it has.
    sum
        What was summed of it already; private.
    last
        Its last deadline.
    closes
        When it is closed though not full; None for never.
    folds
        When bits are to be summed whose deadline has passed; None where none wait.
    learnt, passed, served
        How many decisions were registered in all, how many of them wait for no reward any longer,
        and how many were made.
    """

    lane: int
    experiment: int
    segment: int
    arm: int
    epoch: int = 0
    wanted: int = 0
    count: int = 0
    sum: int = 0
    last: int = 0
    closes: int | None = None
    folds: int | None = None
    learnt: int = 0
    passed: int = 0
    served: int = 0

    @property
    def batch(self) -> int:
        """The number of the open batch."""
        return batch_number(self.lane, self.epoch)

    def takes(self, more: int) -> bool:
        """Tell whether the open batch takes so many more decisions and is not full then."""
        return bool(
            self.count
            and self.count + more < self.wanted
            and self.folds is not None
            and self.epoch < MOST_EPOCHS
        )

    @property
    def lacking(self) -> int:
        """How many more decisions the open batch takes; 0 where none is open."""
        return self.wanted - self.count if self.count else 0

    def __repr__(self) -> str:
        return f"<lane {self.lane}: batch {self.epoch}, {self.count} of {self.wanted}>"


NAMES = tuple(field.name for field in fields(Lane))
COLUMNS = ", ".join(f'"{name}"' for name in NAMES)
# All that most decisions change: no index has them.
COUNTERS = ("count", "last", "learnt", "served")
CHANGED = NAMES[4:]
AT_ONCE = 100
# Only if the batch is still open, and takes them without being full.
ADD = (
    'UPDATE lanes SET "count" = "count" + ?, learnt = learnt + ?, served = served + ?, '
    '"last" = CASE WHEN "last" < ? THEN ? ELSE "last" END '
    'WHERE lane = ? AND epoch = ? AND "count" > 0 AND "count" + ? < wanted AND folds IS NOT NULL '
    "RETURNING lane"
)


def _update(names: tuple[str, ...]) -> str:
    changes = ", ".join(f'"{name}" = ?' for name in names)
    return f"UPDATE lanes SET {changes} WHERE lane = ?"  # noqa: S608


UPDATES = {names: (_update(names), attrgetter(*names, "lane")) for names in (COUNTERS, CHANGED)}


class Lanes:
    """The lanes of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, experiment: int, segment: int) -> list[Lane]:
        """Return the lanes of a segment, by arm."""
        return self._read("experiment = ? AND segment = ? ORDER BY arm", (experiment, segment))

    def all_of(self, experiment: int) -> list[Lane]:
        """Return all lanes of an experiment."""
        return self._read("experiment = ? ORDER BY segment, arm", (experiment,))

    def all(self) -> list[Lane]:
        """Return all lanes of the store."""
        return self._read("lane > ? ORDER BY lane", (0,))

    def kept(self, lanes: Iterable[int]) -> list[Lane]:
        """Return lanes by number, and keep others from changing them until the commit.

        All keep them in the order of their numbers, so that nobody waits for each other.
        """
        wanted, found = sorted(lanes), []
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            marks = ", ".join("?" * len(some))
            found += self._read(f"lane IN ({marks}) ORDER BY lane{self._database.locking}", some)
        return found

    def to_close(self, now: int, most: int) -> list[Lane]:
        """Return lanes whose open batch has reached its age."""
        return self._read(f"closes <= ? ORDER BY closes, lane LIMIT {most}", (now,))

    def to_fold(self, now: int, most: int) -> list[Lane]:
        """Return lanes with bits that may be summed."""
        return self._read(f"folds <= ? ORDER BY folds, lane LIMIT {most}", (now,))

    def _read(self, where: str, values: Sequence[int]) -> list[Lane]:
        rows = self._database.run(f"SELECT {COLUMNS} FROM lanes WHERE {where}", values)  # noqa: S608
        return [Lane(*row) for row in rows]

    def make(self, experiment: int, segment: int, arm: int, epoch: int = 0) -> None:
        """Make a lane for an arm, unless it has one."""
        self._database.run(
            'INSERT INTO lanes (lane, experiment, segment, arm, epoch, wanted, "count", "sum", '
            '"last", learnt, passed, served) '
            "SELECT COALESCE(MAX(lane), 0) + 1, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0 "
            "FROM lanes WHERE true ON CONFLICT (experiment, segment, arm) DO NOTHING",
            (experiment, segment, arm, epoch),
        )

    def put(self, lanes: Iterable[Lane]) -> None:
        """Write lanes back."""
        self._put(lanes, CHANGED)

    def put_counters(self, lanes: Iterable[Lane]) -> None:
        """Write back what a decision changes that neither opens nor fills a batch."""
        self._put(lanes, COUNTERS)

    def add(self, lanes: Iterable[tuple[Lane, tuple[int, int]]]) -> None:
        """Add to open batches by how much lanes are beyond the count and the served given.

        They are kept from here to the commit alone. A batch that was closed meanwhile, or is full
        with what others added, undoes the transaction.
        """
        rows = []
        for lane, (count, served) in sorted(lanes, key=lambda each: each[0].lane):
            more, last = lane.count - count, lane.last
            rows.append((more, more, lane.served - served, last, last, lane.lane, lane.epoch, more))
        self._database.surely(ADD, rows)

    def _put(self, lanes: Iterable[Lane], names: tuple[str, ...]) -> None:
        update, row = UPDATES[names]
        self._database.many(update, [row(lane) for lane in lanes])

    def close(self, lane: Lane, terms: Terms) -> None:
        """Close the open batch: it settles when its time has come, and the next one may open."""
        self._database.run(
            "INSERT INTO batches (batch, experiment, segment, arm, epoch, "
            '"count", "sum", due, folds) '
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                lane.batch,
                lane.experiment,
                lane.segment,
                lane.arm,
                lane.epoch,
                lane.count,
                lane.sum,
                terms.due(lane.last),
                lane.folds,
            ),
        )
        lane.epoch += 1
        lane.wanted = lane.count = lane.sum = lane.last = 0
        lane.closes = lane.folds = None
