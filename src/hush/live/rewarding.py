"""The door for rewards: an id is read, a reward becomes a bit, and the bit is written over one.

Whether a reward is accepted depends on its own bytes, its id and the clock alone: no query is made
for that, and no other person's reward can change it. The answer never says whether it counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hush.errors import ExpiredError
from hush.live.database import Database
from hush.live.ids import DecisionId, bit_of
from hush.live.keys import Keys
from hush.live.pending import Pending
from hush.live.terms import Terms

__all__ = ["Posted", "Rewards"]


@dataclass(slots=True)
class Posted:
    """A reward that can be accepted if it comes in time."""

    decision: DecisionId
    unit: float
    terms: Terms

    def __repr__(self) -> str:
        return "Posted(<reward>)"


class Rewards:
    """Writes rewards."""

    def __init__(self, database: Database, keys: Keys, now: Callable[[], int]) -> None:
        self._database = database
        self._pending = Pending(database)
        self._keys = keys
        self._now = now

    def write(self, rewards: list[Posted]) -> list[Exception | None]:
        """Write rewards in one transaction; those that are late are answered so."""
        with self._database.transaction():
            now = self._now()
            self.put([each for each in rewards if now <= each.decision.deadline])
            # Had settlement been faster, more time would have passed than its grace.
            after = self._now()
        return [
            None
            if now <= each.decision.deadline and after <= each.decision.deadline + each.terms.grace
            else ExpiredError("the window for this decision's reward is over")
            for each in rewards
        ]

    def put(self, rewards: list[Posted]) -> None:
        """Write rewards over the bits that wait; inside a transaction."""
        self._pending.put(self._bit(each) for each in rewards)

    def _bit(self, posted: Posted) -> tuple[int, int, int, int]:
        made = posted.decision
        bit = bit_of(posted.unit, made.worker, made.ordinal, self._keys)
        return bit, made.batch, made.worker, made.ordinal
