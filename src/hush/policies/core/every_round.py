"""Policies without privacy that learn from every reward at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hush.mechanisms import EveryRound, Schedule
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.statistics import Memory

__all__ = ["EveryRoundPolicy"]


@dataclass(frozen=True)
class EveryRoundPolicy(BanditPolicy):
    """What the non-private peers share: exact sums of all rewards so far, known every round.

    Name it before the family: ``class UCB1(EveryRoundPolicy, IndexPolicy)``.
    """

    memory: ClassVar[Memory] = "total"
    non_private = True

    @property
    def schedule(self) -> Schedule:
        """Learn every round."""
        return EveryRound()
