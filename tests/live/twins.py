"""Twins: a script is played on two stores that differ in all rewards of one person."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatchmethod
from pathlib import Path
from typing import Any

from tests.live import scripts as s
from tests.live.places import FrozenOutcomes, SameBytes
from tests.live.records import Record, WrongAnswerError, compare

import hush
import hush.live
from hush.live.ids import DecisionId
from hush.live.schema import PRIVATE, PUBLIC
from hush.mechanisms import RewardRange

NOT_HERE = ("NoDecisionError", "this is not the id of a decision of this experiment")
TOO_LATE = ("ExpiredError", "the window for this decision's reward is over")
# What she may change: bits of her own, and sums over them.
HIDDEN = {("pending", "bit"), ("lanes", "sum"), ("batches", "sum")}


@dataclass(frozen=True)
class Made:
    """A decision that somebody got."""

    decision: hush.live.Decision
    person: int
    experiment: int


class _Listener(logging.Handler):
    def __init__(self, seen: list[Any]) -> None:
        super().__init__(logging.NOTSET)
        self.seen = seen

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("alembic"):
            return  # it tells when it is first imported
        self.seen.append(("logged", record.name, record.levelname, self.format(record)))


def error_of(error: BaseException | None) -> Any:
    """Return what can be seen of an error."""
    if error is None:
        return None
    return type(error).__name__, str(error), repr(error), repr(error.__cause__)


class Player:
    """Plays a script for one twin.

    Parameters
    ----------
    side
        0 or 1: which of the two values of a reward of hers is posted.
    leak
        What is done to a store after it was opened; nothing, if left out.
    """

    def __init__(self, script: s.Script, side: int, place, leak=None) -> None:
        self.script, self.side, self.place, self.leak = script, side, place, leak
        self.clock = hush.live.ManualClock()
        self.noise, self.entropy = FrozenOutcomes(), SameBytes()
        self.record = Record(draws=self.noise.met)
        self.setups = iter(script.setups)
        self.names: list[str] = []
        self.made: list[Made] = []
        self.gone: set[int] = set()
        self.her_keys: set[int | None] = set()
        self.stores: list[hush.live.Store] = []

    def play(self) -> Record:
        """Play the script to its end, and let everything settle."""
        root, listener = logging.getLogger(), _Listener(self.record.public)
        level = root.level
        root.addHandler(listener)
        root.setLevel(logging.NOTSET)
        try:
            self._open()
            for number, step in enumerate((s.Begin(), *self.script.steps, *ENDING)):
                self.record.public.append((number, type(step).__name__))
                if isinstance(step, s.Decide):
                    self.place.mark()
                elif not isinstance(step, UNSAFE):
                    self.place.unmark()
                self.take(step)
                self._note_changes()
            self._finish()
        finally:
            root.removeHandler(listener)
            root.setLevel(level)
            self.place.close(self.stores)
        self.record.public.append(self.place.end())
        return self.record

    def _open(self) -> None:
        self.stores = self.place.open(clock=self.clock, noise=self.noise, entropy=self.entropy)
        if self.leak is not None:
            for store in self.stores:
                self.leak(store)

    @property
    def store(self) -> hush.live.Store:
        """The first process's store."""
        return self.stores[0]

    def try_(self, what) -> None:
        """Do something, and note what came of it."""
        try:
            found = what()
        except hush.HushError as error:
            found = error_of(error)
        self.record.public.append(repr(found))

    # -- steps ------------------------------------------------------------------------------------

    @singledispatchmethod
    def take(self, step) -> None:
        """Take a step."""
        raise NotImplementedError(step)

    @take.register
    def _(self, step: s.Begin) -> None:
        setup = next(self.setups, None)
        if setup is None:
            return
        name = f"e{len(self.names)}"
        given = {
            "policy": setup.policy,
            "arms": [f"arm{n}" for n in range(setup.arms)],
            "segments": [f"s{n}" for n in range(setup.segments)] or None,
            **{k: v for k, v in vars(setup).items() if k not in ("policy", "arms", "segments")},
        }
        self.store.create(name, **given)
        self.names.append(name)
        self.try_(self.store.experiment(name).start)

    def _experiment(self, number: int, elsewhere: bool = False) -> hush.live.Experiment:
        store = self.stores[-1] if elsewhere else self.store
        return store.experiment(self.names[number % len(self.names)])

    @take.register
    def _(self, step: s.Decide) -> None:
        number = step.experiment % len(self.names)
        experiment = self._experiment(number, step.elsewhere)
        asks = [ask for ask in step.asks if ask.person not in self.gone]
        if step.defer:  # a deferred decision takes no key
            asks = [replace(ask, key=None) for ask in asks]
        if step.together and not step.defer:
            answers = experiment.decide_many([self._request(experiment, ask) for ask in asks])
        else:
            answers = [self._decided(experiment, ask, step.defer) for ask in asks]
        for ask, answer in zip(asks, answers, strict=True):
            self._note(answer, ask.person, number, ask)

    def _request(self, experiment: hush.live.Experiment, ask: s.Ask) -> dict[str, Any]:
        segments = experiment.terms.segments
        segment = segments[ask.segment % len(segments)]
        if ask.person == s.HER:
            self.her_keys.add(ask.key)
        key = None if self._sent_key(ask) is None else f"key-{ask.key}"
        return {"person": f"person-{ask.person}", "key": key, "segment": segment or None}

    def _sent_key(self, ask: s.Ask) -> int | None:
        """Return the key that is sent: an erasure by one twin alone forgets hers for all."""
        return None if self.gone and ask.key in self.her_keys else ask.key

    def _decided(self, experiment: hush.live.Experiment, ask: s.Ask, defer: bool) -> Any:
        try:
            return experiment.decide(**self._request(experiment, ask), defer=defer)
        except hush.HushError as error:
            return error

    def _note(self, answer: Any, person: int, number: int, asked: Any) -> None:
        if isinstance(answer, hush.HushError):
            self.record.public.append(error_of(answer))
            return
        self.record.public.append(repr(answer))
        made = Made(answer, person, number)
        if made not in self.made:
            self.made.append(made)
            if person == s.HER and not answer.deferred:
                self._note_hers(answer.id)

    def _note_hers(self, name: str) -> None:
        read = DecisionId.read(name, self.store._keys)
        self.record.hers[read.batch] = self.record.hers.get(read.batch, 0) + 1

    @take.register
    def _(self, step: s.Activate) -> None:
        if not self.made or step.which < 0:
            return
        made = self.made[step.which % len(self.made)]
        person = made.person if step.person is None else step.person
        if made.person in self.gone or person in self.gone:
            return
        experiment = self._experiment(made.experiment)
        try:
            answer = experiment.activate(made.decision, person=f"person-{person}")
        except hush.HushError as error:
            answer = error
        self._note(answer, person, made.experiment, made.decision)

    @take.register
    def _(self, step: s.Erase) -> None:
        alone = step.alone and step.person == s.HER
        if alone:
            self.gone.add(s.HER)
        for name in sorted({each.population for each in self.script.setups[: len(self.names)]}):
            if not (alone and self.side):
                self.store.erase(f"person-{step.person}", population=name)

    @take.register
    def _(self, step: s.Act) -> None:
        experiment = self._experiment(step.experiment)
        arms = experiment.arms
        arm = arms[step.number % len(arms)]
        self.try_(
            {
                "add_arm": lambda: experiment.add_arm(f"arm{len(arms)}", by="operator"),
                "retire_arm": lambda: experiment.retire_arm(arm),
                "adjust": lambda: experiment.adjust(floor=step.number / 20),
                "control": lambda: experiment.adjust(control=arm, control_share=step.number / 10),
            }.get(step.what)
            or getattr(experiment, step.what)
        )

    @take.register
    def _(self, step: s.Limit) -> None:
        self.try_(lambda: self.store.population(step.population, limit=step.most))

    @take.register
    def _(self, step: s.Pass) -> None:
        self.clock.advance(step.seconds)

    @take.register
    def _(self, step: s.Jump) -> None:
        self.clock.jump(1_000 * step.seconds)

    @take.register
    def _(self, step: s.Confirm) -> None:
        self.try_(self.store.confirm_clock)
        for other in self.stores[1:]:
            self.try_(other.confirm_clock)

    @take.register
    def _(self, step: s.Settle) -> None:
        self.try_(self.store.settle)
        self._look()

    @take.register
    def _(self, step: s.Restart) -> None:
        self._read_all()
        self.place.close(self.stores)
        if step.forgets:
            self.place.forget()
        if step.loses:
            self.place.lose()
        self._open()
        self._look()

    # -- rewards ----------------------------------------------------------------------------------

    @take.register
    def _(self, step: s.RewardHers) -> None:
        lines = [
            s.Line(n, step.first, step.second)
            for n, made in enumerate(self.made)
            if made.person == s.HER
        ]
        if lines:
            self.take(s.Reward(tuple(lines), elsewhere=step.elsewhere))

    @take.register
    def _(self, step: s.Reward) -> None:
        store = self.stores[-1] if step.elsewhere else self.store
        posts = [(self._target(line.which), line) for line in step.lines]
        if not step.together:
            for post in posts:
                self._post(store, [post], step.way)
        else:
            self._post(store, posts, "own" if step.way == "store" else step.way)

    def _target(self, which: int) -> tuple[Any, int, int]:
        """Return a name, whose it is, and of which experiment."""
        if which < 0 or not self.made:
            return s.NO_IDS[which % len(s.NO_IDS)], -1, 0
        made = self.made[which % len(self.made)]
        return made.decision.id, made.person, made.experiment

    def _post(self, store: hush.live.Store, posts: list[Any], way: str) -> None:
        number = (posts[0][0][2] + (way == "other")) % len(self.names)
        sent = []
        for (name, person, _), line in posts:
            code = line.second if person == s.HER and self.side else line.first
            if code is not None:
                sent.append((name, s.VALUES[code], person))
        if not sent:
            return
        pairs = [(name, value) for name, value, _ in sent]
        wanted = [
            self._expected(store, *pair, None if way == "store" else number) for pair in pairs
        ]
        if way == "store":
            answers = [_answer_of(lambda: store.reward(*pairs[0]))]
        elif len(pairs) > 1:
            answers = store.experiment(self.names[number]).reward_many(pairs)
        else:
            experiment = store.experiment(self.names[number])
            answers = [_answer_of(lambda: experiment.reward(*pairs[0]))]
        for (_, _, person), answer, expected in zip(sent, answers, wanted, strict=True):
            found = None if answer is None else (type(answer).__name__, str(answer))
            if found != expected:
                raise WrongAnswerError(f"answered {found}, and {expected} is right")
            if person != s.HER:
                self.record.public.append(error_of(answer))
        self._accepted([pair for pair, each in zip(pairs, answers, strict=True) if each is None])

    def _accepted(self, pairs: list[tuple[str, float]]) -> None:
        """Hear of rewards that were taken; a model does."""

    def _expected(self, store, name: Any, value: Any, number: int | None) -> Any:
        """Return the right answer, by the id, the clock and the posted bytes alone."""
        known = [m for m in self.made if m.decision.id == name and not m.decision.deferred]
        if not known or (number is not None and known[0].experiment != number):
            return NOT_HERE
        try:
            RewardRange().unit(value)
        except hush.RewardError as error:
            return type(error).__name__, str(error)
        late = store._clock.read() > round(known[0].decision.expires.timestamp() * 1_000)
        return TOO_LATE if late else None

    # -- what can be seen -------------------------------------------------------------------------

    def _look(self) -> None:
        """Note every public byte, and what is private and not hers."""
        public = self.store._public
        self.record.public += [(table, rows_of(public, table)) for table in PUBLIC.tables]
        self._look_inside()

    def _read_all(self) -> None:
        """Note what readers get."""
        seen, store = self.record.public, self.store
        experiments = [store.experiment(name) for name in self.names]
        seen.append((repr(store), store.names, store.held))
        for each in experiments:
            seen.append((repr(each), each.plans, each.releases, each.acts, each.tallies))
            seen.append((each.state, each.arms, each.retired, each.terms, each.guarantee))
            seen.append(each.insight)
            seen += [_exported(each, kind) for kind in ("csv", "json")]
        for name in sorted({each.terms.population for each in experiments}):
            seen.append(store.ledger(name))

    def _note_changes(self) -> None:
        """Note whether the step wrote to the public store."""
        written = [getattr(each._public, "connection", None) for each in self.stores]
        self.record.public.append([each.total_changes for each in written if each is not None])

    def _look_inside(self) -> None:
        private, sums, hers = self.store._private, {}, self._hashes()
        for name, table in PRIVATE.tables.items():
            columns, rows = list(table.columns.keys()), []
            for row in rows_of(private, name):
                values = dict(zip(columns, row, strict=True))
                own = "person" not in values or bytes(values["person"]) in hers
                if own and self.gone and name in ("people", "replies"):
                    continue  # erased in one twin alone
                hidden = [column for column in columns if own and (name, column) in HIDDEN]
                if own and self.gone and name == "pending":
                    hidden.append("ordinal")  # an erased row has another, so nothing finds it
                if "sum" in hidden:
                    batch = values.get("batch", values.get("lane", 0) * 2**24 + values["epoch"])
                    sums[batch] = values["sum"]
                shown = tuple(v for c, v in values.items() if c not in hidden)
                rows.append(shown)
            self.record.private.append((name, sorted(rows, key=repr)))
        self.record.sums.append(sums)

    def _hashes(self) -> set[bytes]:
        populations = {setup.population for setup in self.script.setups}
        return {self.store._keys.person(name, f"person-{s.HER}") for name in populations}

    def _finish(self) -> None:
        self._read_all()
        for name in self.names:
            experiment = self.store.experiment(name)
            terms = experiment.terms
            charges = [Fraction(act["charge"]) for act in experiment.acts if "charge" in act]
            self.record.promises[name] = sum(charges, Fraction(0))
            for each in experiment.releases:
                place = (terms.segments.index(each.segment), each.arm, each.epoch)
                self.record.releases.append((name, place, each.value))


# Steps that are not durable by themselves, or must not be before a restart.
UNSAFE = (s.Reward, s.RewardHers, s.Pass, s.Jump, s.Restart, s.Activate)
# Whatever is open is closed and shown, so that nothing is left out of the sum of losses.
ENDING = (
    s.Confirm(),
    *(s.Act(n, "stop") for n in range(3)),
    s.Pass(7_200),
    s.Settle(),
    s.Pass(120),
    s.Settle(),
)


def _answer_of(post) -> hush.HushError | None:
    try:
        post()
    except hush.HushError as error:
        return error
    return None


def _exported(experiment: hush.live.Experiment, kind: str) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"export.{kind}"
        experiment.export(path)
        return path.read_bytes()


def rows_of(database, table: str) -> list[tuple[Any, ...]]:
    """Return a table, in an order of its own."""
    return sorted(database.run(f'SELECT * FROM "{table}"'), key=repr)


def play_twins(script: s.Script, place, leak=None) -> Fraction:
    """Play both twins, each in a place of its own, and compare them."""
    records = [Player(script, side, place(), leak).play() for side in (0, 1)]
    return compare(*records)
