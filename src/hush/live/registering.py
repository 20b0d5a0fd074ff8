"""Deciding and registering: a decision is chosen from the plan, and given a place in a batch.

One transaction of the private store, for as many decisions as came together. It asks for the
person's count, the batch's place and the reply in one go; nothing of it depends on a reward.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from hush.errors import LifecycleError
from hush.live.database import Database
from hush.live.ids import DecisionId, DeferredId, coin_of
from hush.live.keys import Keys
from hush.live.lanes import Lane, Lanes
from hush.live.replies import DAY, Again, Made, Replies, Request
from hush.live.segments import Known, Memory, Segment
from hush.live.terms import MOST_EPOCHS

__all__ = ["Registrar"]

MOST_ORDINALS = 2**31  # half of what an id holds
COUNT = (
    "INSERT INTO people (experiment, person, given) VALUES (?, ?, 1) "
    "ON CONFLICT (experiment, person) DO UPDATE SET given = people.given + 1 "
    "WHERE people.given < ? RETURNING given"
)
VERSION = "SELECT version FROM experiments WHERE id = ?"
REGISTER = "INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?)"


@dataclass
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
    counts: bool = True


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

    def register(self, requests: list[Request], now: int) -> list[Made | Exception]:
        """Answer a list of requests in one transaction."""
        while True:
            try:
                with self._database.transaction():
                    self._memory.look()
                    self._renew()
                    return self._registered(requests, now)
            except BaseException as error:
                self._memory.doubt()  # what the plans were told did not happen
                if not isinstance(error, Again) or len(requests) > 1:
                    raise

    def _renew(self) -> None:
        """Take another name long before ordinals outgrow what an id holds."""
        if next(self._ordinals) >= MOST_ORDINALS:
            self._worker = (self._worker + 1 + 2**63) % 2**64 - 2**63
            self._ordinals = itertools.count(1)

    def _registered(self, requests: list[Request], now: int) -> list[Made | Exception]:
        answers: dict[int, Made | Exception] = {}
        for place, request in enumerate(requests):
            known = self._memory.experiment(request.experiment)
            if not known.begun:
                answers[place] = _not_begun(known)
        asked = {place: each for place, each in enumerate(requests) if place not in answers}
        self._replies.claim(asked, lambda request: now + self._kept_for(request), answers)
        drafts = {
            place: self._draft(request) for place, request in asked.items() if place not in answers
        }
        self._count(list(drafts.values()))
        made = self._place(drafts, now)
        self._replies.keep([(requests[place], each) for place, each in made.items()])
        answers.update(made)
        return [answers[place] for place in range(len(requests))]

    def _kept_for(self, request: Request) -> int:
        return max(self._memory.experiment(request.experiment).terms.window, DAY)

    def _draft(self, request: Request) -> _Draft:
        known = self._memory.experiment(request.experiment)
        segment = self._memory.segment(known, request.segment)
        ordinal = next(self._ordinals)
        if request.deferred is not None:
            old = request.deferred
            learns = known.learns and old.arm not in known.arms.retired
            draft = _Draft(
                request,
                known,
                segment,
                old.arm,
                old.propensity,
                old.plan,
                learns,
                ordinal,
                known.learns,
            )
        elif known.learns:
            arm, chance = segment.plan.choose(segment.round, self._generator)
            draft = _Draft(request, known, segment, arm, chance, known.version, True, ordinal)
        else:
            control = known.knobs.control
            return _Draft(
                request, known, segment, control, 1.0, known.version, False, ordinal, False
            )
        if draft.learns:
            segment.plan.decided(draft.arm)
        segment.under_way += draft.counts
        return draft

    def _count(self, drafts: list[_Draft]) -> None:
        """Count each person's decisions; beyond the bound nothing is learnt."""
        asked = [draft for draft in drafts if draft.learns]
        asked.sort(key=lambda draft: (draft.known.id, draft.request.person))
        rows = [
            (draft.known.id, draft.request.person, draft.known.terms.person_bound)
            for draft in asked
        ]
        for draft, counted in zip(asked, self._database.many(COUNT, rows), strict=True):
            if not counted:
                draft.learns = False
                draft.segment.plan.dropped(draft.arm)

    def _place(self, drafts: dict[int, _Draft], now: int) -> dict[int, Made]:
        lanes = self._kept(list(drafts.values()))
        rows: list[tuple[object, ...]] = []
        made: dict[int, Made] = {}
        opened: set[int] = set()
        for place, draft in drafts.items():
            lane = draft.segment.lanes[draft.arm]
            terms = draft.known.terms
            deadline = now + terms.window
            if draft.learns and lane.epoch >= MOST_EPOCHS:  # its next number is another lane's
                draft.learns = False
                draft.segment.plan.dropped(draft.arm)
            batch = lane.batch
            lane.served += draft.counts
            if draft.learns:
                bit = self._default(terms.default_unit, draft.ordinal)
                rows.append(
                    (batch, self._worker, draft.ordinal, bit, deadline, draft.request.person)
                )
                if self._enter(lane, draft, now, deadline):
                    opened.add(lane.lane)
            name = DecisionId(
                draft.known.id, draft.plan, batch, self._worker, draft.ordinal, deadline
            )
            made[place] = Made(
                draft.known.id,
                name.text(self._keys),
                draft.arm,
                draft.propensity,
                deadline,
                draft.plan,
            )
        self._database.many(REGISTER, rows)
        self._lanes.put(lane for lane in lanes if lane.lane in opened)
        self._lanes.put_counters(lane for lane in lanes if lane.lane not in opened)
        return made

    def _default(self, unit: float, ordinal: int) -> int:
        """Return the bit that counts where no reward comes; most defaults need no coin."""
        if unit in (0.0, 1.0):
            return int(unit)
        return int(coin_of(self._worker, ordinal, self._keys) < unit)

    def _kept(self, drafts: list[_Draft]) -> list[Lane]:
        """Return the lanes that decisions change, as they are now and until the commit."""
        mine = {}
        for draft in drafts:
            draft.segment.under_way = 0
            if draft.counts:
                mine[draft.segment.lanes[draft.arm].lane] = draft
        if not self._database.locking:
            return [draft.segment.lanes[draft.arm] for draft in mine.values()]
        lanes = self._lanes.kept(mine)
        # Whoever stops an experiment keeps its lanes: from here on no act can come in between.
        for number, version in {(d.known.id, d.known.version) for d in mine.values()}:
            if self._database.run(VERSION, (number,)) != [(version,)]:
                raise Again
        for lane in lanes:
            mine[lane.lane].segment.lanes[lane.arm] = lane
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
                arm, chance = segment.plan.draw(segment.round, self._generator)
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


def _not_begun(known: Known) -> LifecycleError:
    return LifecycleError(f"{known.name} is a {known.state}: start it before it decides")
