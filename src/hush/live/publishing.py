"""The public store: a copy of the journal, and plans and tallies for readers.

It gets what was read back from the private store's journal, in order, each entry once; so it can
be lost, set back or written by two at a time, and is the same afterwards.
"""

from __future__ import annotations

from hush.errors import StoreError
from hush.live.database import Database, Row
from hush.live.journal import Entry, Journal, written
from hush.live.planning import plan_body
from hush.live.segments import Memory

__all__ = ["Publisher"]

PLAN = (
    "INSERT INTO plans (experiment, segment, version, body) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (experiment, segment) DO UPDATE SET version = excluded.version, "
    "body = excluded.body WHERE plans.version <= excluded.version"
)
TALLIED = "experiment, segment, arm, served, learnt, firsts, expected, spread"
TALLY = (
    f"INSERT INTO tallies ({TALLIED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
    "ON CONFLICT (experiment, segment, arm) DO UPDATE SET served = excluded.served, "
    "learnt = excluded.learnt, firsts = excluded.firsts, expected = excluded.expected, "
    "spread = excluded.spread"
)
# An arm that was never chosen may have had a chance to be.
SERVED = f"SELECT {TALLIED} FROM lanes WHERE served > 0 OR expected > 0"  # noqa: S608


class Publisher:
    """Brings the public store up to date."""

    def __init__(self, private: Database, public: Database, memory: Memory) -> None:
        self._private = private
        self._public = public
        self._origin = Journal(private)
        self._copy = Journal(public)
        self._memory = memory
        self._told: set[Row] | None = None

    def publish(self) -> None:
        """Copy what the public store lacks, and in the same transaction the plans that follow."""
        with self._private.lock:
            entries = self._origin.after(self._copy.head().seq)
            plans: list[Row] = []
            while entries:
                changed = {entry.experiment for entry in entries} - {0}
                self._memory.look()
                plans = self._plans(changed)
                more = self._origin.after(entries[-1].seq)
                if not more:
                    break
                entries += more  # the plans may know of it already
        if entries:
            self._copy_all(entries, plans)

    def _copy_all(self, entries: list[Entry], plans: list[Row]) -> None:
        with self._public.transaction(durable=True):
            head = self._copy.head(keep=True)
            before = head.hash
            for entry in entries:
                if entry.seq <= head.seq:  # another settler was faster
                    continue
                if not entry.follows(before):
                    raise StoreError("the two stores' journals do not agree; see hush store check")
                self._copy.copy(entry)
                before = entry.hash
            self._public.many(PLAN, plans)

    def _plans(self, experiments: set[int]) -> list[Row]:
        rows: list[Row] = []
        for number in sorted(experiments):
            known = self._memory.experiment(number)
            for place in range(len(known.terms.segments)):
                segment = self._memory.segment(known, place)
                body = plan_body(segment.plan, segment.round)
                rows.append((number, place, segment.plan.version, written(body)))
        return rows

    def tally(self) -> None:
        """Write how many decisions there were: a function of visits alone."""
        if self._told is None:
            told = self._public.run(f"SELECT {TALLIED} FROM tallies")  # noqa: S608
            self._told = set(told)
        if self._told.issuperset(self._private.run(SERVED)):
            return
        with self._public.transaction():
            self._copy.head(keep=True)  # so that nobody writes what he read before
            rows = self._private.run(SERVED)
            self._public.many(TALLY, [row for row in rows if row not in self._told])
        self._told = set(rows)
