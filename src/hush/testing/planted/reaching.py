"""Public halves that reach the private one: by what they are handed, or by Python itself.

Some override public hooks alone. No list of hooks shows that they leak.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.mechanisms import Geometric, RewardRange, Schedule
from hush.mechanisms.sums import ArmSums
from hush.noise import NoiseSource
from hush.policies import BanditPolicy, Policy
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.line import _LEARNERS
from hush.policies.core.public_side import PublicSide, RuleSide
from hush.policies.core.statistics import Statistics
from hush.privacy import Release
from hush.testing.planted.bases import PlantedBug

__all__ = [
    "AbsorbReadsCaller",
    "ChooseAsksCollector",
    "ChooseAsksRegistry",
    "ChooseWalksFrames",
    "ClosesOverSums",
    "GlobalSums",
    "PatchesItsSide",
    "PolicyKeepsSums",
    "ScheduleReadsCaller",
]


def _fresh(statistics: Statistics, side: ArmSums) -> Statistics:
    """Return the statistics with the running epochs in them, raw."""
    fresh = Statistics(statistics.n_arms)
    fresh.restore(statistics.counts + side._counts, statistics.sums + side._sums)
    return fresh


def _side_of(learner: object) -> ArmSums | None:
    side = learner._private if isinstance(learner, BanditLearner) else None
    return side if isinstance(side, ArmSums) else None


@dataclass(frozen=True)
class _NosyRule(PlantedBug):
    """Lets its index see the running sums, where it gets at them."""

    def _public_side(self, n_arms: int) -> PublicSide:
        return RuleSide(self, n_arms)

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        side = self._found(t, statistics)
        if side is not None and len(side._sums) == statistics.means.size:
            statistics = _fresh(statistics, side)
        return super()._choose(t, statistics, generator)

    def _found(self, t: int, statistics: Statistics) -> ArmSums | None:
        raise NotImplementedError


@dataclass(frozen=True)
class PolicyKeepsSums(_NosyRule):
    """The policy keeps the private half of its learner as an attribute, and its rule reads it."""

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        side = self._arm_sums(ArmSums, n_arms, noise, rewards)
        object.__setattr__(self, "_side", side)
        return side

    def _found(self, t: int, statistics: Statistics) -> ArmSums | None:  # noqa: ARG002
        return self.__dict__.get("_side")


SIDES: list[ArmSums] = []


class _GlobalSums(ArmSums):
    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        SIDES[:] = [self]


@dataclass(frozen=True)
class GlobalSums(_NosyRule):
    """The private half of the newest learner is a global of the module, which the rule reads."""

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        return self._arm_sums(_GlobalSums, n_arms, noise, rewards)

    def _found(self, t: int, statistics: Statistics) -> ArmSums | None:  # noqa: ARG002
        return SIDES[0] if SIDES else None


class _ClosedLearner(BanditLearner):
    def __init__(self, policy: BanditPolicy, n_arms: int, *arguments: Any) -> None:  # noqa: ANN401
        super().__init__(policy, n_arms, *arguments)
        public, side, rule = self._public, _side_of(self), policy._public_side(n_arms)

        def pick(t: int, generator: np.random.Generator) -> int:
            if side is not None:
                rule.statistics = _fresh(public.statistics, side)
            return rule._pick(t, generator)

        public._pick = pick  # type: ignore[method-assign]


@dataclass(frozen=True)
class ClosesOverSums(PlantedBug):
    """The public half picks with a function that closes over the private half."""

    def _public_side(self, n_arms: int) -> PublicSide:
        return BanditPolicy._public_side(self, n_arms)

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return _ClosedLearner(self, n_arms, noise, rewards)


@dataclass(frozen=True)
class ChooseWalksFrames(_NosyRule):
    """The rule walks up the call stack to the learner that asks it, and reads its sums."""

    def _found(self, t: int, statistics: Statistics) -> ArmSums | None:  # noqa: ARG002
        frame, side = sys._getframe(), None
        while frame.f_back is not None and side is None:
            frame = frame.f_back
            side = _side_of(frame.f_locals.get("self"))
        return side


@dataclass(frozen=True)
class ChooseAsksCollector(_NosyRule):
    """Every 64 rounds the rule finds its learner among the objects of the garbage collector."""

    def _found(self, t: int, statistics: Statistics) -> ArmSums | None:
        if t % 64:
            return None
        every = (each for each in gc.get_objects() if issubclass(type(each), BanditLearner))
        return next((_side_of(each) for each in every if _asks(each, statistics)), None)


def _asks(learner: BanditLearner, statistics: Statistics) -> bool:
    return learner.__dict__["_public"].statistics is statistics


@dataclass(frozen=True)
class ChooseAsksRegistry(_NosyRule):
    """The rule finds its learner in the list of those that hear of forks."""

    def _found(self, t: int, statistics: Statistics) -> ArmSums | None:  # noqa: ARG002
        every = (each for each in _LEARNERS if isinstance(each, BanditLearner))
        return next((_side_of(each) for each in every if _asks(each, statistics)), None)


class _CallersLength(Schedule):
    def length(self, epoch: int) -> int:
        # The private half asks with the coin of the closing reward in its frame.
        good: int = sys._getframe(1).f_locals.get("toss", 0)
        return max(1, Geometric().length(epoch) // (1 + good))


@dataclass(frozen=True)
class ScheduleReadsCaller(PlantedBug):
    """Its schedule reads the last coin in the frame that asks for the next length."""

    @property
    def schedule(self) -> Schedule:
        """Half as long after a good reward."""
        return _CallersLength()


class _CallersSide(RuleSide):
    def absorb(self, release: Release) -> None:
        super().absorb(release)
        units = sys._getframe(1).f_locals.get("units", 0.0)
        self.statistics.means[release.arm] += units  # an index that knows the reward


@dataclass(frozen=True)
class AbsorbReadsCaller(PlantedBug):
    """Its public half reads the closing reward in the frame that hands it the release."""

    def _public_side(self, n_arms: int) -> PublicSide:
        return _CallersSide(self, n_arms)


class _PatchingSide(RuleSide):
    _good: int | None = None

    def settled(self, arm: int) -> None:
        super().settled(arm)
        learner = sys._getframe(1).f_locals.get("self")
        side = _side_of(learner)
        if side is not None and "add" not in vars(side):
            side.add = self._overheard(side)  # type: ignore[method-assign]

    def _overheard(self, side: ArmSums) -> Any:  # noqa: ANN401
        def add(arm: int, unit: float) -> Release | None:
            self._good = arm if unit >= 0.5 else None
            return type(side).add(side, arm, unit)

        return add

    def _pick(self, t: int, generator: np.random.Generator) -> int:
        return super()._pick(t, generator) if self._good is None else self._good


@dataclass(frozen=True)
class PatchesItsSide(PlantedBug):
    """At the first reward its public half puts a function of its own before the private half's."""

    def _public_side(self, n_arms: int) -> PublicSide:
        return _PatchingSide(self, n_arms)


BUGS: dict[str, type[Policy]] = {
    "a policy that keeps the private half": PolicyKeepsSums,
    "a private half in a global": GlobalSums,
    "a public half that closes over the private one": ClosesOverSums,
    "a rule that walks the call stack": ChooseWalksFrames,
    "a rule that asks the garbage collector": ChooseAsksCollector,
    "a rule that asks the registry of learners": ChooseAsksRegistry,
    "a schedule that reads its caller": ScheduleReadsCaller,
    "a public half that reads its caller": AbsorbReadsCaller,
    "a public half that patches the private one": PatchesItsSide,
}
