"""Insight into experiments, kept up to date: each entry of the journal is taken in once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from hush.live.beliefs import Beliefs
from hush.live.insight import Insight, checked_delta, segment_insight
from hush.live.journal import Entry
from hush.live.reading import Records
from hush.live.terms import Terms

__all__ = ["Insights"]

KINDS = ("create", "act", "release")
MOST_KEPT = 64


class _Story:
    """What was taken in of one experiment: its segments' beliefs, and when it ran."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.seq = self.last = 0
        self.segments = [Beliefs(terms, place) for place in range(len(terms.segments))]
        self._ran = 0
        self._since: int | None = None

    def take(self, entries: Sequence[Entry]) -> None:
        """Take in entries that are new."""
        for beliefs in self.segments:
            beliefs.take(entries)
        for entry in entries:
            state = entry.body["set"].get("state") if entry.kind == "act" else None
            if state is not None:
                self._ran = self.ran(entry.at)
                self._since = entry.at if state == "running" else None
        if entries:
            self.seq, self.last = entries[-1].seq, entries[-1].at

    def ran(self, now: int) -> int:
        """Return for how many milliseconds it has run."""
        return self._ran + (0 if self._since is None else max(now - self._since, 0))

    def clock(self, now: int) -> tuple[int, int, bool]:
        """Return the same with the time, and whether it runs."""
        return self.ran(now), now, self._since is not None


class Insights:
    """What is known of a store's experiments.

    Parameters
    ----------
    records
        The public store; nothing else is read.

    Examples
    --------
    >>> import hush.live
    >>> store = hush.live.open(":memory:")
    >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                    person_epsilon=1.0)
    >>> Insights(store._records).of(exp._id)
    {'': <insight: 2 arms, 0 releases; no arm leads: nothing was released yet>}
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self._stories: OrderedDict[int, _Story] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, number: int, *, now: int | None = None, delta: float = 0.05) -> dict[str, Insight]:
        """Return what is known of an experiment, by segment.

        Parameters
        ----------
        number
            The experiment's.
        now
            What time it is, in milliseconds; left out, that of the last entry of the experiment.
        delta
            How likely the decision that is expected may be wrong.
        """
        wrong = checked_delta(delta)
        with self._lock:
            story = self._up_to_date(number)
            tallies = self._records.counts(number)
            at = story.last if now is None else now
            return {
                name: segment_insight(
                    story.segments[place],
                    story.terms,
                    place,
                    tallies.get(place, {}),
                    story.clock(at),
                    wrong,
                )
                for place, name in enumerate(story.terms.segments)
            }

    def _up_to_date(self, number: int) -> _Story:
        known = self._records.known(number)
        story = self._stories.get(number)
        if story is None or story.seq > known.version:  # the store was set back
            story = self._stories[number] = _Story(known.terms)
        self._stories.move_to_end(number)
        if len(self._stories) > MOST_KEPT:
            self._stories.popitem(last=False)
        story.take(self._records.entries(number, KINDS, story.seq))
        return story
