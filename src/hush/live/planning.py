"""Plans: who may be shown what, with which chance. A function of releases and operators' acts.

A plan is the public half of a learner over the arms that are active, with the operators' knobs
applied to what it chooses. Deciding needs nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.live.journal import Entry
from hush.live.odds import Odds
from hush.live.terms import Terms
from hush.privacy import Release

__all__ = ["Arms", "Knobs", "Plan", "plan_body"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Arms:
    """The arms of an experiment, in the order in which they came; retired ones keep their place."""

    names: tuple[str, ...]
    retired: frozenset[int] = frozenset()

    @property
    def active(self) -> list[int]:
        """The numbers of the arms that may be shown."""
        return [arm for arm in range(len(self.names)) if arm not in self.retired]

    def to_list(self) -> list[list[Any]]:
        """Return plain values."""
        return [[name, int(arm in self.retired)] for arm, name in enumerate(self.names)]

    @classmethod
    def from_text(cls, text: str) -> Arms:
        """Read arms from the store."""
        rows = json.loads(text)
        return cls(
            tuple(row[0] for row in rows), frozenset(arm for arm, row in enumerate(rows) if row[1])
        )


@dataclass(frozen=True)
class Knobs:
    """What operators may change at any time: post-processing, so it costs no privacy.

    Attributes
    ----------
    control
        The arm that is shown while nothing is learnt.
    control_share
        The share of decisions that show it whatever the policy says.
    floor
        The least chance of every active arm.
    """

    control: int = 0
    control_share: float = 0.0
    floor: float = 0.0

    @property
    def turned(self) -> bool:
        """Whether they change what the policy chooses."""
        return self.control_share > 0.0 or self.floor > 0.0


class Plan:
    """What decides in one segment of an experiment, at one version.

    Attributes
    ----------
    version
        The place in the journal of the last thing that changed it.
    """

    def __init__(self, terms: Terms, arms: Arms, knobs: Knobs, segment: int) -> None:
        self.terms, self.arms, self.knobs, self.segment = terms, arms, knobs, segment
        self.version = 0
        self._active = arms.active
        self._place = {arm: place for place, arm in enumerate(self._active)}
        self._side = terms.learning._public_side(len(self._active))
        self._last: Floats | None = None  # what the last odds were made of
        self._odds: Odds = ()
        self._sure = False

    def absorb(self, entries: Iterable[Entry]) -> None:
        """Take note of releases of this segment, in the journal's order."""
        for entry in entries:
            body = entry.body
            place = self._place.get(body["arm"])
            if body["segment"] == self.segment and place is not None:
                self._side.absorb(release_of(body, place))

    def catch_up(
        self,
        decided: Sequence[int],
        passed: Sequence[int],
        begun: Sequence[int],
        lacking: Sequence[int],
    ) -> None:
        """Take over how many decisions of each arm were made, whoever made them."""
        mine = ([each[arm] for arm in self._active] for each in (decided, passed, begun, lacking))
        self._side.catch_up(*mine)

    def choose(self, t: int, generator: np.random.Generator) -> tuple[int, float, Odds | None]:
        """Return the arm of the segment's round ``t``, its chance, and the odds of all arms.

        Those are None where nothing was left to chance.
        """
        if self.knobs.turned:
            return self.draw(t, generator)
        sure = self._side.sure()
        if sure is not None:
            return self._active[sure], 1.0, None
        arm = self._active[self._side.choose(t, generator)]
        return self._drawn(arm, self._side.odds(t))

    def draw(self, t: int, generator: np.random.Generator) -> tuple[int, float, Odds | None]:
        """Return the same, by the chances alone: other rounds of this plan are as before."""
        chances = self._side.chances(t)
        if self.knobs.turned:
            chances = self.mixed(chances)
        place = min(
            int(np.searchsorted(np.cumsum(chances), generator.random(), side="right")),
            len(self._active) - 1,
        )
        return self._drawn(self._active[place], chances)

    def _drawn(self, arm: int, chances: Floats) -> tuple[int, float, Odds | None]:
        """Return an arm, its chance and the odds: the same ones where the chances are the same."""
        if chances is not self._last:
            self._last, self._odds = chances, self.spread(chances)
            self._sure = max(self._odds) >= 1.0
        odds = self._odds
        return arm, odds[arm], None if self._sure else odds

    def spread(self, chances: Floats) -> Odds:
        """Return the chances of all arms, retired ones among them, from those of the active."""
        if len(self._active) == len(self.arms.names):
            return tuple(chances.tolist())
        all_arms = [0.0] * len(self.arms.names)
        for place, arm in enumerate(self._active):
            all_arms[arm] = float(chances[place])
        return tuple(all_arms)

    def mixed(self, chances: Floats) -> Floats:
        """Return the chances of the active arms with the operators' knobs applied."""
        knobs, n_arms = self.knobs, len(self._active)
        mixed = (1.0 - knobs.control_share) * chances
        if knobs.control in self._place:
            mixed[self._place[knobs.control]] += knobs.control_share
        floored: Floats = knobs.floor + (1.0 - n_arms * knobs.floor) * mixed
        return floored

    def decided(self, arm: int) -> None:
        """Take note of a decision that will be learnt from."""
        if self._side.follows_decisions:
            self._side.decided(self._place[arm])

    def dropped(self, arm: int) -> None:
        """Take note that a decision is not learnt from after all."""
        if self._side.follows_decisions:
            self._side.dropped(self._place[arm])

    def wants(self, arm: int, decided: int) -> int:
        """Return how many decisions a batch of the arm takes that opens after so many others."""
        return self._side.wants_after(self._place[arm], decided)

    def chances(self, t: int) -> list[float]:
        """Return the chance of every arm in round ``t``; 0 for retired ones."""
        chances = self._side.chances(t)
        if self.knobs.turned:
            chances = self.mixed(chances)
        return list(self.spread(chances))

    @property
    def statistics(self) -> list[tuple[float, float]]:
        """How many rewards of each arm are known, and their released sum."""
        known = self._side.statistics
        pairs = [(0.0, 0.0)] * len(self.arms.names)
        for place, arm in enumerate(self._active):
            pairs[arm] = float(known.counts[place]), float(known.sums[place])
        return pairs


def release_of(body: dict[str, Any], arm: int) -> Release:
    """Return a release from its entry in the journal."""
    return Release(
        arm, body["epoch"], body["count"], body["value"], body["mechanism"], body["epsilon"]
    )


def plan_body(plan: Plan, t: int) -> dict[str, Any]:
    """Return a plan as readers get it."""
    return {
        "version": plan.version,
        "round": t,
        "arms": [
            {
                "name": name,
                "retired": arm in plan.arms.retired,
                "chance": chance,
                "count": count,
                "noisy_sum": total,
            }
            for arm, (name, chance, (count, total)) in enumerate(
                zip(plan.arms.names, plan.chances(t), plan.statistics, strict=True)
            )
        ],
    }
