"""Decisions with an id of their own, and those of them that are open."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from hush.errors import AlreadySettledError, NoDecisionError

__all__ = ["Decision", "OpenDecisions"]


@dataclass(frozen=True)
class Decision:
    """What :meth:`~hush.Learner.decide` returns: an arm, and an id that settles once.

    Attributes
    ----------
    id
        A text that no other decision has, whatever crashes and restores come between. Keep it with
        whatever was shown, and hand it to ``settle`` with the reward.
    arm
        The arm to play.
    round
        Which round this is, from 1.

    Examples
    --------
    >>> import hush
    >>> learner = hush.LazyDPTS(epsilon=1.0).learner(n_arms=2)
    >>> decision = learner.decide()
    >>> decision.arm, decision.round
    (0, 1)
    >>> _ = learner.settle(decision.id, 1)
    >>> learner.settle(decision.id, 1)
    Traceback (most recent call last):
    ...
    hush.errors.AlreadySettledError: this decision is settled already; its reward counts once
    """

    id: str
    arm: int
    round: int


class OpenDecisions:
    """The decisions of a learner that wait for their reward, by id.

    An id is the learner's session, drawn anew when it is made or restored, and a number. So an id
    that was lost in a crash is never given again, and nobody's reward settles another decision.
    """

    def __init__(self) -> None:
        self.arms: dict[str, int] = {}
        self._session = secrets.token_hex(8)
        self._made = 0

    def open(self, arm: int, at: int) -> Decision:
        """Return a new decision."""
        decision = Decision(f"{self._session}.{self._made}", arm, at)
        self._made += 1
        self.arms[decision.id] = arm
        return decision

    def find(self, decision: Decision | str) -> tuple[str, int]:
        """Return the id and the arm of an open decision, or raise."""
        name = decision.id if isinstance(decision, Decision) else decision
        if isinstance(name, str):
            arm = self.arms.get(name)
            if arm is not None:
                return name, arm
            session, _, number = name.partition(".")
            if session == self._session and number.isdecimal() and int(number) < self._made:
                raise AlreadySettledError(
                    "this decision is settled already; its reward counts once"
                )
        raise NoDecisionError(
            "no such decision is open: it was settled before a restart, made after the state "
            "that was restored, or never made here"
        )

    def close(self, name: str) -> None:
        """Forget a decision that is settled or has expired."""
        del self.arms[name]

    def count(self, counts: list[int]) -> list[int]:
        """Add how many decisions of each arm are open."""
        for arm in self.arms.values():
            counts[arm] += 1
        return counts

    def restore(self, arms: Mapping[str, int]) -> None:
        """Take over open decisions; new ones get another session's ids."""
        self.arms = dict(arms)
