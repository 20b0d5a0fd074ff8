"""Odds: the chances of all arms that a decision was drawn from, for the sample-ratio test.

How often each arm was somebody's first decision can be held against how often it was to be. That
takes the chances of all arms, not only of the one that was chosen; decisions that were drawn from
the same chances share them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from hush.live.lanes import Lane

__all__ = ["Odds", "Offers", "count_in"]

Odds = tuple[float, ...]
"""The chance of every arm of an experiment, by number; none is 1."""

MOST_OFFERS = 1_000


def count_in(lanes: list[Lane], odds: Odds, times: int) -> None:
    """Let a segment's lanes know that so many first decisions were drawn from these odds.

    >>> lanes = [Lane(1, 1, 0, 0), Lane(2, 1, 0, 1)]
    >>> count_in(lanes, (0.25, 0.75), times=4)
    >>> [(lane.expected, lane.spread) for lane in lanes]
    [(1.0, 0.75), (3.0, 0.75)]
    """
    for lane, chance in zip(lanes, odds, strict=False):  # arms may have come since
        if chance:
            lane.expected += times * chance
            lane.spread += times * chance * (1.0 - chance)


class Offers:
    """The odds of deferred decisions, until they are activated.

    The id of a deferred decision holds the chance of its own arm alone, so this process remembers
    the others, once a plan's version. Where they change within a version there are none; whether
    there are never depends on the arm.

    Examples
    --------
    >>> offers = Offers()
    >>> offers.note((1, 0, 7), (0.5, 0.5))
    >>> offers.of((1, 0, 7)), offers.of((1, 0, 8)), offers.of((1, 0, 7), retired=[1])
    ((0.5, 0.5), None, None)
    """

    def __init__(self) -> None:
        self._odds: OrderedDict[tuple[int, int, int], Odds | None] = OrderedDict()

    def note(self, offer: tuple[int, int, int], odds: Odds | None) -> None:
        """Remember the odds of a plan: of an experiment, a segment and a version."""
        if self._odds.setdefault(offer, odds) != odds:
            self._odds[offer] = None
        if len(self._odds) > MOST_OFFERS:
            self._odds.popitem(last=False)

    def of(self, offer: tuple[int, int, int], retired: Iterable[int] = ()) -> Odds | None:
        """Return them; None too where an arm was retired since, whose decisions do not count."""
        odds = self._odds.get(offer)
        if odds is not None and any(odds[arm] for arm in retired):
            return None
        return odds
