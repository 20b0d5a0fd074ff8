"""What a segment's releases say, release by release: a fold over the journal.

Every batch of a live experiment is a set of decisions of its own, whatever its policy makes of the
releases: so an arm's posterior is that given *all* of its releases, exactly, noise included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hush.live.journal import Entry, written
from hush.live.planning import Arms, Knobs, Plan
from hush.live.terms import Terms
from hush.numerics.posterior import Posterior
from hush.numerics.posterior_chances import win_chances
from hush.numerics.prior import Prior
from hush.policies import NoiseAwareTS
from hush.policies.core.intervals import TELLING

__all__ = ["MOST_POINTS", "Beliefs", "Point"]

MOST_POINTS = 200


@dataclass(frozen=True)
class Point:
    """What was known after a release: the chances to be the best, and the plan's, by arm."""

    number: int
    at: int
    seq: int
    arm: int
    count: int
    best: tuple[float | None, ...]
    plan: tuple[float, ...] | None


class Beliefs:
    """The arms' posteriors in one segment, and how they came about.

    Releases are taken in by groups, up to the next point of the history: the numbers that are
    multiples of a power of two, such that there are at most 200, and the last. So the history is
    the same whenever it was asked for before.

    Attributes
    ----------
    counts, sums, releases
        How many decisions of each arm its releases have, their noisy sum, and how many there are.
    points
        The history, oldest first, but for the last release.
    """

    def __init__(self, terms: Terms, segment: int) -> None:
        self._terms = terms
        self._segment = segment
        policy = terms.learning
        belief: Prior | None = getattr(policy, "belief", None)
        self.samples = belief is not None  # the plan's chances are those to be the best
        self._explores = policy.explores_first
        prior = NoiseAwareTS(epsilon=terms.epsilon).belief if belief is None else belief
        self._tells = terms.epsilon > TELLING  # what was summed: noise is smaller than a half
        self._before = Posterior.before(epsilon=min(terms.epsilon, TELLING), prior=prior)
        self._posteriors: list[Posterior] = []
        self._waiting: list[list[tuple[int, float]]] = []
        self._entries: list[Entry] = []
        self._stride = 1
        self.counts: list[int] = []
        self.sums: list[float] = []
        self.releases: list[int] = []
        self.points: list[Point] = []
        self._last: Point | None = None

    def take(self, entries: Sequence[Entry]) -> None:
        """Take in more of the experiment's journal: its making, acts and releases, in order."""
        mine = [
            (entry, body)
            for entry in entries
            for body in (entry.body,)
            if entry.kind != "release" or body["segment"] == self._segment
        ]
        total = len(self._entries) + sum(entry.kind == "release" for entry, _ in mine)
        while total // self._stride >= MOST_POINTS:
            self._stride *= 2
        self.points = [each for each in self.points if each.number % self._stride == 0]
        for entry, body in mine:
            if entry.kind == "release":
                self._release(entry, body["arm"], body["count"], body["value"])
            else:
                self._change(body if entry.kind == "create" else body["set"])

    def _change(self, found: dict[str, object]) -> None:
        """Take over what an act changed of arms and knobs."""
        if "arms" in found:
            self.arms = Arms.from_text(written(found["arms"]))
            new = len(self.arms.names) - len(self.counts)
            self._posteriors += [self._before] * new
            self._waiting += [[] for _ in range(new)]
            self.counts += [0] * new
            self.sums += [0.0] * new
            self.releases += [0] * new
        if "knobs" in found:
            self.knobs = Knobs(**found["knobs"])  # type: ignore[arg-type]  # it was stored by them
        if "arms" in found or "knobs" in found:
            self._last = None
            self.plan = Plan(self._terms, self.arms, self.knobs, self._segment)
            if not self.samples:
                self.plan.absorb(self._entries)

    def _release(self, entry: Entry, arm: int, count: int, value: float) -> None:
        self._entries.append(entry)
        told = float(min(max(round(value), 0), count)) if self._tells else float(value)
        self._waiting[arm].append((count, told))
        self.counts[arm] += count
        self.sums[arm] += value
        self.releases[arm] += 1
        self._last = None
        self._newest = arm, count
        if not self.samples:
            self.plan.absorb([entry])
        if len(self._entries) % self._stride == 0:
            self._last = self._point()
            self.points.append(self._last)

    @property
    def last(self) -> Point | None:
        """What is known now; None before the first release."""
        if self._last is None and self._entries:
            self._last = self._point()
        return self._last

    @property
    def history(self) -> list[Point]:
        """The points, and the last one whatever its number."""
        last = self.last
        if last is None or (self.points and self.points[-1].number == last.number):
            return self.points[:-1] + ([] if last is None else [last])
        return [*self.points, last]

    def posterior(self, arm: int) -> Posterior:
        """Return what is known about an arm's mean, mapped to [0, 1]."""
        if self._waiting[arm]:
            self._posteriors[arm] = self._posteriors[arm].given_all(self._waiting[arm])
            self._waiting[arm] = []
        return self._posteriors[arm]

    def best(self) -> tuple[float | None, ...]:
        """Return the chance of each active arm to be the best of them."""
        active = self.arms.active
        chances = win_chances([self.posterior(arm) for arm in active])
        found: list[float | None] = [None] * len(self.arms.names)
        for arm, chance in zip(active, chances, strict=True):
            found[arm] = float(chance)
        return tuple(found)

    def _point(self) -> Point:
        entry, best = self._entries[-1], self.best()
        return Point(
            len(self._entries), entry.at, entry.seq, *self._newest, best, self._allocation(best)
        )

    def _allocation(self, best: tuple[float | None, ...]) -> tuple[float, ...] | None:
        """Return the plan's chances; None while arms wait for their first release."""
        active = self.arms.active
        if self._explores and not all(self.counts[arm] for arm in active):
            return None
        if not self.samples:
            return tuple(self.plan.chances(sum(self.counts) + 1))
        chances = np.array([best[arm] for arm in active], dtype=np.float64)
        return self.plan.spread(self.plan.mixed(chances) if self.knobs.turned else chances)
