"""Whether registered decisions add up: in releases, batches, lanes, pending rows and people.

Everything here is about how many; what the rows say is never looked at.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import gt

from hush.live.database import Database
from hush.live.journal import Journal
from hush.live.lanes import Lane, Lanes
from hush.live.pending import Pending
from hush.live.terms import MOST_EPOCHS, Terms

__all__ = ["adding_up"]

Place = tuple[int, int, int]  # experiment, segment, arm
LIVE = ("running", "paused", "stopping")


@dataclass
class _Counts:
    """What was counted of one store."""

    names: dict[int, str] = field(default_factory=dict)
    states: dict[int, str] = field(default_factory=dict)
    terms: dict[int, Terms] = field(default_factory=dict)
    arms: dict[int, int] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    released: Counter[Place] = field(default_factory=Counter)
    epochs: Counter[tuple[int, int, int, int]] = field(default_factory=Counter)
    closed: Counter[Place] = field(default_factory=Counter)
    batches: dict[int, tuple[int, int]] = field(default_factory=dict)
    lanes: dict[int, Lane] = field(default_factory=dict)
    firsts: dict[Place, int] = field(default_factory=dict)
    pending: dict[int, int] = field(default_factory=dict)
    waiting: Counter[int] = field(default_factory=Counter)
    last: dict[Place, int] = field(default_factory=dict)

    def drew(self, place: Place, epoch: int) -> None:
        """Take note of a batch that is closed, sealed or released."""
        self.epochs[*place, epoch] += 1
        self.last[place] = max(epoch, self.last.get(place, epoch))

    def of(self, place: Place) -> str:
        """Return what a lane is called."""
        experiment, segment, arm = place
        return f"{self.names.get(experiment, '?')} (segment {segment}, arm {arm})"


def adding_up(private: Database, public: Database) -> list[str]:
    """Return what does not add up."""
    try:
        counts = _counts(private)
        found = [
            *_releases(private, counts),
            *_sealed(private, counts),
            *_closed(private, counts),
            *_lanes(private, counts),
            *_firsts(private, counts),
            *_pending(counts),
            *_people(private, counts),
            *_tallies(public, counts),
        ]
    except (ValueError, KeyError, TypeError):  # its words may hold a row
        return ["the private store holds what cannot be read; its decisions were not counted"]
    return found + [
        f"batch {epoch} of {counts.of((experiment, segment, arm))} is there more than once"
        for (experiment, segment, arm, epoch), times in counts.epochs.items()
        if times > 1
    ]


def _counts(private: Database) -> _Counts:
    counts = _Counts()
    rows = private.run("SELECT id, name, state, arms, terms FROM experiments ORDER BY id")
    for number, name, state, arms, terms in rows:
        counts.names[number], counts.states[number] = name, state
        counts.arms[number] = len(json.loads(arms))
        counts.terms[number] = Terms.from_dict(json.loads(terms))
    counts.pending = Pending(private).waiting()
    for batch, size in counts.pending.items():
        counts.waiting[batch // MOST_EPOCHS] += size
    return counts


def _releases(private: Database, counts: _Counts) -> Iterator[str]:
    for entry in Journal(private).all():
        if entry.kind == "act" and entry.body["act"] == "quarantine":
            counts.lost.add(entry.experiment)
        if entry.kind == "release":
            yield from _release(counts, entry.experiment, entry.body, f"entry {entry.seq}")


def _release(
    counts: _Counts, experiment: int, body: dict[str, object], which: str
) -> Iterator[str]:
    segment, arm, epoch, size = (int(str(body[k])) for k in ("segment", "arm", "epoch", "count"))
    counts.released[experiment, segment, arm] += size
    counts.drew((experiment, segment, arm), epoch)
    if experiment not in counts.terms:
        yield f"{which} is a release of no known experiment"
    elif body["epsilon"] != counts.terms[experiment].epsilon:
        yield f"{which} is a release at another epsilon than {counts.names[experiment]} promises"


def _sealed(private: Database, counts: _Counts) -> Iterator[str]:
    rows = private.run("SELECT batch, experiment, body FROM sealed ORDER BY batch")
    for batch, experiment, body in rows:
        yield from _release(counts, experiment, json.loads(body), f"sealed batch {batch}")


def _closed(private: Database, counts: _Counts) -> Iterator[str]:
    rows = private.run(
        'SELECT batch, experiment, segment, arm, epoch, "count", "sum" FROM batches ORDER BY batch'
    )
    for batch, experiment, segment, arm, epoch, size, total in rows:
        place = experiment, segment, arm
        counts.closed[place] += size
        counts.drew(place, epoch)
        counts.batches[batch] = experiment, size
        yield from _batch(counts, place, batch, size, total)


def _batch(counts: _Counts, place: Place, batch: int, size: int, total: int) -> Iterator[str]:
    waiting = counts.pending.get(batch, 0)
    name = f"batch {batch % MOST_EPOCHS} of {counts.of(place)}"
    if waiting > size:
        yield f"{name} has more pending rows than decisions"
    elif not 0 <= total <= size - waiting:
        yield f"{name} has a sum that its decisions cannot have"


def _lanes(private: Database, counts: _Counts) -> Iterator[str]:
    there: Counter[int] = Counter()
    for lane in Lanes(private).all():
        place = lane.experiment, lane.segment, lane.arm
        there[lane.experiment] += 1
        counts.lanes[lane.lane] = lane
        if lane.count:
            counts.batches[lane.batch] = lane.experiment, lane.count
        yield from _lane(counts, lane, place)
    for number, state in counts.states.items():
        wanted = counts.arms[number] * len(counts.terms[number].segments)
        if state in LIVE and wanted != there[number]:
            yield f"{counts.names[number]} is {state} and lacks lanes for its arms"


def _lane(counts: _Counts, lane: Lane, place: Place) -> Iterator[str]:
    name = counts.of(place)
    yield from _batch(counts, place, lane.batch, lane.count, lane.sum)
    if lane.learnt != counts.released[place] + counts.closed[place] + lane.count:
        yield f"the decisions of {name} do not add up to its releases and batches"
    waiting = counts.waiting[lane.lane]
    if lane.learnt != lane.passed + waiting:
        yield f"the decisions of {name} do not add up to those that wait and those that do not"
    if lane.learnt > lane.served:
        yield f"{name} learnt from more decisions than it made"
    if counts.last.get(place, -1) >= lane.epoch:
        yield f"{name} has a batch that is not behind its open one"


def _firsts(private: Database, counts: _Counts) -> Iterator[str]:
    rows = private.run(
        "SELECT experiment, segment, arm, served, firsts, expected, spread FROM lanes ORDER BY lane"
    )
    for *where, served, firsts, expected, spread in rows:
        place = (where[0], where[1], where[2])
        counts.firsts[place] = firsts
        if not 0 <= firsts <= served or not 0.0 <= spread <= expected:
            yield f"{counts.of(place)} has first decisions that do not add up"


def _pending(counts: _Counts) -> Iterator[str]:
    strays = sum(size for batch, size in counts.pending.items() if batch not in counts.batches)
    if strays:
        yield f"{strays} pending rows belong to no batch that is open or closed"


def _people(private: Database, counts: _Counts) -> Iterator[str]:
    rows = private.run(
        "SELECT experiment, min(given), max(given), sum(given) FROM people GROUP BY experiment"
    )
    given = {row[0]: row[1:] for row in rows}
    learnt: Counter[int] = Counter()
    for lane in counts.lanes.values():
        learnt[lane.experiment] += lane.learnt
    for number in sorted({*given, *learnt}):
        name = counts.names.get(number)
        least, most, total = given.get(number, (1, 0, 0))
        if name is None:
            yield "people are counted for no known experiment"
        elif least < 1 or most > counts.terms[number].person_bound:
            yield f"somebody's count in {name} is beyond the bound"
        elif number not in counts.lost and total < learnt[number]:
            yield f"{name} learnt from more decisions than people were counted for"
    for number, persons in Pending(private).beyond_counts():
        name = counts.names.get(number, "?")
        yield f"{persons} people have more pending decisions in {name} than they were counted for"


def _tallies(public: Database, counts: _Counts) -> Iterator[str]:
    lanes = {(lane.experiment, lane.segment, lane.arm): lane for lane in counts.lanes.values()}
    rows = public.run("SELECT experiment, segment, arm, served, learnt, firsts FROM tallies")
    for experiment, segment, arm, served, learnt, firsts in rows:
        place = experiment, segment, arm
        lane = lanes.get(place)
        if experiment in counts.lost:
            continue  # what was counted before is forgotten
        known = (-1, -1, -1) if lane is None else (lane.served, lane.learnt, counts.firsts[place])
        if any(map(gt, (served, learnt, firsts), known)):
            yield f"the public store's tally of {counts.of(place)} is ahead of its decisions"
