"""A model of a store in a few dictionaries, held against the store after every step."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.live import scripts as s
from tests.live.twins import Player

import hush
from hush.live.ids import DecisionId, bit_of
from hush.live.journal import GENESIS, Journal

DAY = 86_400_000
MOVES = {
    "pause": {"running": "paused"},
    "resume": {"paused": "running"},
    "continue_": {"quarantined": "running"},
}
EDITS = ("add_arm", "retire_arm", "adjust", "control")
EDITABLE = ("draft", "rehearsal", "running", "paused")
LEARNING = ("running", "paused", "stopping")


@dataclass
class Experiment:
    """What the model knows of an experiment."""

    setup: s.Setup
    state: str = "draft"
    charges: int = 0
    given: Counter[int] = field(default_factory=Counter)
    batches: dict[int, set[str]] = field(default_factory=dict)  # learnt, and not released
    ever: bool = False  # whether anything was learnt since the private store began


class Model(Player):
    """Plays a script once, and knows what must come of it."""

    def __init__(self, script: s.Script, place, leak=None) -> None:
        super().__init__(script, 0, place, leak)
        self.known: list[Experiment] = []
        self.bits: dict[str, int] = {}
        self.erased: set[str] = set()
        self.replies: dict[tuple[int, Any], tuple[int, int, str, int]] = {}
        self.totals: Counter[str] = Counter()
        self.limits: dict[str, float | None] = {}
        self.released: dict[tuple[str, str, int, int], float] = {}
        self.counts = Counter()

    def take(self, step) -> None:
        """Take a step, and look whether the store is where the model is."""
        before = len(self.names)
        super().take(step)
        if isinstance(step, s.Begin) and len(self.names) > before:
            self._begun(self.script.setups[before])
        elif isinstance(step, s.Act):
            self._acted(step)
        elif isinstance(step, s.Limit):
            self._limited(step)
        elif isinstance(step, s.Erase):
            self._erased(step.person)
        elif isinstance(step, s.Restart) and step.loses:
            self._lost()
        elif isinstance(step, s.Settle):
            self._settled()
        self.check()

    @property
    def answer(self) -> str:
        """What the last act said."""
        return self.record.public[-1]

    # -- acts -------------------------------------------------------------------------------------

    def _begun(self, setup: s.Setup) -> None:
        self.known.append(Experiment(setup))
        self._charge(self.known[-1])

    def _charge(self, known: Experiment) -> None:
        """Charge a promise, or see that it was refused."""
        setup = known.setup
        after = _plus(self.totals[setup.population], setup.person_epsilon)
        most = self.limits.setdefault(setup.population, None)
        if most is not None and after > most:
            assert "BudgetError" in self.answer
            return
        assert self.answer == "None"
        self.totals[setup.population] = after
        known.state, known.charges = "running", known.charges + 1

    def _acted(self, step: s.Act) -> None:
        known = self.known[step.experiment % len(self.known)]
        if step.what in EDITS:
            assert ("LifecycleError" in self.answer) == (known.state not in EDITABLE)
        elif step.what == "stop":
            self._stopped(known)
        elif known.state not in MOVES[step.what]:
            assert "LifecycleError" in self.answer
        elif step.what == "continue_":
            self._charge(known)
        else:
            assert self.answer == "None"
            known.state = MOVES[step.what][known.state]

    def _stopped(self, known: Experiment) -> None:
        if known.state in ("stopping", "stopped"):
            assert "LifecycleError" in self.answer
            return
        assert self.answer == "None"
        lost = known.state == "quarantined"
        known.state = "stopping" if known.ever and not lost else "stopped"
        if known.charges == 1 and not known.ever and not lost:
            population = known.setup.population
            self.totals[population] = _plus(self.totals[population], -known.setup.person_epsilon)
            known.charges = 0

    def _limited(self, step: s.Limit) -> None:
        if step.most is not None and self.totals[step.population] > step.most:
            assert "BudgetError" in self.answer
        else:
            self.limits[step.population] = step.most

    def _lost(self) -> None:
        for number, known in enumerate(self.known):
            if known.state in LEARNING:
                known.state = "quarantined"
            known.batches, known.given = {}, Counter()
            known.ever = bool(self.store.experiment(self.names[number]).releases)
        self.replies = {}

    # -- decisions and rewards --------------------------------------------------------------------

    def _note(self, answer: Any, person: int, number: int, asked: Any) -> None:
        super()._note(answer, person, number, asked)
        if getattr(answer, "deferred", False):
            return
        key, segment = self._key(asked, number)
        reply = self.replies.get((number, key)) if key is not None else None
        if isinstance(answer, hush.HushError):
            reused = type(answer).__name__ == "KeyReusedError"
            other = reply is not None and reply[:2] != (person, segment)
            assert reused == other
            return
        if reply is not None:
            assert reply == (person, segment, answer.id, reply[3])
            return
        self._registered(answer, person, number, deferred=not isinstance(asked, s.Ask))
        if key is not None:
            window = 1_000 * self.known[number].setup.window
            until = _at(answer) - window + max(window, DAY)
            self.replies[number, key] = person, segment, answer.id, until

    def _key(self, asked: Any, number: int) -> tuple[Any, int]:
        if not isinstance(asked, s.Ask):
            return asked.id, 0
        return self._sent_key(asked), asked.segment % max(self.known[number].setup.segments, 1)

    def _registered(self, answer: Any, person: int, number: int, *, deferred: bool) -> None:
        known, setup = self.known[number], self.known[number].setup
        retired = deferred and answer.name in self._experiment(number).retired
        learns = (
            known.state == "running" and not retired and known.given[person] < (setup.person_bound)
        )
        made = DecisionId.read(answer.id, self.store._keys)
        assert bool(self._row(made)) == learns
        if learns:
            known.given[person] += 1
            known.ever = True
            known.batches.setdefault(made.batch, set()).add(answer.id)
            self.bits[answer.id] = self._bit(setup.default, made)

    def _row(self, made: DecisionId) -> list[Any]:
        return self.store._private.run(
            "SELECT bit FROM pending WHERE batch = ? AND worker = ? AND ordinal = ?",
            (made.batch, made.worker, made.ordinal),
        )

    def _bit(self, unit: float, made: DecisionId) -> int:
        return bit_of(unit, made.worker, made.ordinal, self.store._keys)

    def _learnt(self) -> set[str]:
        return {name for each in self.known for ids in each.batches.values() for name in ids}

    def _accepted(self, pairs: list[tuple[str, float]]) -> None:
        learnt = self._learnt() - self.erased
        for name, value in pairs:
            if name in learnt:
                made = DecisionId.read(name, self.store._keys)
                self.bits[name] = self._bit(value, made)
                # What was taken is not lost: its row is there, with the last value's bit.
                if name not in {other for other, _ in pairs[pairs.index((name, value)) + 1 :]}:
                    assert self._row(made) == [(self.bits[name],)]

    def _erased(self, person: int) -> None:
        for number, known in enumerate(self.known):
            self.replies = {
                (place, key): reply
                for (place, key), reply in self.replies.items()
                if place != number or reply[0] != person
            }
            if known.state not in LEARNING:
                continue
            known.given[person] = known.setup.person_bound
            hers = {each.decision.id for each in self.made if each.person == person}
            for name in hers & {name for ids in known.batches.values() for name in ids}:
                made = DecisionId.read(name, self.store._keys)
                assert not self._row(made)  # folded, or out of reach of every later reward
                if self._row(made._replace(ordinal=-made.ordinal)):
                    self.bits[name] = self._bit(known.setup.default, made)
                self.erased.add(name)

    # -- settlement -------------------------------------------------------------------------------

    def _settled(self) -> None:
        if self.store.held is not None:
            return
        now = self.store._clock.read()
        self.replies = {k: reply for k, reply in self.replies.items() if reply[3] >= now}
        totals = {draw.value: draw.total for draw in self.noise.met}
        for number, known in enumerate(self.known):
            for each in self.store.experiment(self.names[number]).releases:
                self._release(known, number, each, totals)
            if known.state == "stopping" and not known.batches:
                known.state = "stopped"

    def _release(self, known: Experiment, number: int, each: Any, totals: dict[float, int]) -> None:
        place = self.names[number], each.segment, each.arm, each.epoch
        if place in self.released:
            assert self.released[place] == each.value  # never another value
            return
        self.released[place] = each.value
        batch = self._batch(number, each)
        ids = known.batches.pop(batch)
        assert each.count == len(ids)
        assert totals[each.value] == sum(self.bits[name] for name in ids)
        self.counts["releases"] += 1
        self.counts["ones"] += totals[each.value]
        left = self.store._private.run("SELECT count(*) FROM pending WHERE batch = ?", (batch,))
        assert left == [(0,)]

    def _batch(self, number: int, each: Any) -> int:
        segment = self.store.experiment(self.names[number]).terms.segments.index(each.segment)
        ((lane,),) = self.store._private.run(
            "SELECT lane FROM lanes WHERE experiment = ? AND segment = ? AND arm = ?",
            (number + 1, segment, each.arm),
        )
        return lane * 2**24 + each.epoch

    # -- what holds at all times ------------------------------------------------------------------

    def check(self) -> None:
        """Look whether the store says what the model says."""
        run = self.store._private.run
        for number, known in enumerate(self.known):
            experiment = self._experiment(number)
            assert experiment.state == known.state
            assert max(known.given.values(), default=0) <= known.setup.person_bound
            rows = run("SELECT given FROM people WHERE experiment = ?", (number + 1,))
            assert sorted(n for (n,) in rows) == sorted(n for n in known.given.values() if n)
        for population, total in self.totals.items():
            assert self.store.ledger(population)["total"] == total
        ((waiting,),) = run("SELECT count(*) FROM pending")
        assert waiting <= len(self._learnt())
        self._check_chains()

    def _check_chains(self) -> None:
        heads = []
        for database in (self.store._private, self.store._public):
            before = GENESIS
            for entry in Journal(database).all():
                assert entry.follows(before)
                before = entry.hash
            heads.append(before)
        assert heads[0] == heads[1]


def _plus(one: float, two: float) -> float:
    return max(float(Decimal(repr(one)) + Decimal(repr(two))), 0.0)


def _at(answer: Any) -> int:
    return round(answer.expires.timestamp() * 1_000)
