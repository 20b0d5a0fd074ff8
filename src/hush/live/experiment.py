"""One live experiment, as those who use it see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hush.errors import HushError
from hush.live.experiment_acts import ExperimentActs
from hush.output.document import Paragraph

__all__ = ["Decision", "Experiment"]


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

    Examples
    --------
    >>> import hush.live
    >>> store = hush.live.open(":memory:", clock=hush.live.ManualClock())
    >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                    person_epsilon=1.0, window="1d")
    >>> exp.start()
    >>> decision = exp.decide("u17")
    >>> len(decision.id), decision.arm, decision.name, decision.propensity
    (64, 0, 'old', 1.0)
    >>> decision.expires.isoformat()
    '2026-01-02T00:00:00+00:00'
    """

    id: str
    arm: int
    name: str
    propensity: float
    expires: datetime
    plan: int
    deferred: bool = False


class Experiment(ExperimentActs):
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

        Examples
        --------
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.decide("u17", key="request-9") == exp.decide("u17", key="request-9")
        True
        """
        request = {"person": person, "key": key, "segment": segment}
        return self._store._front.decide(self._id, request, defer=defer, seen=seen)

    def decide_many(self, requests: Iterable[Mapping[str, Any]]) -> list[Decision | HushError]:
        """Decide for many people in one transaction; each succeeds or fails by itself.

        A request has ``person`` and may have ``key`` and ``segment``.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> one, two = exp.decide_many([{"person": "u17"}, {"person": ""}])
        >>> one.name, str(two)
        ('old', 'person must be a text of 1 to 512 characters')
        """
        return self._store._front.decide_many(self._id, list(requests))

    def activate(self, decision: Decision | str, *, person: str) -> Decision:
        """Register a deferred decision, now that its arm was shown; again gives the same one.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> planned = exp.decide("u17", defer=True)
        >>> shown = exp.activate(planned, person="u17")
        >>> shown.arm == planned.arm, shown.deferred
        (True, False)
        >>> exp.reward(shown, 1)
        """
        name = decision.id if isinstance(decision, Decision) else decision
        return self._store._front.activate(self._id, name, person)

    def reward(self, decision: Decision | str, value: float) -> None:
        """Say what came of a decision: the last value within the window counts.

        Nothing tells whether it does. A reward after the window raises
        :class:`~hush.ExpiredError`, one for an id that is not this experiment's
        :class:`~hush.NoDecisionError`.

        >>> import hush.live
        >>> clock = hush.live.ManualClock()
        >>> store = hush.live.open(":memory:", clock=clock)
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, window="1d")
        >>> exp.start()
        >>> decision = exp.decide("u17")
        >>> exp.reward(decision, 0.5)
        >>> exp.reward(decision, 1)  # she changed her mind
        >>> clock.advance("2d")
        >>> exp.reward(decision, 1)
        Traceback (most recent call last):
        ...
        hush.errors.ExpiredError: the window for this decision's reward is over
        """
        name = decision.id if isinstance(decision, Decision) else decision
        (answer,) = self._store._front.reward_many([(name, value)], self._id)
        if answer is not None:
            raise answer

    def reward_many(
        self, rewards: Iterable[tuple[Decision | str, float]]
    ) -> list[HushError | None]:
        """Say what came of many decisions; each is taken or refused by itself.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.reward_many([(exp.decide("u17"), 1), ("no id", 1)])
        [None, NoDecisionError('this is not the id of a decision of this experiment')]
        """
        pairs = [(d.id if isinstance(d, Decision) else d, value) for d, value in rewards]
        return self._store._front.reward_many(pairs, self._id)

    def __repr__(self) -> str:
        known = self._known
        return (
            f"<experiment {self.name}: {known.state}, {len(known.arms.names)} arms, "
            f"{known.released} releases>"
        )

    def _repr_html_(self) -> str:
        head = Paragraph(repr(self)[1:-1]).html()
        return head + "".join(each._repr_html_() for each in self.insight.values())
