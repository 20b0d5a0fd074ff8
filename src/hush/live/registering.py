"""Deciding and registering: a decision is chosen from the plan, and given a place in a batch.

One transaction of the private store, for as many decisions as came together. It asks for the
person's count, the batch's place and the reply in one go; nothing of it depends on a reward.

On a database server lanes change by additions that go with the commit, and undo it where a batch
was closed or filled meanwhile; then, and where one opens or fills, lanes are kept before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hush.errors import LifecycleError
from hush.live.database import Database, Overtaken
from hush.live.ids import DeferredId, bit_of, decision_text
from hush.live.keys import Keys
from hush.live.lanes import Lane, Lanes
from hush.live.odds import Firsts, Odds, Offers
from hush.live.replies import DAY, Again, Made, Replies, Request
from hush.live.segments import Known, Memory, Segment
from hush.live.terms import MOST_EPOCHS

__all__ = ["Registrar"]

MOST_ORDINALS = 2**31  # half of what an id holds
MEET = (
    "INSERT INTO people (experiment, person, given) VALUES (?, ?, 1) "
    "ON CONFLICT (experiment, person) DO NOTHING"
)
COUNT = "UPDATE people SET given = given + 1 WHERE experiment = ? AND person = ? AND given < ?"
VERSION = "SELECT version FROM experiments WHERE id = ? AND version = ?"
REGISTER = "INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?)"


@dataclass(slots=True)
class _Draft:
    """A decision on its way: an arm, and soon a place."""

    request: Request
    known: Known
    segment: Segment
    arm: int
    propensity: float
    plan: int
    learns: bool
    ordinal: int
    counts: bool
    odds: Odds | None  # None where it is not in the sample-ratio test


_Changing = dict[int, tuple[Lane, _Draft, int]]  # a decision of each lane, and how many learn


class Registrar:
    """Makes decisions and registers them.

    Parameters
    ----------
    database
        The private store's.
    worker
        64 random bits, drawn when the process opened the store.
    """

    def __init__(
        self,
        database: Database,
        memory: Memory,
        keys: Keys,
        generator: np.random.Generator,
        worker: int,
    ) -> None:
        self._database = database
        self._memory = memory
        self._lanes = Lanes(database)
        self._replies = Replies(database)
        self._keys = keys
        self._generator = generator
        self._worker = worker
        self._ordinals = itertools.count(1)
        self._offers = Offers()
        self.firsts = Firsts(database)

    def register(self, requests: list[Request], now: int) -> list[Made | Exception]:
        """Answer a list of requests in one transaction."""
        keep = False
        while True:
            try:
                with self._database.transaction():
                    self._memory.look()
                    self._renew()
                    answers, drafts = self._registered(requests, now, keep=keep)
            except BaseException as error:
                self._memory.doubt()  # what the plans were told did not happen
                keep = isinstance(error, Overtaken)
                if not keep and (not isinstance(error, Again) or len(requests) > 1):
                    raise
            else:
                self._add_firsts(drafts)
                self.firsts.write_in_time(now)
                return answers

    def _renew(self) -> None:
        """Take another name long before ordinals outgrow what an id holds."""
        if next(self._ordinals) >= MOST_ORDINALS:
            self._worker = (self._worker + 1 + 2**63) % 2**64 - 2**63
            self._ordinals = itertools.count(1)

    def _registered(
        self, requests: list[Request], now: int, *, keep: bool
    ) -> tuple[list[Made | Exception], Iterable[_Draft]]:
        answers: dict[int, Made | Exception] = {}
        asked: dict[int, Request] = {}
        named = {request.experiment for request in requests}
        known = {number: self._memory.experiment(number) for number in named}
        for place, request in enumerate(requests):
            if known[request.experiment].begun:
                asked[place] = request
            else:
                answers[place] = _not_begun(known[request.experiment])
        until = {number: now + max(each.terms.window, DAY) for number, each in known.items()}
        self._replies.claim(asked, until, answers)
        drafts = {
            place: self._draft(request, known[request.experiment])
            for place, request in asked.items()
            if place not in answers
        }
        self._count(drafts.values())
        made = self._place(drafts, now, keep=keep)
        self._replies.keep((requests[place], each) for place, each in made.items())
        answers.update(made)
        return [answers[place] for place in range(len(requests))], drafts.values()

    def _draft(self, request: Request, known: Known) -> _Draft:
        segment, learns = self._memory.segment(known, request.segment), known.learns
        plan, counts = segment.plan, learns
        deferred, odds = request.deferred, None
        if deferred is not None:
            arm, chance, version = deferred.arm, deferred.propensity, deferred.plan
            learns = learns and arm not in known.arms.retired
            odds = self._offers.of((known.id, request.segment, version), known.arms.retired)
        elif learns:
            arm, chance, odds = plan.choose(segment.round, self._generator)
            version = known.version
        else:
            arm, chance, version = known.knobs.control, 1.0, known.version
        if learns:
            plan.decided(arm)
        else:
            odds = None
        segment.under_way += counts
        ordinal = next(self._ordinals)
        return _Draft(request, known, segment, arm, chance, version, learns, ordinal, counts, odds)

    def _count(self, drafts: Iterable[_Draft]) -> None:
        """Count each person's decisions; beyond the bound nothing is learnt."""
        # In the same order always, so that nobody waits for each other.
        asked = sorted(
            [
                (draft.known.id, draft.request.person, draft.known.terms.person_bound, place, draft)
                for place, draft in enumerate(drafts)
                if draft.learns
            ]
        )
        new = self._database.changed(MEET, [each[:2] for each in asked])
        met = [each for each, first in zip(asked, new, strict=True) if not first]
        counted = self._database.changed(COUNT, [each[:3] for each in met])
        for (*_, draft), learns in zip(met, counted, strict=True):
            draft.odds = None  # others may depend on what she was shown first
            if not learns:
                self._drop(draft)

    def _add_firsts(self, drafts: Iterable[_Draft]) -> None:
        """Count people's first decisions for the sample-ratio test, together where alike."""
        same: dict[tuple[int, int], list[_Draft]] = {}
        for draft in drafts:
            if draft.odds is not None:
                same.setdefault((id(draft.segment), id(draft.odds)), []).append(draft)
        for each in same.values():
            arms = [draft.arm for draft in each]
            self.firsts.add(each[0].segment.lanes, each[0].odds or (), arms)

    def _drop(self, draft: _Draft) -> None:
        draft.learns, draft.odds = False, None
        draft.segment.plan.dropped(draft.arm)

    def _place(self, drafts: dict[int, _Draft], now: int, *, keep: bool) -> dict[int, Made]:
        mine = self._changing(drafts.values())
        shared = bool(self._database.locking)
        late = shared and not keep and all(lane.takes(more) for lane, _, more in mine.values())
        lanes = self._kept(mine) if shared and not late else [lane for lane, _, _ in mine.values()]
        before = [(lane.count, lane.served) for lane in lanes if late]
        rows: list[tuple[object, ...]] = []
        made: dict[int, Made] = {}
        opened: set[int] = set()
        worker, keys = self._worker, self._keys
        for place, draft in drafts.items():
            lane, terms, number = draft.segment.lanes[draft.arm], draft.known.terms, draft.known.id
            deadline, ordinal, batch = now + terms.window, draft.ordinal, lane.batch
            if draft.learns and lane.epoch >= MOST_EPOCHS:  # its next number is another lane's
                self._drop(draft)
            lane.served += draft.counts
            if draft.learns:
                bit = bit_of(terms.default_unit, worker, ordinal, keys)
                rows.append((batch, worker, ordinal, bit, deadline, draft.request.person))
                if self._enter(lane, draft, now, deadline):
                    opened.add(lane.lane)
            name = decision_text(keys, number, draft.plan, batch, worker, ordinal, deadline)
            made[place] = Made(number, name, draft.arm, draft.propensity, deadline, draft.plan)
        self._database.many(REGISTER, rows)
        if late:
            self._lanes.add(zip(lanes, before, strict=True))
            # After the lanes: from there on no act can come in between.
            self._database.surely(VERSION, _versions(mine))
        else:
            self._lanes.put(lane for lane in lanes if lane.lane in opened)
            self._lanes.put_counters(lane for lane in lanes if lane.lane not in opened)
        return made

    def _changing(self, drafts: Iterable[_Draft]) -> _Changing:
        """Return the lanes that decisions change."""
        mine: _Changing = {}
        for draft in drafts:
            draft.segment.under_way = 0
            if draft.counts:
                lane = draft.segment.lanes[draft.arm]
                _, _, more = mine.get(lane.lane, (lane, draft, 0))
                mine[lane.lane] = lane, draft, more + draft.learns
        return mine

    def _kept(self, mine: _Changing) -> list[Lane]:
        """Return lanes as they are now and until the commit."""
        lanes = self._lanes.kept(mine)
        # Whoever stops an experiment keeps its lanes: from here on no act can come in between.
        if not all(self._database.run(VERSION, row) for row in _versions(mine)):
            raise Again
        for lane in lanes:
            mine[lane.lane][1].segment.lanes[lane.arm] = lane
        return lanes

    def _enter(self, lane: Lane, draft: _Draft, now: int, deadline: int) -> bool:
        """Give a decision its place; tell whether more than counters changed."""
        terms = draft.known.terms
        opens = not lane.count or lane.folds is None
        if not lane.count:
            lane.wanted = draft.segment.plan.wants(lane.arm, lane.learnt)
            if terms.max_age is not None:
                lane.closes = terms.rounded(now + terms.max_age)
        if lane.folds is None:
            lane.folds = terms.due(deadline)
        lane.count += 1
        lane.learnt += 1
        lane.last = max(lane.last, deadline)
        if lane.count < lane.wanted:
            return opens
        self._lanes.close(lane, terms)
        return True

    def defer(self, request: Request, now: int, lasts: int) -> tuple[str, DeferredId]:
        """Choose an arm and register nothing: whoever was shown it activates the decision."""
        with self._database.lock:
            known = self._memory.now(request.experiment)
            if not known.begun:
                raise _not_begun(known)
            segment = self._memory.segment(known, request.segment)
            arm, chance = known.knobs.control, 1.0
            if known.learns:
                arm, chance, odds = segment.plan.draw(segment.round, self._generator)
                self._offers.note((known.id, request.segment, known.version), odds)
            self._renew()
            made = DeferredId(
                known.id,
                known.version,
                request.segment,
                arm,
                self._worker,
                next(self._ordinals),
                now + lasts,
                chance,
            )
        return made.text(self._keys, request.person), made


def _versions(mine: _Changing) -> list[tuple[int, int]]:
    return sorted({(draft.known.id, draft.known.version) for _, draft, _ in mine.values()})


def _not_begun(known: Known) -> LifecycleError:
    return LifecycleError(f"{known.name} is a {known.state}: start it before it decides")
