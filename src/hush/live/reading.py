"""What anyone may know of a store: read from the public half alone.

Nothing here opens the private store, so a page, an export or a copy of the public store on another
machine can be made by this code and cannot leak.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

from hush.errors import unknown_name
from hush.live.clock import moment
from hush.live.database import Database
from hush.live.journal import Entry, Head, Journal
from hush.live.segments import Known, Memory
from hush.output.document import TableOf
from hush.privacy import Releases

__all__ = ["Overview", "Published", "Records", "overview_table"]

COUNTED = (
    "SELECT segment, arm, served, learnt, firsts, expected, spread FROM tallies "
    "WHERE experiment = ? ORDER BY segment, arm"
)


@dataclass(frozen=True)
class Published:
    """A release of a live experiment: one noisy sum over a batch of decisions.

    Attributes
    ----------
    segment, arm, name
        Whose batch it was: the segment, the arm's number and its name.
    epoch
        Which of the arm's batches in this segment, from 0.
    count
        How many decisions it had.
    value
        The noisy sum of their rewards, each mapped to [0, 1].
    mechanism, epsilon
        What noised it, and the loss of one reward.
    at
        When it appeared.
    seq
        Its place in the journal.

    Examples
    --------
    >>> import hush.live
    >>> clock = hush.live.ManualClock()
    >>> store = hush.live.open(":memory:", clock=clock)
    >>> exp = store.create("checkout", policy="LazyDPTS", arms=["old", "new"],
    ...                    person_epsilon=1.0, window="1h")
    >>> exp.start()
    >>> _ = exp.decide("u17")
    >>> clock.advance("2h")
    >>> store.settle()
    >>> release, = exp.releases
    >>> release.name, release.epoch, release.count, release.at.isoformat()
    ('old', 0, 1, '2026-01-01T01:02:00+00:00')
    """

    segment: str
    arm: int
    name: str
    epoch: int
    count: int
    value: float
    mechanism: str
    epsilon: float
    at: datetime
    seq: int

    def __repr__(self) -> str:
        where = f" in {self.segment}" if self.segment else ""
        return (
            f"<release {self.epoch} of {self.name}{where}: {self.count:,} decisions, noisy sum "
            f"{self.value:g}, {self.at:%Y-%m-%d %H:%M} UTC>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>"


@dataclass(frozen=True)
class Overview:
    """An experiment in short.

    ``tallies`` has the segment, the arm, and how many decisions were made and learnt from.
    """

    name: str
    state: str
    releases: int
    tallies: tuple[tuple[str, str, int, int], ...]


def overview_table(experiments: Iterable[Overview]) -> TableOf:
    """Return a row per experiment, for a notebook."""
    rows = []
    for each in experiments:
        counts = [(served, learnt) for _, _, served, learnt in each.tallies]
        served, learnt = (sum(column) for column in zip((0, 0), *counts, strict=True))
        rows.append((each.name, each.state, f"{served:,}", f"{learnt:,}", f"{each.releases:,}"))
    return TableOf(("experiment", "state", "decisions", "learnt", "releases"), tuple(rows))


class Records:
    """The public store, as readers want it."""

    def __init__(self, public: Database) -> None:
        self._public = public
        self._memory = Memory(public)
        self._journal = Journal(public)

    def head(self) -> Head:
        """Return how far the public store goes."""
        return self._journal.head()

    def names(self) -> list[tuple[int, str]]:
        """Return the number and the name of every experiment, in the order of their making."""
        return [
            (int(number), str(name))
            for number, name in self._public.run("SELECT id, name FROM experiments ORDER BY id")
        ]

    def overview(self) -> list[Overview]:
        """Return every experiment in short, with few queries however many there are."""
        tallies: dict[int, list[tuple[str, str, int, int]]] = {}
        names: dict[int, tuple[list[str], list[str]]] = {}
        with self._public.lock:
            rows = self._public.run(
                "SELECT id, name, state, released, arms, terms FROM experiments ORDER BY id"
            )
            counts = self._public.run(
                "SELECT experiment, segment, arm, served, learnt FROM tallies "
                "ORDER BY experiment, segment, arm"
            )
        for number, _, _, _, arms, terms in rows:
            names[number] = json.loads(terms)["segments"], [each[0] for each in json.loads(arms)]
        for number, segment, arm, served, learnt in counts:
            segments, arms = names[number]
            mine = (segments[segment], arms[arm], int(served), int(learnt))
            tallies.setdefault(number, []).append(mine)
        return [
            Overview(name, state, int(released), tuple(tallies.get(number, ())))
            for number, name, state, released, _, _ in rows
        ]

    def known(self, number: int) -> Known:
        """Return an experiment as the public store has it."""
        with self._public.lock:
            self._memory.doubt()  # it does not notice what this process itself wrote
            return self._memory.experiment(number)

    def plans(self, number: int) -> dict[str, dict[str, Any]]:
        """Return the current plan of every segment."""
        names = self.known(number).terms.segments
        rows = self._public.run(
            "SELECT segment, body FROM plans WHERE experiment = ? ORDER BY segment", (number,)
        )
        return {names[segment]: json.loads(body) for segment, body in rows}

    def releases(self, number: int, after: int = 0) -> Releases[Published]:
        """Return everything that was released after a place in the journal, oldest first."""
        known = self.known(number)
        return Releases(
            Published(
                segment=known.terms.segments[body["segment"]],
                arm=body["arm"],
                name=known.arms.names[body["arm"]],
                epoch=body["epoch"],
                count=body["count"],
                value=body["value"],
                mechanism=body["mechanism"],
                epsilon=body["epsilon"],
                at=moment(entry.at),
                seq=entry.seq,
            )
            for entry in self._journal.of(number, ("release",), after)
            for body in (entry.body,)
        )

    def entries(self, number: int, kinds: tuple[str, ...], after: int = 0) -> list[Entry]:
        """Return an experiment's entries in the journal, of some kinds, after a place in it."""
        return self._journal.of(number, kinds, after)

    def acts(self, number: int) -> list[dict[str, Any]]:
        """Return what operators did, oldest first."""
        return [
            {"at": moment(entry.at).isoformat(), **entry.body}
            for entry in self._journal.of(number, ("act",))
        ]

    def tallies(self, number: int) -> list[dict[str, Any]]:
        """Return how many decisions there were of each arm, and how many are learnt from.

        What the sample-ratio test needs is with them: see :mod:`hush.live.sample_ratio`.
        """
        known = self.known(number)
        rows = self._public.run(COUNTED, (number,))
        return [
            {
                "segment": known.terms.segments[segment],
                "arm": known.arms.names[arm],
                "served": served,
                "learnt": learnt,
                "firsts": firsts,
                "expected": expected,
                "spread": spread,
            }
            for segment, arm, served, learnt, firsts, expected, spread in rows
        ]

    def counts(self, number: int) -> dict[int, dict[int, tuple[Any, ...]]]:
        """Return the tallies by the numbers of segments and arms, as they are stored."""
        found: dict[int, dict[int, tuple[Any, ...]]] = {}
        for segment, arm, *rest in self._public.run(COUNTED, (number,)):
            found.setdefault(segment, {})[arm] = tuple(rest)
        return found

    def total(self, population: str) -> float:
        """Return what was promised to a population in all."""
        ((total,),) = self._public.run(
            "SELECT total FROM populations WHERE name = ?", (population,)
        )
        return float(total)

    def populations(self) -> list[tuple[str, float | None, float]]:
        """Return every population: its name, its limit, and what was promised in all."""
        return [
            (str(name), most, float(total))
            for name, most, total in self._public.run(
                "SELECT name, most, total FROM populations ORDER BY name"
            )
        ]

    def ledger(self, population: str) -> dict[str, Any]:
        """Return what was promised to a population: the limit, the total, and every charge."""
        rows = self._public.run("SELECT most, total FROM populations WHERE name = ?", (population,))
        if not rows:
            known = [row[0] for row in self._public.run("SELECT name FROM populations")]
            raise unknown_name("population", population, known)
        names = dict(self.names())
        charges = [
            {
                "at": moment(entry.at).isoformat(),
                "experiment": names[entry.experiment],
                "act": entry.body["act"],
                "charge": entry.body["charge"],
                "total": entry.body["total"],
            }
            for entry in self._journal.acts()
            if entry.body.get("population") == population
        ]
        return {
            "population": population,
            "limit": rows[0][0],
            "total": rows[0][1],
            "charges": charges,
        }
