"""Rewards that count more than once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hush.mechanisms.sums import ArmSums
from hush.policies import Policy
from hush.policies.core.bandit_learner import BanditLearner
from hush.privacy import Release
from hush.testing.planted.bases import LearnerBug, LooseSums, SideBug, ones

__all__ = [
    "BatchRetries",
    "CountsInTwoArms",
    "DefaultFromRewards",
    "ExpiryKeepsReward",
    "LateCountsTwice",
    "RedrawsAfterRestore",
    "RestoreTopsUp",
    "RewardUsedTwice",
    "SumNotReset",
    "TwiceAfterRestore",
]


class _Unreset(LooseSums):
    def add(self, arm: int, unit: float) -> Release | None:
        before = self._sums[arm] + ones(unit)
        release = super().add(arm, unit)
        self._sums[arm] = before  # also after the release
        return release


@dataclass(frozen=True)
class SumNotReset(SideBug):
    """The sum goes on after its release, so that old rewards are released again."""

    side: ClassVar[type[ArmSums]] = _Unreset


class _Twice(LooseSums):
    def add(self, arm: int, unit: float) -> Release | None:
        release = super().add(arm, unit)
        if release is not None:
            self._sums[arm] = ones(unit)  # the reward that closed an epoch also opens the next
        return release


@dataclass(frozen=True)
class RewardUsedTwice(SideBug):
    """An epoch's last reward enters the next epoch too."""

    side: ClassVar[type[ArmSums]] = _Twice


class _TwoArms(LooseSums):
    def add(self, arm: int, unit: float) -> Release | None:
        self._sums[(arm + 1) % len(self._sums)] += ones(unit)
        return super().add(arm, unit)


@dataclass(frozen=True)
class CountsInTwoArms(SideBug):
    """A reward counts for its arm and for the next one, which is said to be similar."""

    side: ClassVar[type[ArmSums]] = _TwoArms


class _Remembering(ArmSums):
    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self.kept: list[int] = [-1] * len(self._sums)

    def add(self, arm: int, unit: float) -> Release | None:
        total = self._sums[arm] + ones(unit)
        release = super().add(arm, unit)
        if release is not None:
            self.kept[arm] = total
        return release


class _RedrawingLearner(BanditLearner):
    _private: Any

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "kept": self._private.kept}

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        self._private.kept = list(body["kept"])
        statistics = self._public.statistics
        for arm, total in enumerate(self._private.kept):
            if total >= 0:
                value = self._noise.add_laplace(total, epsilon=self._policy.release_epsilon)
                statistics.sums[arm] = value
                statistics.means[arm] = value / statistics.counts[arm]


@dataclass(frozen=True)
class RedrawsAfterRestore(LearnerBug):
    """Keeps raw sums in its state, and draws their noise anew when it is restored."""

    side: ClassVar[type[ArmSums]] = _Remembering
    work: ClassVar[type[BanditLearner]] = _RedrawingLearner


class _Doubling(LooseSums):
    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state)
        self._sums = [2 * each for each in self._sums]


@dataclass(frozen=True)
class TwiceAfterRestore(SideBug):
    """What a restored state holds is added to the running sums a second time."""

    side: ClassVar[type[ArmSums]] = _Doubling


class _ToppedUpLearner(BanditLearner):
    _private: ArmSums

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        statistics, side = self._public.statistics, self._private
        statistics.restore(statistics.counts + side._counts, statistics.sums + side._sums)


@dataclass(frozen=True)
class RestoreTopsUp(LearnerBug):
    """A restored learner adds its running sums, raw, to what the rule sees."""

    work: ClassVar[type[BanditLearner]] = _ToppedUpLearner


class _KeepingLearner(BanditLearner):
    """Settles decisions that expire with something made of rewards."""

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments)
        self._seen: list[float] = [0.0]

    def _settle(self, arm: int, units: float) -> Release | None:
        release = super()._settle(arm, units)
        self._seen.append(units)
        return release

    def _drop(self, arm: int) -> None:
        if self._settle(arm, self._seen[-1]) is not None:
            self._tell()


@dataclass(frozen=True)
class ExpiryKeepsReward(LearnerBug):
    """A decision that expires without a default is settled with the reward that came last."""

    work: ClassVar[type[BanditLearner]] = _KeepingLearner


class _AveragingLearner(_KeepingLearner):
    def _default_units(self) -> float:
        # After a single reward that is the reward itself, in as many sums as decisions expire.
        came = self._seen[1:] or self._seen
        return sum(came) / len(came)

    def _drop(self, arm: int) -> None:
        BanditLearner._drop(self, arm)


@dataclass(frozen=True)
class DefaultFromRewards(LearnerBug):
    """Decisions that expire are settled with the mean of the rewards so far, not the default."""

    work: ClassVar[type[BanditLearner]] = _AveragingLearner


class _RetryingLearner(BanditLearner):
    _private: ArmSums

    def update_batch(self, arms: Any, rewards: Any) -> tuple[Release, ...]:  # noqa: ANN401
        arms, rewards = list(arms), list(rewards)
        releases = super().update_batch(arms, rewards)
        if arms:  # the last one may not have been written: write it again
            self._private._sums[arms[-1]] += ones(self._private.check(rewards[-1]))
        return releases


@dataclass(frozen=True)
class BatchRetries(LearnerBug):
    """The last reward of a batch is added again, in case it got lost."""

    work: ClassVar[type[BanditLearner]] = _RetryingLearner


class _LateLearner(BanditLearner):
    _private: ArmSums

    def _settle(self, arm: int, units: float) -> Release | None:
        if sum(self._all_outstanding()) > 2:
            self._private._sums[arm] += ones(units)
        return super()._settle(arm, units)


@dataclass(frozen=True)
class LateCountsTwice(LearnerBug):
    """While three decisions or more wait, rewards count double to catch up."""

    work: ClassVar[type[BanditLearner]] = _LateLearner


BUGS: dict[str, type[Policy]] = {
    "a sum not reset": SumNotReset,
    "a reward used in two epochs": RewardUsedTwice,
    "a reward counted in two arms": CountsInTwoArms,
    "a redraw after restore": RedrawsAfterRestore,
    "sums doubled by restore": TwiceAfterRestore,
    "running sums in restored statistics": RestoreTopsUp,
    "expiry that settles with the last reward": ExpiryKeepsReward,
    "a default made of rewards": DefaultFromRewards,
    "a batch whose last reward counts twice": BatchRetries,
    "late rewards that count twice": LateCountsTwice,
}
