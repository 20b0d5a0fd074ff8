"""Arms without a release: which of them is played before the rule may choose."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

__all__ = ["FirstReleases"]

UNKNOWN = -1


class FirstReleases:
    """Which arm without a release comes next, at a cost that hardly grows with their number.

    An arm is played until its decisions suffice for its first release: those that are outstanding,
    and those whose reward came. Fewest outstanding first, then the lowest number. An arm whose
    rewards never come is then left alone while others have a release.

    Examples
    --------
    >>> first = FirstReleases(2, wanted=1)
    >>> first.next()
    0
    >>> first.decided(0)
    >>> first.next()
    1
    >>> first.decided(1)
    >>> first.released(1)
    >>> first.next() is None  # arm 1 has a release, and arm 0 waits for a reward
    True
    """

    def __init__(self, n_arms: int, wanted: int) -> None:
        self._wanted = wanted
        self._claimed = [0] * n_arms
        self._outstanding = [0] * n_arms
        self._waiting = [True] * n_arms
        self.left = n_arms
        self._build()

    def _build(self) -> None:
        self._first: int | None = UNKNOWN
        # The key of every arm that waits; others of its in the queue are out of date.
        self._keys = [self._key(arm) if waits else None for arm, waits in enumerate(self._waiting)]
        self._queue = [key for key in self._keys if key is not None]
        heapq.heapify(self._queue)

    def _key(self, arm: int) -> tuple[bool, int, int]:
        # An arm whose rewards all came, and no release, wants more of them than was said.
        enough = self._claimed[arm] >= self._wanted and self._outstanding[arm] > 0
        return enough, self._outstanding[arm], arm

    def next(self) -> int | None:
        """Return the arm to play; None where the rule may choose among the arms with a release."""
        if self._first == UNKNOWN:
            queue, keys = self._queue, self._keys
            while queue[0] is not keys[queue[0][2]]:
                heapq.heappop(queue)
            enough, _, arm = queue[0]
            self._first = None if enough and self.left < len(self._waiting) else arm
        return self._first

    def with_release(self) -> list[int]:
        """Return the arms that have one."""
        return [arm for arm, waits in enumerate(self._waiting) if not waits]

    def decided(self, arm: int) -> None:
        """Take note of a decision."""
        self._change(arm, 1, 1)

    def settled(self, arm: int) -> None:
        """Take note of a reward."""
        self._change(arm, 0, -1)

    def dropped(self, arm: int) -> None:
        """Take note of a decision that no reward will come for."""
        self._change(arm, -1, -1)

    def _change(self, arm: int, claimed: int, outstanding: int) -> None:
        if not self._waiting[arm]:
            return
        self._claimed[arm] += claimed
        self._outstanding[arm] += outstanding
        self._keys[arm] = key = self._key(arm)
        heapq.heappush(self._queue, key)
        self._first = UNKNOWN
        if len(self._queue) > 64 + 4 * self.left:
            self._build()

    def released(self, arm: int) -> None:
        """Take note of an arm's release."""
        if self._waiting[arm]:
            self._waiting[arm] = False
            self._keys[arm] = None
            self.left -= 1
            self._first = UNKNOWN

    def resume(
        self, released: Iterable[bool], outstanding: Sequence[int], arrived: Sequence[int]
    ) -> None:
        """Start from here: who has a release, and how many decisions and rewards count."""
        self._waiting = [not each for each in released]
        self.left = sum(self._waiting)
        self._outstanding = list(outstanding)
        self._claimed = [o + a for o, a in zip(outstanding, arrived, strict=True)]
        self._build()
