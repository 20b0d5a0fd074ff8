"""The public store: a copy of the journal, and plans and tallies for readers.

It gets what was read back from the private store's journal, in order, each entry once; so it can
be lost, set back or written by two at a time, and is the same afterwards.
"""

from __future__ import annotations

from hush.errors import StoreError
from hush.live.database import Database
from hush.live.journal import Entry, Journal, written
from hush.live.lanes import Lanes
from hush.live.planning import plan_body
from hush.live.segments import Memory

__all__ = ["Publisher"]

PLAN = (
    "INSERT INTO plans (experiment, segment, version, body) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (experiment, segment) DO UPDATE SET version = excluded.version, "
    "body = excluded.body WHERE plans.version <= excluded.version"
)
TALLY = (
    "INSERT INTO tallies (experiment, segment, arm, served, learnt) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (experiment, segment, arm) DO UPDATE SET served = excluded.served, "
    "learnt = excluded.learnt"
)


class Publisher:
    """Brings the public store up to date."""

    def __init__(self, private: Database, public: Database, memory: Memory) -> None:
        self._private = private
        self._public = public
        self._origin = Journal(private)
        self._copy = Journal(public)
        self._memory = memory
        self._lanes = Lanes(private)

    def publish(self) -> None:
        """Copy what the public store lacks, with the plans that follow."""
        changed: set[int] = set()
        while entries := self._origin.after(self._copy.head().seq):
            changed |= self._copy_some(entries)
        self.plan(changed)

    def _copy_some(self, entries: list[Entry]) -> set[int]:
        with self._public.transaction(durable=True):
            head = self._copy.head(keep=True)
            before, changed = head.hash, set()
            for entry in entries:
                if entry.seq <= head.seq:  # another settler was faster
                    continue
                if not entry.follows(before):
                    raise StoreError("the journals of the two stores do not agree; see hush store check")
                self._copy.copy(entry)
                before = entry.hash
                changed.add(entry.experiment)
        return changed - {0}

    def plan(self, experiments: set[int]) -> None:
        """Write the plans of experiments for readers."""
        rows = []
        with self._private.lock:
            for number in sorted(experiments):
                known = self._memory.experiment(number)
                for place in range(len(known.terms.segments)):
                    segment = self._memory.segment(known, place)
                    body = plan_body(segment.plan, segment.round)
                    rows.append((number, place, segment.plan.version, written(body)))
        if rows:
            with self._public.transaction():
                self._public.many(PLAN, rows)

    def tally(self) -> None:
        """Write how many decisions there were: a function of visits alone."""
        rows = self._private.run(
            "SELECT experiment, segment, arm, served, learnt FROM lanes WHERE served > 0"
        )
        known = dict.fromkeys(
            self._public.run("SELECT experiment, segment, arm, served, learnt FROM tallies")
        )
        changed = [row for row in rows if row not in known]
        if changed:
            with self._public.transaction():
                self._public.many(TALLY, changed)
