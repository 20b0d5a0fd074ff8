"""Leaks that show in some runs only: long epochs, late rounds, many arms, fractions, ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.mechanisms import NoisySum, RewardRange
from hush.mechanisms.sums import ArmSums
from hush.noise import NoiseSource
from hush.policies import Policy
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.statistics import Statistics
from hush.privacy import Release
from hush.testing.planted.bases import (
    LearnerBug,
    LooseSums,
    PlantedBug,
    SideBug,
    SteeredLearner,
    SumBug,
    ones,
)

__all__ = [
    "BatchSorts",
    "FractionsSteer",
    "LargeSumsExact",
    "LastRewardSteers",
    "LateRounds2000",
    "LateRounds5000",
    "LengthBySum",
    "ManyArms",
    "OtherRange",
    "OutOfOrderPeek",
    "PeeksAtReward",
    "PowersOfTwoExact",
    "ReadsRunningSum",
    "StopsHalfway",
    "TenthsUnscaled",
]


class _PeekingLearner(SteeredLearner):
    def _settle(self, arm: int, units: float) -> Release | None:
        release = super()._settle(arm, units)
        self._wish = arm if units > 0 else None  # win, stay
        return release


@dataclass(frozen=True)
class PeeksAtReward(LearnerBug):
    """Stays with an arm whose raw reward was 1."""

    work: ClassVar[type[BanditLearner]] = _PeekingLearner


class _RunningSumLearner(SteeredLearner):
    def _choose_arm(self) -> int:
        sums, counts = (np.array(each) for each in (self._private._sums, self._private._counts))
        self._wish = int(np.argmax(self._public.statistics.means + sums - 0.5 * counts))
        return super()._choose_arm()


@dataclass(frozen=True)
class ReadsRunningSum(LearnerBug):
    """Its selection rule moves the released mean by what the running sum says so far."""

    work: ClassVar[type[BanditLearner]] = _RunningSumLearner


class _LateLeader(SteeredLearner):
    def _choose_arm(self) -> int:
        if self._line.round >= 2000:
            sums, counts = np.array(self._private._sums), np.array(self._private._counts)
            self._wish = int(np.argmax((sums + 1) / (counts + 2)))
        return super()._choose_arm()


@dataclass(frozen=True)
class LateRounds2000(LearnerBug):
    """After round 2,000 it plays the arm whose running epoch looks best."""

    work: ClassVar[type[BanditLearner]] = _LateLeader


class _LateStatistics(BanditLearner):
    _last: float = 0.0

    def _settle(self, arm: int, units: float) -> Release | None:
        self._last = units
        return super()._settle(arm, units)

    @property
    def statistics(self) -> Statistics:
        shown = super().statistics.only(slice(None))
        shown.means = shown.means + (self._last if self._line.round > 5000 else 0.0)
        return shown.snapshot()


@dataclass(frozen=True)
class LateRounds5000(LearnerBug):
    """After round 5,000 the means it shows are moved by the last reward."""

    work: ClassVar[type[BanditLearner]] = _LateStatistics


class _LargeExact(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        return total if total > 64 else super().release(total, count=count)


@dataclass(frozen=True)
class LargeSumsExact(SumBug):
    """Sums above 64 get no noise, since it hardly matters there."""

    mechanism: ClassVar[type[NoisySum]] = _LargeExact


class _PowersExact(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        power = total >= 8 and total.bit_count() == 1
        return total if power else super().release(total, count=count)


@dataclass(frozen=True)
class PowersOfTwoExact(SumBug):
    """Sums of 8, 16, 32, ... are released as they are."""

    mechanism: ClassVar[type[NoisySum]] = _PowersExact


@dataclass(frozen=True)
class ManyArms(PlantedBug):
    """From five arms on each gets noise for epsilon times their number, as if they shared it."""

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        side = self._arm_sums(ArmSums, n_arms, noise, rewards)
        if n_arms >= 5:
            side._mechanism = NoisySum(epsilon=self.epsilon * n_arms, noise=noise)
        return side


class _FractionLearner(SteeredLearner):
    def _settle(self, arm: int, units: float) -> Release | None:
        release = super()._settle(arm, units)
        if 0.0 < units < 1.0:
            self._wish = int(units * self._n_arms)
        return release


@dataclass(frozen=True)
class FractionsSteer(LearnerBug):
    """A reward strictly between the ends says which arm is next."""

    work: ClassVar[type[BanditLearner]] = _FractionLearner


class _Tenths(LooseSums):
    def add(self, arm: int, unit: float) -> Release | None:
        if 0.0 < unit < 1.0:
            self._sums[arm] += round(10.0 * unit)
        return super().add(arm, unit)


@dataclass(frozen=True)
class TenthsUnscaled(SideBug):
    """Fractions are summed in tenths, with noise for sums that move by 1."""

    side: ClassVar[type[ArmSums]] = _Tenths


class _Wide(LooseSums):
    def add(self, arm: int, unit: float) -> Release | None:
        width = self._rewards.high - self._rewards.low
        self._sums[arm] += max(0, round(width) - 1) * ones(unit)
        return super().add(arm, unit)


@dataclass(frozen=True)
class OtherRange(SideBug):
    """Rewards of a wide range are summed in their own unit, with noise for [0, 1]."""

    side: ClassVar[type[ArmSums]] = _Wide


class _Halfway(ArmSums):
    def add(self, arm: int, unit: float) -> Release | None:
        if 2 * (self._sums[arm] + ones(unit)) >= self._lengths[arm]:
            self._lengths[arm] = self._counts[arm] + 1  # known to be good: no need to wait
        return super().add(arm, unit)


@dataclass(frozen=True)
class StopsHalfway(SideBug):
    """An epoch ends as soon as its raw sum is half of its length: when it ends tells the sum."""

    side: ClassVar[type[ArmSums]] = _Halfway


class _LengthBySum(ArmSums):
    def add(self, arm: int, unit: float) -> Release | None:
        total, count = self._sums[arm] + ones(unit), self._counts[arm] + 1
        release = super().add(arm, unit)
        if release is not None and 2 * total < count:
            self._lengths[arm] = max(1, self._lengths[arm] // 2)
        return release


@dataclass(frozen=True)
class LengthBySum(SideBug):
    """The next epoch is shorter where the raw sum of the last one was low."""

    side: ClassVar[type[ArmSums]] = _LengthBySum


class _LastLearner(SteeredLearner):
    def _settle(self, arm: int, units: float) -> Release | None:
        release = super()._settle(arm, units)
        if release is not None and release.count > 1:
            self._wish = arm if units > 0.5 else None
        return release


@dataclass(frozen=True)
class LastRewardSteers(LearnerBug):
    """The reward that closes an epoch decides, as it is, whether its arm is played again."""

    work: ClassVar[type[BanditLearner]] = _LastLearner


class _SortingLearner(BanditLearner):
    def update_batch(self, arms: Any, rewards: Any) -> tuple[Release, ...]:  # noqa: ANN401
        pairs = sorted(zip(arms, rewards, strict=True), key=lambda pair: -float(pair[1]))
        return super().update_batch([arm for arm, _ in pairs], [each for _, each in pairs])


@dataclass(frozen=True)
class BatchSorts(LearnerBug):
    """Settles a batch best reward first, so that the order of its releases tells the rewards."""

    work: ClassVar[type[BanditLearner]] = _SortingLearner


class _UnorderedLearner(SteeredLearner):
    def _settle_open(self, name: str, arm: int, units: Any) -> Release | None:  # noqa: ANN401
        oldest = next(iter(self._open.arms))
        release = super()._settle_open(name, arm, units)
        if name != oldest and ones(units):
            self._wish = arm
        return release


@dataclass(frozen=True)
class OutOfOrderPeek(LearnerBug):
    """A good reward that overtakes an older decision's is followed at once."""

    work: ClassVar[type[BanditLearner]] = _UnorderedLearner


BUGS: dict[str, type[Policy]] = {
    "a peek at a raw reward": PeeksAtReward,
    "a selection rule that reads the running sum": ReadsRunningSum,
    "raw sums that decide after round 2,000": LateRounds2000,
    "a raw reward in the means after round 5,000": LateRounds5000,
    "no noise on sums above 64": LargeSumsExact,
    "no noise on powers of two": PowersOfTwoExact,
    "noise shared out from five arms on": ManyArms,
    "fractions that steer": FractionsSteer,
    "fractions summed in tenths": TenthsUnscaled,
    "sums in the unit of a wide range": OtherRange,
    "epochs that end when half of them is good": StopsHalfway,
    "epochs whose length follows the last sum": LengthBySum,
    "a last reward that steers": LastRewardSteers,
    "a batch settled best first": BatchSorts,
    "a reward out of order that steers": OutOfOrderPeek,
}
