"""One live experiment, as those who use it see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hush.errors import HushError, ParameterError
from hush.live.clock import moment
from hush.live.promise import sentence
from hush.live.terms import Terms
from hush.privacy import Guarantee

if TYPE_CHECKING:
    from hush.live.segments import Known
    from hush.live.store import Store

__all__ = ["Decision", "Experiment", "Published"]


@dataclass(frozen=True)
class Decision:
    """What to show one person, and the id that her reward is sent with.

    Attributes
    ----------
    id
        Keep it with what was shown; :meth:`Experiment.reward` wants it.
    arm, name
        What to show: the arm's number and its name.
    propensity
        The chance that this arm had.
    expires
        Until when a reward is taken; for a deferred decision, until when it can be activated.
    plan
        The version of the plan that decided.
    deferred
        Whether it must be activated before anything is learnt from it.
    """

    id: str
    arm: int
    name: str
    propensity: float
    expires: datetime
    plan: int
    deferred: bool = False


@dataclass(frozen=True)
class Published:
    """A release of a live experiment: one noisy sum over a batch of decisions."""

    segment: str
    arm: int
    name: str
    epoch: int
    count: int
    value: float
    mechanism: str
    epsilon: float
    at: datetime


class Experiment:
    """A live experiment. Made by :meth:`Store.create`, found by :meth:`Store.experiment`.

    Examples
    --------
    >>> import hush.live
    >>> clock = hush.live.ManualClock()
    >>> store = hush.live.open(":memory:", clock=clock)
    >>> exp = store.create("checkout", policy=hush.NoiseAwareTS, arms=["old", "new"],
    ...                    person_epsilon=1.0, person_bound=4, window="1d")
    >>> exp.start()
    >>> decision = exp.decide(person="u17", key="request-9")
    >>> decision.name in ("old", "new"), decision.propensity > 0
    (True, True)
    >>> exp.reward(decision.id, 1)
    >>> exp
    <experiment checkout: running, 2 arms, 0 releases>
    """

    def __init__(self, store: Store, number: int, name: str) -> None:
        self._store = store
        self._id = number
        self.name = name

    @property
    def _known(self) -> Known:
        return self._store._known(self._id)

    @property
    def state(self) -> str:
        """Where in its life it is: draft, rehearsal, running, paused, stopping, stopped, ..."""
        return self._known.state

    @property
    def terms(self) -> Terms:
        """What is promised, and frozen from the start on."""
        return self._known.terms

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of all arms, retired ones among them."""
        return self._known.arms.names

    @property
    def retired(self) -> tuple[str, ...]:
        """The names of the arms that are shown no more."""
        known = self._known
        return tuple(known.arms.names[arm] for arm in sorted(known.arms.retired))

    def start(self, *, by: str = "") -> None:
        """Reserve the promise in the population's ledger, and begin to learn."""
        self._store._act("start", self._id, by)

    def pause(self, *, by: str = "") -> None:
        """Show the control arm and learn nothing new; what waits settles as it would."""
        self._store._act("pause", self._id, by)

    def resume(self, *, by: str = "") -> None:
        """Go on after a pause."""
        self._store._act("resume", self._id, by)

    def stop(self, *, by: str = "") -> None:
        """Close all batches; when the last is shown, it has stopped."""
        self._store._act("stop", self._id, by)

    def continue_(self, *, by: str = "") -> None:
        """Go on after a quarantine: the promise is charged once more."""
        self._store._act("continue", self._id, by)

    def add_arm(self, name: str, *, by: str = "") -> None:
        """Add an arm; it begins without releases."""
        self._store._act("add_arm", self._id, by, name)

    def retire_arm(self, name: str, *, by: str = "") -> None:
        """Show an arm no more."""
        self._store._act("retire_arm", self._id, by, name)

    def adjust(
        self,
        *,
        control: str | None = None,
        control_share: float | None = None,
        floor: float | None = None,
        by: str = "",
    ) -> None:
        """Change what is shown whatever is learnt; it is post-processing and costs nothing.

        Parameters
        ----------
        control
            The arm that is shown while nothing is learnt.
        control_share
            The share of decisions that show the control arm in any case.
        floor
            The least chance of every active arm.
        """
        wanted = {"control": control, "control_share": control_share, "floor": floor}
        self._store._act("adjust", self._id, by, wanted)

    def decide(
        self,
        person: str,
        *,
        key: str | None = None,
        segment: str | None = None,
        defer: bool = False,
        seen: str | None = None,
    ) -> Decision:
        """Decide what to show a person.

        Parameters
        ----------
        person
            Who: one identifier per person, the same every time. Only a keyed hash is stored.
        key
            An idempotency key: a retry with the same key gets the same decision.
        segment
            Where the experiment has segments, which one.
        defer
            Register nothing yet: :meth:`activate` does, once the arm was really shown.
        seen
            The id of any earlier decision: evidence of how far the store has been, by which a
            store that was set back as a whole is found out.
        """
        request = {"person": person, "key": key, "segment": segment}
        return self._store._front.decide(self._id, request, defer=defer, seen=seen)

    def decide_many(self, requests: Iterable[Mapping[str, Any]]) -> list[Decision | HushError]:
        """Decide for many people in one transaction; each succeeds or fails by itself.

        A request has ``person`` and may have ``key`` and ``segment``.
        """
        return self._store._front.decide_many(self._id, list(requests))

    def activate(self, decision: Decision | str, *, person: str) -> Decision:
        """Register a deferred decision, now that its arm was shown; again gives the same one."""
        name = decision.id if isinstance(decision, Decision) else decision
        return self._store._front.activate(self._id, name, person)

    def reward(self, decision: Decision | str, value: float) -> None:
        """Say what came of a decision: the last value within the window counts.

        Nothing tells whether it does. A reward after the window raises
        :class:`~hush.ExpiredError`, one for an id that is not this experiment's
        :class:`~hush.NoDecisionError`.
        """
        name = decision.id if isinstance(decision, Decision) else decision
        (answer,) = self._store._front.reward_many([(name, value)], self._id)
        if answer is not None:
            raise answer

    def reward_many(
        self, rewards: Iterable[tuple[Decision | str, float]]
    ) -> list[HushError | None]:
        """Say what came of many decisions; each is taken or refused by itself."""
        pairs = [(d.id if isinstance(d, Decision) else d, value) for d, value in rewards]
        return self._store._front.reward_many(pairs, self._id)

    @property
    def plan(self) -> dict[str, Any]:
        """The current plan: every arm's chance, and what has been released of it."""
        plans = self.plans
        if len(plans) > 1:
            raise ParameterError("this experiment has segments: each has its plan, see plans")
        return next(iter(plans.values()))

    @property
    def plans(self) -> dict[str, dict[str, Any]]:
        """The current plan of every segment."""
        return self._store._plans(self._id)

    @property
    def releases(self) -> tuple[Published, ...]:
        """Everything that was released, oldest first."""
        known = self._known
        return tuple(
            Published(
                segment=known.terms.segments[body["segment"]],
                arm=body["arm"],
                name=known.arms.names[body["arm"]],
                epoch=body["epoch"],
                count=body["count"],
                value=body["value"],
                mechanism=body["mechanism"],
                epsilon=body["epsilon"],
                at=moment(at),
            )
            for at, body in self._store._entries(self._id, "release")
        )

    @property
    def acts(self) -> list[dict[str, Any]]:
        """What operators did, oldest first."""
        return [
            {"at": moment(at).isoformat(), **body}
            for at, body in self._store._entries(self._id, "act")
        ]

    @property
    def tallies(self) -> list[dict[str, Any]]:
        """How many decisions there were of each arm, and how many of them are learnt from."""
        return self._store._tallies(self._id)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised to every person, and why."""
        known = self._known
        epsilon = known.terms.person_epsilon * max(known.charges, 1)
        return Guarantee(epsilon, "replace", "person", sentence(known, self._store.secure), epsilon)

    def __repr__(self) -> str:
        known = self._known
        return (
            f"<experiment {self.name}: {known.state}, {len(known.arms.names)} arms, "
            f"{known.released} releases>"
        )
