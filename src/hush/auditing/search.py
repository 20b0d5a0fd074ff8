"""What the parts of the exact method share: the worst case so far."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

from hush.auditing.enumeration import ArmLaw
from hush.auditing.finding import Witness
from hush.auditing.reward_tables import Pair
from hush.policies import Policy
from hush.theory.two_arms import Arms

__all__ = ["Candidate", "Search", "arms_text"]


@dataclass(frozen=True)
class Candidate:
    """A pair of tables with both laws: what a statistical attack may choose from.

    ``averaged`` tells whether the laws take the selection rule's own draws into account.
    """

    policy: Policy
    pair: Pair
    first: ArmLaw
    second: ArmLaw
    averaged: bool = False


@dataclass
class Search:
    """The worst case so far, and how it was looked for."""

    loss: float = -math.inf
    witness: Witness | None = None
    parts: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    differing: int = 0  # the largest number of rounds in which compared tables differ

    def compared(self, rounds: int) -> None:
        """Note in how many rounds compared tables differ."""
        self.differing = max(self.differing, rounds)

    def found(self, loss: float, witness: Witness) -> None:
        """Keep a witness that is worse than all before."""
        if loss > self.loss:
            self.loss, self.witness = loss, witness


def arms_text(arms: Arms) -> str:
    """Write an arm sequence, runs of one arm once.

    >>> arms_text((0, 1, 1))
    '0, 1 x2'
    """
    groups = [(arm, len(list(run))) for arm, run in itertools.groupby(arms)]
    return ", ".join(str(arm) if many == 1 else f"{arm} x{many}" for arm, many in groups)
