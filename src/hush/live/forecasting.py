"""When a live experiment can be expected to name its best arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hush.live.beliefs import Beliefs
from hush.live.clock import moment
from hush.live.terms import Terms

__all__ = ["Expectation", "Traffic", "expectation"]

Floats = NDArray[np.float64]

STEPS = 400
LATEST = 221_845_392_000_000  # in the year 9000: what comes later has no date
FAR = 20.0  # times as long as it has run: what lies beyond is not in sight
ASSUMED = (
    "assumes that the arms' means are what is believed of them now, that decisions come and are "
    "learnt from as often as so far"
)


@dataclass(frozen=True)
class Traffic:
    """What was seen of decisions: how many of each arm are learnt from, and in how long a time.

    ``ran`` is for how many milliseconds the experiment has run, pauses left out; ``now`` is when.
    """

    learnt: tuple[int, ...]
    ran: int
    now: int
    running: bool


@dataclass(frozen=True)
class Expectation:
    """Which arm leads, and when it is known to be the best.

    Attributes
    ----------
    leader, chance
        The name of the arm that is most likely the best, and how likely it is; None before the
        first release.
    delta
        A decision is a chance of at least ``1 - delta``.
    since
        Where there is a decision: since which release, of those in the history, it stands.
    by
        Where there is none: when it can be expected; None where it is not in sight.
    basis
        What that rests on.

    Examples
    --------
    >>> import hush.live
    >>> exp = hush.live.open(":memory:").create(
    ...     "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0)
    >>> exp.insight[""].decision
    <no arm leads: nothing was released yet>
    """

    leader: str | None
    chance: float | None
    delta: float
    since: datetime | None
    by: datetime | None
    basis: str

    @property
    def decided(self) -> bool:
        """Whether there is a decision.

        >>> import hush.live
        >>> exp = hush.live.open(":memory:").create(
        ...     "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0)
        >>> exp.insight[""].decision.decided
        False
        """
        return self.chance is not None and self.chance >= 1.0 - self.delta

    def __str__(self) -> str:
        if self.chance is None:
            return f"no arm leads: {self.basis}"
        said = f"{self.leader} is the best with a chance of {self.chance:.1%}"
        if self.decided:
            return f"{said}, at least {1.0 - self.delta:.0%} since {self.since:%Y-%m-%d %H:%M} UTC"
        if self.by is None:
            return f"{said}; {1.0 - self.delta:.0%} is not in sight: {self.basis}"
        return f"{said}; {1.0 - self.delta:.0%} is expected by {self.by:%Y-%m-%d %H:%M} UTC"

    def __repr__(self) -> str:
        return f"<{self}>"


def expectation(beliefs: Beliefs, terms: Terms, traffic: Traffic, delta: float) -> Expectation:
    """Say when a segment's leader can be expected to be named."""
    last = beliefs.last
    if last is None:
        return Expectation(None, None, delta, None, None, "nothing was released yet")
    best = beliefs.best()
    leader = max(beliefs.arms.active, key=lambda arm: best[arm] or 0.0)
    name, chance = beliefs.arms.names[leader], best[leader] or 0.0
    if chance >= 1.0 - delta:
        since = last.at
        for point in reversed(beliefs.history):
            if leader >= len(point.best) or (point.best[leader] or 0.0) < 1.0 - delta:
                break
            since = point.at
        return Expectation(name, chance, delta, moment(since), None, "the releases so far")
    if not traffic.running:
        return Expectation(name, chance, delta, None, None, "it does not run")
    if not traffic.ran or not sum(traffic.learnt):
        return Expectation(name, chance, delta, None, None, "no traffic was seen yet")
    ahead = _Projection(beliefs, terms, traffic, leader).until(delta)
    shown = (
        "and that chances follow what is known"
        if beliefs.samples
        else "and that arms keep the shares of decisions that they had"
    )
    basis = f"{ASSUMED}, {shown}"
    if ahead is None or ahead + traffic.now > LATEST:
        basis = f"it lies beyond {FAR:g} times the time that it has run; {basis}"
        return Expectation(name, chance, delta, None, None, basis)
    return Expectation(name, chance, delta, None, moment(traffic.now + ahead), basis)


class _Projection:
    """The experiment played on in the mean, by normal laws: its arms' counts and their noise."""

    def __init__(self, beliefs: Beliefs, terms: Terms, traffic: Traffic, leader: int) -> None:
        self._beliefs, self._terms, self._traffic = beliefs, terms, traffic
        self._active = active = beliefs.arms.active
        self._leader = active.index(leader)
        means = np.array([beliefs.posterior(arm).mean for arm in active])
        self._gaps = means[self._leader] - means
        self._variances = means * (1.0 - means)
        self._released, self._releases, self._decided = (
            np.array([each[arm] for arm in active], dtype=np.float64)
            for each in (beliefs.counts, beliefs.releases, traffic.learnt)
        )
        self._kept: Floats = self._decided / self._decided.sum()  # the shares that arms had
        self._rate = sum(traffic.learnt) / traffic.ran

    def until(self, delta: float) -> int | None:
        """Return in how many milliseconds the leader is named; None beyond what is in sight."""
        if (np.delete(self._gaps, self._leader) <= 0.0).any():
            return None
        wait = self._terms.window + self._terms.grace + 2 * self._terms.tick
        decided, releases, shares = self._decided.copy(), self._releases.copy(), self._kept
        ran = float(self._traffic.ran)
        times = np.geomspace(ran, (1.0 + FAR) * ran, STEPS)
        for time, after in pairwise(times.tolist()):
            wanted = self._wanted(decided, shares)
            # A batch that is open is half full, in the mean.
            misses = self._misses(np.maximum(decided - 0.5 * wanted, self._released), releases)
            if misses.sum() <= delta:
                return int(time - ran) + wait
            shares = self._shares(misses)
            new = self._rate * (after - time) * shares
            decided += new
            releases += new / wanted
        return None

    def _wanted(self, decided: Floats, shares: Floats) -> Floats:
        """Return how many decisions the arms' batches take, or have when they are closed."""
        plan, age = self._beliefs.plan, self._terms.max_age
        sizes = np.array(
            [plan.wants(arm, int(n)) for arm, n in zip(self._active, decided, strict=True)],
            dtype=np.float64,
        )
        if age is None:
            return sizes
        aged: Floats = np.minimum(sizes, np.maximum(self._rate * shares * age, 1.0))
        return aged

    def _misses(self, counts: Floats, releases: Floats) -> Floats:
        """Return the chance of each arm to be better than the leader."""
        known = np.maximum(counts, 1.0)
        noise = 2.0 * np.maximum(releases, 1.0) / (self._terms.epsilon * known) ** 2
        spreads = self._variances / known + noise
        scales = np.sqrt(2.0 * (spreads + spreads[self._leader]))
        misses = [0.5 * math.erfc(each) for each in self._gaps / scales]
        misses[self._leader] = 0.0
        return np.array(misses)

    def _shares(self, misses: Floats) -> Floats:
        """Return the arms' shares of decisions that come."""
        if not self._beliefs.samples:
            return self._kept
        chances: Floats = misses / max(float(misses.sum()), 1.0)
        chances[self._leader] = 1.0 - chances.sum()
        return self._beliefs.plan.mixed(chances)
