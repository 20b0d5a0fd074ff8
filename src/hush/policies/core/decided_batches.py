"""Batches of decisions whose lengths are said when they open, some full before their rewards come.

A batch is a set of an arm's decisions, in order. While a full one waits for its rewards, the arm's
next one opens: several may wait at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hush.errors import StateError, whole
from hush.policies.core.states import state_part

__all__ = ["DecidedBatches"]

DAMAGED = "this state's batches are damaged; restore from an intact copy"


class DecidedBatches:
    """How many decisions of each arm were made, and which batches they are in.

    Attributes
    ----------
    played
        Decisions of each arm, but for those that were dropped.
    released
        How many of them are in a release.
    begun, lacking
        How many the arm's open batch has, and how many more it takes; 0 where none is open.
    waiting
        The sizes of the arm's full batches whose release is still to come, in order.

    Examples
    --------
    >>> batches = DecidedBatches(n_arms=1)
    >>> for _ in range(5):
    ...     batches.decide(0, opens_with=4)
    >>> batches.waiting, batches.begun, batches.lacking
    ([[4]], [1], [3])
    """

    def __init__(self, n_arms: int) -> None:
        self._n_arms = n_arms
        self.played, self.released = [0] * n_arms, [0] * n_arms
        self.begun, self.lacking = [0] * n_arms, [0] * n_arms
        self.waiting: list[list[int]] = [[] for _ in range(n_arms)]

    def waits(self, arm: int) -> bool:
        """Tell whether a full batch of the arm waits for its rewards."""
        return self.played[arm] - self.begun[arm] > self.released[arm]

    def decide(self, arm: int, opens_with: int) -> None:
        """Give a decision its place; a batch that it opens takes so many."""
        self.played[arm] += 1
        if not self.begun[arm]:
            self.lacking[arm] = opens_with
        self.begun[arm] += 1
        self.lacking[arm] -= 1
        if not self.lacking[arm]:
            self.waiting[arm].append(self.begun[arm])
            self.begun[arm] = 0

    def drop(self, arm: int) -> None:
        """Take a decision out: the last batch lacks one more, and is not open without any."""
        self.played[arm] = max(self.released[arm], self.played[arm] - 1)
        if not self.begun[arm] and self.waiting[arm]:
            self.begun[arm] = self.waiting[arm].pop()
        if self.begun[arm]:
            self.begun[arm] -= 1
            self.lacking[arm] += 1
        if not self.begun[arm]:
            self.lacking[arm] = 0

    def release(self, arm: int, count: int) -> None:
        """Take note of a release of so many decisions."""
        self.released[arm] += count
        waiting = self.waiting[arm]
        while waiting and count > 0:
            taken = min(waiting[0], count)
            count -= taken
            waiting[0] -= taken
            if not waiting[0]:
                waiting.pop(0)

    def take_over(
        self, decided: Sequence[int], begun: Sequence[int], lacking: Sequence[int]
    ) -> bool:
        """Take over where decisions stand, whoever made them; tell whether that is news."""
        told = list(decided), list(begun), list(lacking)
        if told == (self.played, self.begun, self.lacking):
            return False
        self.played, self.begun, self.lacking = told
        for arm in range(self._n_arms):
            full = self.played[arm] - self.begun[arm] - self.released[arm]
            self.waiting[arm] = [full] if full > 0 else []
        return True

    def state(self) -> dict[str, Any]:
        """Return where decisions stand, as plain values."""
        return {
            "played": list(self.played),
            "begun": list(self.begun),
            "lacking": list(self.lacking),
            "waiting": [list(each) for each in self.waiting],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a :meth:`state`; what is released is known already."""
        self.played, self.begun, self.lacking = (
            [whole(key, each, least=0) for each in state_part(state, key, list)]
            for key in ("played", "begun", "lacking")
        )
        waiting = state_part(state, "waiting", list)
        if not all(isinstance(each, list) for each in waiting):
            raise StateError(DAMAGED)
        self.waiting = [[whole("waiting", size, least=1) for size in each] for each in waiting]
        parts = (self.played, self.begun, self.lacking, self.waiting)
        if any(len(part) != self._n_arms for part in parts) or not all(
            bool(begun) == bool(lacking)
            for begun, lacking in zip(self.begun, self.lacking, strict=True)
        ):
            raise StateError(DAMAGED)
