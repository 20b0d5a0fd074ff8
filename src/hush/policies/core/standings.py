"""Which arm's index is largest, found without a look at every arm."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from hush.policies.core.statistics import Floats, Statistics, not_a_number

__all__ = ["Standings"]

Index = Callable[[Any, Any, float], Any]


class _Group:
    """Arms of one mean and count, hence of one index, lowest first."""

    __slots__ = ("arms", "bound", "count", "mean")

    def __init__(self, mean: float, count: float) -> None:
        self.mean, self.count = mean, count
        self.arms: list[int] = []
        self.bound = math.inf


class Standings:
    """Knows the arm of the largest index, lowest arm first on a tie.

    No index falls while statistics stand still, so an index *later* bounds it until then. Arms are
    kept in the order of such bounds. In most rounds the first one's index is above the second one's
    bound, which settles the matter for as long as the bounds hold. Arms of one mean and count are
    looked at once. The bounds' reach doubles each time it is used up, and halves when too many
    indices had to be computed.

    Parameters
    ----------
    index
        The index of a mean and a count in a round: of numbers or of arrays.
    statistics
        What has been released; :meth:`changed` says where it changed.

    Examples
    --------
    >>> statistics = Statistics(3)
    >>> statistics.restore(np.array([4.0, 4.0, 1.0]), np.array([1.0, 2.0, 0.0]))
    >>> standings = Standings(lambda mean, count, t: mean + np.log(t) / count, statistics)
    >>> [standings.leader(t)[0] for t in (1, 2, 3)]
    [1, 2, 2]
    """

    def __init__(self, index: Index, statistics: Statistics) -> None:
        self._index = index
        self._statistics = statistics
        self._reach = 1
        self._begin()

    def _begin(self) -> None:
        n_arms = self._statistics.counts.size
        self._groups: dict[tuple[float, float], _Group] = {}
        self._group_of: list[_Group | None] = [None] * n_arms
        # The bound with its sign turned, the lowest arm, the group: first comes first.
        self._order: list[tuple[float, int, _Group]] = []
        self._changed = set(range(n_arms))
        self._last = 0  # the round up to which bounds hold
        self._extra = 0  # indices that were computed beyond one a look
        self._whole = True

    def changed(self, arm: int) -> None:
        """Take note that an arm's statistic changed."""
        self._changed.add(arm)

    def leader(self, t: int) -> tuple[int, int]:
        """Return the arm that leads in round ``t``, and a round up to which it does.

        That holds as long as no statistic changes. Rounds must not go back.
        """
        if not self._whole:  # an error or an interrupt left a change half done
            self._begin()
        self._whole = False
        if self._extra > 16 + len(self._order) // 4:
            self._look_ahead(t, max(1, self._reach // 2))
        elif t > self._last:
            self._look_ahead(t, min(2 * self._reach, 2**40))
        elif self._changed:
            self._regroup(ordered=True)
        self._whole = True
        _, leading, group = self._order[0]
        best, until = self._value(group, t, leading), self._last
        for turned, arm, group in islice(self._order, 1, None):
            if -turned < best or (-turned == best and arm > leading):
                break
            until = t
            self._extra += 1
            value = self._value(group, t, arm)
            if value > best or (value == best and arm < leading):
                best, leading = value, arm
        return leading, until

    def _value(self, group: _Group, t: int, arm: int) -> float:
        value = float(self._index(group.mean, group.count, float(t)))
        if math.isnan(value):
            raise not_a_number("an index", arm)
        return value

    def _look_ahead(self, t: int, reach: int) -> None:
        """Compute all bounds anew, for some rounds to come."""
        self._regroup(ordered=False)
        groups = list(self._groups.values())
        means, counts = (np.array(each) for each in zip(*self._groups, strict=True))
        bounds: Floats = self._index(means, counts, float(t + reach - 1))
        if np.isnan(bounds).any():
            raise not_a_number("an index", groups[int(np.isnan(bounds).argmax())].arms[0])
        for group, bound in zip(groups, bounds.tolist(), strict=True):
            group.bound = bound
        self._order = sorted((-group.bound, group.arms[0], group) for group in groups)
        self._last, self._reach, self._extra = t + reach - 1, reach, 0

    def _regroup(self, *, ordered: bool) -> None:
        """Put arms that changed where they belong; in the order as well, unless it is made anew."""
        means, counts = self._statistics.means, self._statistics.counts
        for arm in self._changed:
            pair = means[arm], counts[arm]
            group, old = self._groups.get(pair), self._group_of[arm]
            if group is None:
                group = self._groups[pair] = self._new(*pair, arm, ordered=ordered)
            if old is not group:
                if old is not None:
                    self._leave(old, arm, ordered=ordered)
                self._join(group, arm, ordered=ordered)
        self._changed.clear()

    def _new(self, mean: float, count: float, arm: int, *, ordered: bool) -> _Group:
        group = _Group(mean, count)
        if ordered:
            group.bound = self._value(group, self._last, arm)
        return group

    def _leave(self, group: _Group, arm: int, *, ordered: bool) -> None:
        arms = group.arms
        if arms[0] != arm:
            del arms[bisect_left(arms, arm)]
            return
        del arms[0]
        if ordered:
            del self._order[bisect_left(self._order, (-group.bound, arm))]
        if not arms:
            del self._groups[group.mean, group.count]
        elif ordered:
            insort(self._order, (-group.bound, arms[0], group))

    def _join(self, group: _Group, arm: int, *, ordered: bool) -> None:
        arms = group.arms
        if ordered and (not arms or arm < arms[0]):
            if arms:
                del self._order[bisect_left(self._order, (-group.bound, arms[0]))]
            insort(self._order, (-group.bound, arm, group))
        insort(arms, arm)
        self._group_of[arm] = group
