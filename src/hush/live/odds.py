"""Odds: the chances of all arms that a decision was drawn from, for the sample-ratio test.

How often each arm was somebody's first decision can be held against how often it was to be. That
takes the chances of all arms, not only of the one that was chosen; decisions that were drawn from
the same chances share them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress

from hush.errors import StoreError
from hush.live.database import Database
from hush.live.lanes import Lane

__all__ = ["Firsts", "Odds", "Offers"]

Odds = tuple[float, ...]
"""The chance of every arm of an experiment, by number; none is 1."""

MOST_OFFERS = 1_000
EVERY = 10_000  # milliseconds
ADD = (
    "UPDATE lanes SET firsts = firsts + ?, expected = expected + ?, spread = spread + ? "
    "WHERE lane = ? AND experiment = ?"
)


class Firsts:
    """First decisions that were left to chance: how often each arm was shown, and was to be.

    They are added up in memory, and written to their lanes once in ten seconds, at settlement and
    at the end; so a decision changes the lane of its own arm alone. A process that is killed
    forgets those since, what was shown together with what was to be.

    Examples
    --------
    >>> from hush.live.sqlite import SQLite
    >>> database = SQLite(":memory:")
    >>> _ = database.run("CREATE TABLE lanes (lane, experiment, firsts, expected, spread)")
    >>> database.many("INSERT INTO lanes VALUES (?, 1, 0, 0, 0)", [(7,), (8,)])
    >>> firsts = Firsts(database)
    >>> firsts.add([Lane(7, 1, 0, 0), Lane(8, 1, 0, 1)], (0.25, 0.75), shown=[1, 0, 1, 1])
    >>> firsts.write()
    >>> database.run("SELECT * FROM lanes")
    [(7, 1, 1, 1.0, 0.75), (8, 1, 3, 3.0, 0.75)]
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sums: dict[tuple[int, int], tuple[int, float, float]] = {}
        self._since: int | None = None

    def add(self, lanes: list[Lane], odds: Odds, shown: list[int]) -> None:
        """Count decisions of a segment that were drawn from the same odds, by their arms."""
        times = len(shown)
        with self._database.lock:  # another thread may be writing them
            for lane, chance in zip(lanes, odds, strict=False):  # arms may have come since
                if chance:
                    place = lane.lane, lane.experiment
                    count, expected, spread = self._sums.get(place, (0, 0.0, 0.0))
                    self._sums[place] = (
                        count + shown.count(lane.arm),
                        expected + times * chance,
                        spread + times * chance * (1.0 - chance),
                    )

    def write_in_time(self, now: int) -> None:
        """Write them if that was not done for a while."""
        if self._since is None:
            self._since = now
        elif self._sums and not 0 <= now - self._since < EVERY:
            self._since = now
            with suppress(StoreError):  # then they wait for the next time
                self.write()

    def write(self) -> None:
        """Write them."""
        with self._database.lock:
            if not self._sums:
                return
            with self._database.transaction():
                # In the order in which all keep lanes, so that nobody waits for each other.
                rows = [(*sums, *place) for place, sums in sorted(self._sums.items())]
                self._database.many(ADD, rows)
            self._sums = {}


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
