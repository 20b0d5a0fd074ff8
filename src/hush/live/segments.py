"""What a process remembers of experiments, and how it knows that it is not stale."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from hush.errors import NoDecisionError
from hush.live.database import Database
from hush.live.journal import Journal
from hush.live.lanes import Lane, Lanes
from hush.live.planning import Arms, Knobs, Plan
from hush.live.terms import NAME, Terms

__all__ = ["Known", "Memory", "Segment"]

MOST_KNOWN = 200_000


@dataclass
class Segment:
    """A segment's plan and lanes."""

    plan: Plan
    lanes: list[Lane]
    checked: int = -1
    under_way: int = 0  # decisions of the running transaction
    _served: int = 0  # those before it

    @property
    def round(self) -> int:
        """The number of the next decision."""
        if not self.under_way:
            self._served = sum([lane.served for lane in self.lanes])
        return self._served + self.under_way + 1

    def catch_up(self) -> None:
        """Let the plan know what was decided."""
        lanes = self.lanes
        self.plan.catch_up(
            [lane.learnt for lane in lanes],
            [lane.passed for lane in lanes],
            [lane.count for lane in lanes],
            [lane.lacking for lane in lanes],
        )


@dataclass
class Known:
    """What is known of one experiment."""

    id: int
    name: str
    terms: Terms
    state: str
    version: int
    arms: Arms
    knobs: Knobs
    charges: int
    released: int
    segments: dict[int, Segment] = field(default_factory=dict)
    checked: int = -1

    @property
    def begun(self) -> bool:
        """Whether it was started."""
        return self.state not in ("draft", "rehearsal")

    @property
    def learns(self) -> bool:
        """Whether decisions are registered."""
        return self.state == "running"


class Memory:
    """Experiments as this process knows them, brought up to date when another may have written.

    Everything here is public, and used inside a transaction of the private store.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._journal = Journal(database)
        self._lanes = Lanes(database)
        self._known: OrderedDict[int, Known] = OrderedDict()
        self._ids: dict[str, int] = {}
        self._looks = 0  # what was checked before the last one may be stale

    def look(self) -> None:
        """Notice whether others may have written; at the start of a transaction."""
        if not self._database.fresh:
            self.doubt()

    def doubt(self) -> None:
        """Believe nothing that is not read again."""
        self._looks += 1

    def doubt_of(self, experiments: Iterable[int]) -> None:
        """Believe nothing of these experiments that is not read again."""
        for number in experiments:
            known = self._known.get(number)
            if known is not None:
                known.checked = -1
                for segment in known.segments.values():
                    segment.checked = -1

    def forget(self, experiment: int) -> None:
        """Read an experiment anew when it is asked for next."""
        known = self._known.pop(experiment, None)
        if known is not None:
            self._ids.pop(known.name, None)

    def id_of(self, name: str) -> int | None:
        """Return the number of an experiment."""
        found = self._ids.get(name)
        if found is None and NAME.fullmatch(name):
            rows = self._database.run("SELECT id FROM experiments WHERE name = ?", (name,))
            found = int(rows[0][0]) if rows else None
            if found is not None:
                self._ids[name] = found
        return found

    def moment_of(self, version: int) -> int:
        """Return when a plan's version came about; 0 where the store has forgotten it."""
        entries = self._journal.after(version - 1, most=1)
        return entries[0].at if entries and entries[0].seq == version else 0

    def now(self, number: int) -> Known:
        """Return an experiment as it is now; outside transactions."""
        with self._database.lock:
            self.look()
            return self.experiment(number)

    def last(self, number: int) -> Known:
        """Return an experiment as it was known last."""
        known = self._known.get(number)
        return self.now(number) if known is None else known

    def experiment(self, number: int) -> Known:
        """Return an experiment, up to date; in a transaction that has looked."""
        known = self._known.get(number)
        if known is None or known.checked != self._looks:
            known = self._read(number, known)
            known.checked = self._looks
            self._known[number] = known
            if len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return known

    def _read(self, number: int, before: Known | None) -> Known:
        rows = self._database.run(
            "SELECT name, state, version, arms, knobs, terms, charges, released "
            "FROM experiments WHERE id = ?",
            (number,),
        )
        if not rows:
            raise NoDecisionError("this experiment is not in the store")
        name, state, version, arms, knobs, terms, charges, released = rows[0]
        if before is not None and before.version == version:
            return before
        return Known(
            id=number,
            name=name,
            terms=Terms.from_dict(json.loads(terms)) if before is None else before.terms,
            state=state,
            version=version,
            arms=Arms.from_text(arms),
            knobs=Knobs(**json.loads(knobs)),
            charges=charges,
            released=released,
            segments=self._carried(before, arms, knobs),
        )

    def _carried(self, before: Known | None, arms: str, knobs: str) -> dict[int, Segment]:
        """Return the segments whose plans only lack releases."""
        if before is None or before.arms != Arms.from_text(arms):
            return {}
        for segment in before.segments.values():
            segment.plan.knobs = Knobs(**json.loads(knobs))
        return before.segments

    def segment(self, known: Known, number: int) -> Segment:
        """Return a segment of an experiment, up to date."""
        found = known.segments.get(number)
        if (
            found is not None
            and found.checked == self._looks
            and found.plan.version == known.version
        ):
            return found
        if found is None:
            plan = Plan(known.terms, known.arms, known.knobs, number)
            found = known.segments[number] = Segment(plan, [])
        plan = found.plan
        # Outside SQLite's transactions there may be newer ones already; they come next time.
        new = self._journal.of(known.id, ("release",), plan.version)
        plan.absorb(entry for entry in new if entry.seq <= known.version)
        plan.version = known.version
        found.lanes = self._lanes.of(known.id, number) or [
            Lane(0, known.id, number, arm) for arm in range(len(known.arms.names))
        ]  # before the start there are none
        found.under_way = 0
        found.catch_up()
        found.checked = self._looks
        return found
