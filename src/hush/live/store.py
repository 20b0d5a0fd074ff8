"""A store of live experiments: two databases, and everything that happens to them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from hush.errors import ClockError, ParameterError, unknown_name
from hush.live.acts import Acts, turned
from hush.live.clock import GuardedClock, moment
from hush.live.database import Database
from hush.live.erasing import erase
from hush.live.experiment import Decision, Experiment
from hush.live.front import Front, checked_text
from hush.live.journal import Journal
from hush.live.keys import Keys
from hush.live.opening import aligned, match
from hush.live.planning import Arms, Knobs
from hush.live.publishing import Publisher
from hush.live.registering import Registrar
from hush.live.rewarding import Rewards
from hush.live.segments import Known, Memory
from hush.live.settlement import Settlement
from hush.live.terms import MOST_LANES, Terms, checked_arms, checked_name
from hush.noise import NoiseSource
from hush.policies import Policy

__all__ = ["Store"]


class Store:
    """Live experiments on two databases, private and public. Made by :func:`hush.live.open`.

    Any number of threads may use a store, and any number of processes may open the same one.
    """

    def __init__(
        self,
        private: Database,
        public: Database,
        keys: Keys,
        clock: GuardedClock,
        noise: NoiseSource,
        worker: int,
    ) -> None:
        self._private, self._public = private, public
        self._keys, self._clock = keys, clock
        self.secure = noise.secure
        self._memory = Memory(private)
        self._acts = Acts(private, self._memory)
        self._front = Front(
            self._memory,
            Registrar(private, self._memory, keys, noise.selection, worker),
            Rewards(private, keys, clock.now),
            self._acts,
            keys,
            clock,
            rehearses=False,
        )
        self._settlement = Settlement(private, self._memory, noise)
        self._publisher = Publisher(private, public, self._memory)
        self._settling = threading.Lock()

    def _begin(self, name: str) -> None:
        """Hold the two halves against each other, and bring the public one up to date."""
        self._match(name)
        self._publisher.publish()

    def _match(self, name: str) -> None:
        def quarantine() -> None:
            self._acts.quarantine(self._clock.now(), "the private store was lost or set back")

        match(self._private, self._public, name, quarantine)
        self._memory.doubt()

    # -- experiments ------------------------------------------------------------------------------

    def create(
        self,
        name: str,
        *,
        policy: type[Policy] | str,
        arms: Sequence[str],
        person_epsilon: float,
        person_bound: int = 1,
        window: str | float = "1d",
        default: float = 0.0,
        reward_range: tuple[float, float] = (0.0, 1.0),
        population: str = "default",
        segments: Sequence[str] | None = None,
        control: str | None = None,
        control_share: float = 0.0,
        floor: float = 0.0,
        max_age: str | float | None = None,
        tick: str | float = "1m",
        grace: str | float = "5s",
        parameters: Mapping[str, Any] | None = None,
        by: str = "",
    ) -> Experiment:
        """Make a draft of an experiment.

        Parameters
        ----------
        name
            A name for URLs, files and logs.
        policy
            A policy's class or name; its epsilon follows from the promise.
        arms
            The names of what can be shown.
        person_epsilon
            The promise to every person.
        person_bound
            How many of a person's decisions are learnt from at most.
        window
            How long a reward is waited for.
        default
            What counts where none came.
        reward_range
            Declared ends of the rewards.
        population
            Whose ledger is charged: experiments that see the same people share one.
        segments
            Names of public parts of the traffic, each with a plan of its own.
        control
            The arm that is shown while nothing is learnt; the first, if left out.
        control_share, floor
            See :meth:`Experiment.adjust`.
        max_age
            When a batch is closed that is not full; left out, never.
        tick
            Batches settle and releases appear at multiples of it. With 0 a release appears as soon
            as it is drawn, which takes a time that follows its value: for tests and simulations.
        grace
            What is added to deadlines for clocks that do not quite agree.
        parameters
            Hyper-parameters of the policy, but epsilon.
        by
            Who did it, for the public log.
        """
        given = dict(locals())
        checked_name("experiment", name)
        terms = Terms.of(policy, parameters, given)
        names = checked_arms(arms)
        if len(names) * len(terms.segments) > MOST_LANES:
            raise ParameterError(f"arms times segments must be at most {MOST_LANES:,}")
        knobs = turned(Arms(names), Knobs(), given)
        number = self._acts.create(name, terms, names, knobs, self._clock.now(), _checked_by(by))
        self._publisher.publish()
        return Experiment(self, number, name)

    def experiment(self, name: str) -> Experiment:
        """Return an experiment by its name."""
        number = self._memory.id_of(name) if isinstance(name, str) else None
        if number is None:
            raise unknown_name("experiment", name, self.names)
        return Experiment(self, number, name)

    @property
    def names(self) -> list[str]:
        """The names of all experiments, in the order in which they were made."""
        return [row[0] for row in self._private.run("SELECT name FROM experiments ORDER BY id")]

    def population(self, name: str = "default", *, limit: float | None = None) -> None:
        """Set the most that a population's people may be promised in all; None is no limit."""
        self._acts.limit(name, limit, self._clock.now())
        self._publisher.publish()

    def ledger(self, population: str = "default") -> dict[str, Any]:
        """Return what was promised to a population: the limit, the total, and every charge."""
        rows = self._public.run("SELECT most, total FROM populations WHERE name = ?", (population,))
        if not rows:
            known = [row[0] for row in self._public.run("SELECT name FROM populations")]
            raise unknown_name("population", population, known)
        charges = [
            {
                "at": moment(entry.at).isoformat(),
                "experiment": entry.experiment,
                "act": entry.body["act"],
                "charge": entry.body["charge"],
                "total": entry.body["total"],
            }
            for entry in Journal(self._public).acts()
            if entry.body.get("population") == population
        ]
        return {
            "population": population,
            "limit": rows[0][0],
            "total": rows[0][1],
            "charges": charges,
        }

    # -- what experiments ask for -----------------------------------------------------------------

    def _known(self, number: int) -> Known:
        return self._memory.now(number)

    def _act(self, act: str, number: int, by: str, what: Any = None) -> None:  # noqa: ANN401
        acts, at, by = self._acts, self._clock.now(), _checked_by(by)
        if act == "start":
            acts.start(number, at, by)
        elif act == "stop":
            acts.stop(number, at, by)
        elif act == "continue":
            acts.continue_(number, at, by)
        elif act in ("pause", "resume", "rehearse"):
            acts.simple(number, act, at, by)
        else:
            cast("Callable[..., None]", getattr(acts, act))(number, what, at, by)
        self._publisher.publish()

    def reward(self, decision: Decision | str, value: float) -> None:
        """Say what came of a decision, whichever experiment it is of."""
        name = decision.id if isinstance(decision, Decision) else decision
        (answer,) = self._front.reward_many([(name, value)], None)
        if answer is not None:
            raise answer

    # -- time -------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Do what the clock has brought due: sum, add noise, seal, show.

        Call it every tick; from as many processes as you like.
        """
        with self._settling:
            now = self._clock.now()
            if self._clock.held is not None:
                raise ClockError(
                    f"{self._clock.held}; nothing is settled until an operator has looked and "
                    "called confirm_clock()"
                )
            if not aligned(self._private, self._public):  # set back while this store was open
                self._match("")
            if self._settlement.settle(now):
                self._private.scrub()
            self._publisher.publish()
            self._publisher.tally()

    def confirm_clock(self, *, by: str = "") -> None:
        """Believe the clock after it jumped, or after a long time out of use."""
        why, by = self._clock.held, _checked_by(by)
        self._clock.confirm()
        if why is not None:
            with self._private.transaction(durable=True):
                body = {"note": "clock", "why": why, "by": by}
                Journal(self._private).append(self._clock.now(), "note", 0, body)
            self._publisher.publish()

    @property
    def held(self) -> str | None:
        """Why settlement waits for :meth:`confirm_clock`; None while it does not."""
        self._clock.now()
        return self._clock.held

    # -- people -----------------------------------------------------------------------------------

    def erase(self, person: str, *, population: str = "default") -> None:
        """Forget a person: what is pending counts as the default, and nothing more is learnt.

        It is the same whether she is known or not, and nothing public shows it.
        """
        known = [row[0] for row in self._private.run("SELECT name FROM populations")]
        if population not in known:  # a slip of the pen must not pass for an erasure
            raise unknown_name("population", population, known)
        who = self._keys.person(population, checked_text("person", person))
        erase(self._private, self._memory, self._keys, who, population)

    # -- for readers ------------------------------------------------------------------------------

    def _plans(self, number: int) -> dict[str, dict[str, Any]]:
        names = self._front.terms(number).segments
        rows = self._public.run(
            "SELECT segment, body FROM plans WHERE experiment = ? ORDER BY segment", (number,)
        )
        return {names[segment]: json.loads(body) for segment, body in rows}

    def _entries(self, number: int, kind: str) -> list[tuple[int, dict[str, Any]]]:
        return [(entry.at, entry.body) for entry in Journal(self._public).of(number, (kind,))]

    def _tallies(self, number: int) -> list[dict[str, Any]]:
        known = self._known(number)
        rows = self._public.run(
            "SELECT segment, arm, served, learnt FROM tallies WHERE experiment = ? "
            "ORDER BY segment, arm",
            (number,),
        )
        return [
            {
                "segment": known.terms.segments[segment],
                "arm": known.arms.names[arm],
                "served": served,
                "learnt": learnt,
            }
            for segment, arm, served, learnt in rows
        ]

    def close(self) -> None:
        """Let go of both databases."""
        for database in (self._private, self._public):
            database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<store of {len(self.names)} experiments>"


def _checked_by(by: object) -> str:
    if not isinstance(by, str) or len(by) > 128:
        raise ParameterError("by must be a text of at most 128 characters")
    return by
