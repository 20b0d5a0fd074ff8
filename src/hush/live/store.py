"""A store of live experiments: two databases, and everything that happens to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from hush.errors import ClockError, ParameterError, unknown_name
from hush.live.acts import turned
from hush.live.erasing import erase
from hush.live.experiment import Decision, Experiment
from hush.live.front import checked_text
from hush.live.journal import Journal
from hush.live.opening import aligned
from hush.live.planning import Arms, Knobs
from hush.live.reading import overview_table
from hush.live.terms import MOST_LANES, Terms, checked_arms, checked_name
from hush.live.tokens import Tokens
from hush.live.wiring import Wiring, checked_by
from hush.output.numbers import counted
from hush.policies import Policy

__all__ = ["Store"]


class Store(Wiring):
    """Live experiments on two databases, private and public. Made by :func:`hush.live.open`.

    Any number of threads may use a store, and any number of processes may open the same one.

    Examples
    --------
    >>> import hush.live
    >>> store = hush.live.open(":memory:")
    >>> store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0)
    <experiment checkout: draft, 2 arms, 0 releases>
    >>> store
    <store of 1 experiment>
    """

    # -- experiments ------------------------------------------------------------------------------

    def create(
        self,
        name: str,
        *,
        policy: type[Policy] | str,
        arms: Sequence[str],
        person_epsilon: float,
        person_bound: int = 1,
        window: str | float | timedelta = "1d",
        default: float = 0.0,
        reward_range: tuple[float, float] = (0.0, 1.0),
        population: str = "default",
        segments: Sequence[str] | None = None,
        control: str | None = None,
        control_share: float = 0.0,
        floor: float = 0.0,
        max_age: str | float | timedelta | None = None,
        tick: str | float | timedelta = "1m",
        grace: str | float | timedelta = "5s",
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

        Examples
        --------
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy=hush.NoiseAwareTS, arms=["old", "new"],
        ...                    person_epsilon=1.0, person_bound=4, window="1d")
        >>> exp.state, exp.terms.epsilon
        ('draft', 0.25)
        """
        given = dict(locals())
        checked_name("experiment", name)
        terms = Terms.of(policy, parameters, given)
        names = checked_arms(arms)
        if len(names) * len(terms.segments) > MOST_LANES:
            raise ParameterError(f"arms times segments must be at most {MOST_LANES:,}")
        knobs = turned(Arms(names), Knobs(), given)
        number = self._acts.create(name, terms, names, knobs, self._clock.now(), checked_by(by))
        self._publisher.publish()
        return Experiment(self, number, name)

    def experiment(self, name: str) -> Experiment:
        """Return an experiment by its name.

        >>> import hush.live
        >>> hush.live.open(":memory:").experiment("checkout")
        Traceback (most recent call last):
        ...
        hush.errors.UnknownNameError: unknown experiment 'checkout'; known: none
        """
        number = self._memory.id_of(name) if isinstance(name, str) else None
        if number is None:
            raise unknown_name("experiment", name, self.names)
        return Experiment(self, number, name)

    @property
    def names(self) -> list[str]:
        """The names of all experiments, in the order in which they were made.

        >>> import hush.live
        >>> hush.live.open(":memory:").names
        []
        """
        return [row[0] for row in self._private.run("SELECT name FROM experiments ORDER BY id")]

    def population(self, name: str = "default", *, limit: float | None = None) -> None:
        """Set the most that a population's people may be promised in all; None is no limit.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> store.population("customers", limit=1.0)
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.5, population="customers")
        >>> exp.start()
        Traceback (most recent call last):
        ...
        hush.errors.BudgetError: population 'customers' has a limit of 1, of which 0 is reserved...
        """
        self._acts.limit(name, limit, self._clock.now())
        self._publisher.publish()

    def ledger(self, population: str = "default") -> dict[str, Any]:
        """Return what was promised to a population: the limit, the total, and every charge.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> ledger = store.ledger()
        >>> ledger["total"], ledger["limit"]
        (1.0, None)
        >>> [(each["experiment"], each["act"], each["charge"]) for each in ledger["charges"]]
        [('checkout', 'start', 1.0)]
        """
        return self._records.ledger(population)

    def reward(self, decision: Decision | str, value: float) -> None:
        """Say what came of a decision, whichever experiment it is of.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> store.reward(exp.decide("u17").id, 1)
        """
        name = decision.id if isinstance(decision, Decision) else decision
        (answer,) = self._front.reward_many([(name, value)], None)
        if answer is not None:
            raise answer

    @property
    def tokens(self) -> Tokens:
        """Access tokens for a service on this store: made, listed and revoked.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> text = store.tokens.create(["decide", "reward"], expires="90d", note="web shop")
        >>> [(token.scopes, token.note) for token in store.tokens.all()]
        [(('decide', 'reward'), 'web shop')]
        """
        return Tokens(self._private, self._publisher.publish, self._clock, self._entropy)

    # -- time -------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Do what the clock has brought due: sum, add noise, seal, show.

        Call it every tick; from as many processes as you like.

        >>> import hush.live
        >>> clock = hush.live.ManualClock()
        >>> store = hush.live.open(":memory:", clock=clock)
        >>> exp = store.create("checkout", policy="LazyDPTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, window="1h")
        >>> exp.start()
        >>> exp.reward(exp.decide("u17"), 1)
        >>> clock.advance("2h")
        >>> store.settle()
        >>> len(exp.releases)
        1
        """
        with self._settling:
            self._clock.measure()
            now = self._clock.now()
            if self._clock.held is not None:
                raise ClockError(
                    f"{self._clock.held}; nothing is settled until an operator has looked and "
                    "called confirm_clock()"
                )
            if not aligned(self._private, self._public):  # set back while this store was open
                self._match("")
            self._registrar.firsts.write()
            if self._settlement.settle(now):
                self._private.scrub()
            self._publisher.publish()
            self._publisher.tally()

    def confirm_clock(self, *, by: str = "") -> None:
        """Believe the clock after it jumped, or after a long time out of use.

        >>> import hush.live
        >>> clock = hush.live.ManualClock()
        >>> store = hush.live.open(":memory:", clock=clock)
        >>> clock.jump(3_600_000)  # an hour, though no time passed
        >>> store.held
        'the clock was set forward by 1h while this store was open'
        >>> store.confirm_clock(by="Ada")
        >>> store.held is None
        True
        """
        why, by = self._clock.held, checked_by(by)
        self._clock.confirm()
        if why is not None:
            with self._private.transaction(durable=True):
                body = {"note": "clock", "why": why, "by": by}
                Journal(self._private).append(self._clock.now(), "note", 0, body)
            self._publisher.publish()

    @property
    def held(self) -> str | None:
        """Why settlement waits for :meth:`confirm_clock`; None while it does not.

        >>> import hush.live
        >>> hush.live.open(":memory:").held is None
        True
        """
        self._clock.now()
        return self._clock.held

    # -- people -----------------------------------------------------------------------------------

    def erase(self, person: str, *, population: str = "default") -> None:
        """Forget a person: what is pending counts as the default, and nothing more is learnt.

        It is the same whether she is known or not. Nothing public shows it, but that her later
        visits are not learnt from, as those of anyone who has reached the bound.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("a", policy="NoiseAwareTS", arms=["x", "y"], person_epsilon=1.0)
        >>> store.erase("u17")
        """
        known = [row[0] for row in self._private.run("SELECT name FROM populations")]
        if population not in known:  # a slip of the pen must not pass for an erasure
            raise unknown_name("population", population, known)
        who = self._keys.person(population, checked_text("person", person))
        erase(self._private, self._memory, self._keys, who, population)
        self._private.scrub()

    def __repr__(self) -> str:
        return f"<store of {counted(len(self.names), 'experiment', 'experiments')}>"

    def _repr_html_(self) -> str:
        return overview_table(self._records.overview()).html()
