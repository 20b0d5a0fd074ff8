"""Policies with a planted privacy bug each: the audit of the audit.

Every class claims epsilon and breaks it in a way that has been seen in the wild. They are here so
that anyone who relies on an audit can see what it catches: ``hush audit --planted``. Never deploy
one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.mechanisms import NoisyArgmax, NoisySum, RewardRange
from hush.mechanisms.sums import ArmSums, SumMechanism
from hush.noise import NoiseSource
from hush.policies import RNMFTNL, AnytimeLazyUCB, Policy
from hush.policies.core.bandit_learner import BanditLearner
from hush.privacy import Release

__all__ = ["PLANTED", "PlantedBug"]


@dataclass(frozen=True)
class PlantedBug(AnytimeLazyUCB):
    """Anytime-Lazy-UCB with a bug."""


@dataclass(frozen=True)
class HalfTheNoise(PlantedBug):
    """Noise of half the scale."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return NoisySum(epsilon=2.0 * self.epsilon, noise=noise)


class _LooseSum(NoisySum):
    """A noisy sum that does not mind sums larger than their count."""

    def release(self, total: int, *, count: int) -> int | float:
        return super().release(total, count=max(total, count))


class _Unreset(ArmSums):
    def add(self, arm: int, unit: float) -> Release | None:
        before = self._sums[arm] + int(unit)
        release = super().add(arm, unit)
        self._sums[arm] = before  # also after the release
        return release


@dataclass(frozen=True)
class SumNotReset(PlantedBug):
    """The sum goes on after its release, so that old rewards are released again."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _LooseSum(epsilon=self.epsilon, noise=noise)

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        return self._arm_sums(_Unreset, n_arms, noise, rewards)


class _Twice(ArmSums):
    def add(self, arm: int, unit: float) -> Release | None:
        release = super().add(arm, unit)
        if release is not None:
            self._sums[arm] = int(unit)  # the reward that closed an epoch also opens the next
        return release


@dataclass(frozen=True)
class RewardUsedTwice(PlantedBug):
    """An epoch's last reward enters the next epoch too."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _LooseSum(epsilon=self.epsilon, noise=noise)

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        return self._arm_sums(_Twice, n_arms, noise, rewards)


def _instead(learner: BanditLearner, arm: int, other: int) -> int:
    """Take a decision back and make another."""
    learner._unnamed[arm] -= 1
    learner._unnamed[other] += 1
    return other


class _PeekingLearner(BanditLearner):
    _last: tuple[int, float] | None = None

    def update(self, arm: int, reward: float) -> Release | None:
        release = super().update(arm, reward)
        self._last = (arm, reward)
        return release

    def select(self) -> int:
        arm = super().select()
        if self._last is not None and self._last[1] > 0 and not self._public.exploring:
            return _instead(self, arm, self._last[0])  # win, stay
        return arm


@dataclass(frozen=True)
class PeeksAtReward(PlantedBug):
    """Stays with an arm whose raw reward was 1."""

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return _PeekingLearner(self, n_arms, noise, rewards)


class _ExactFirst(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        return total if count == 1 else super().release(total, count=count)


@dataclass(frozen=True)
class FirstPullExact(PlantedBug):
    """The first reward of every arm is released as it is."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _ExactFirst(epsilon=self.epsilon, noise=noise)


class _Shared(NoisySum):
    _value: float | None = None

    def release(self, total: int, *, count: int) -> int | float:
        if self._value is None:
            self._value = super().release(0, count=count)
        return total + self._value


@dataclass(frozen=True)
class SharedNoise(PlantedBug):
    """One noise value is drawn and added to every sum of every arm."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _Shared(epsilon=self.epsilon, noise=noise)


class _Remembering(ArmSums):
    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self.kept: list[int] = [-1] * len(self._sums)

    def add(self, arm: int, unit: float) -> Release | None:
        total = self._sums[arm] + int(unit)
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
class RedrawsAfterRestore(PlantedBug):
    """Keeps raw sums in its state, and draws their noise anew when it is restored."""

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        return self._arm_sums(_Remembering, n_arms, noise, rewards)

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return _RedrawingLearner(self, n_arms, noise, rewards)


class _ScaledByLength(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        # Right for a mean of that many rewards; but this is their sum.
        return self.source.add_laplace(total, epsilon=self.epsilon * count)

    def __init__(self, *, epsilon: float, noise: NoiseSource) -> None:
        super().__init__(epsilon=epsilon, noise=noise)
        self.source = noise


@dataclass(frozen=True)
class WrongLength(PlantedBug):
    """Divides the noise of a sum by the epoch's length, as if it were a mean."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _ScaledByLength(epsilon=self.epsilon, noise=noise)


class _RunningSumLearner(BanditLearner):
    _private: ArmSums

    def select(self) -> int:
        arm = super().select()
        if self._public.exploring:
            return arm
        sums, counts = (np.array(each) for each in (self._private._sums, self._private._counts))
        nosy = int(np.argmax(self._public.statistics.means + sums - 0.5 * counts))
        return _instead(self, arm, nosy)


@dataclass(frozen=True)
class ReadsRunningSum(PlantedBug):
    """Its selection rule moves the released mean by what the running sum says so far."""

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return _RunningSumLearner(self, n_arms, noise, rewards)


class _OwnGenerator(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:  # noqa: ARG002
        return total + np.random.default_rng().laplace(0.0, 1.0 / (3.0 * self.epsilon))


@dataclass(frozen=True)
class OwnGenerator(PlantedBug):
    """Draws too little noise, from a generator of its own that no audit can look into."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _OwnGenerator(epsilon=self.epsilon, noise=noise)


@dataclass(frozen=True)
class PrintedScale(RNMFTNL):
    """RNM-FTNL with the printed scale, which protects one way only."""

    def _mechanism(self, noise: NoiseSource) -> NoisyArgmax:
        return NoisyArgmax(
            epsilon=self.epsilon, noise="exponential", neighbours="add-remove", source=noise
        )


@dataclass(frozen=True)
class EpochsAddUp(RNMFTNL):
    """RNM-FTNL over all rewards so far: each one enters every later choice."""

    keeps_sums: ClassVar[bool] = True


PLANTED: dict[str, type[Policy]] = {
    "half the noise": HalfTheNoise,
    "a sum not reset": SumNotReset,
    "a reward used in two epochs": RewardUsedTwice,
    "a peek at a raw reward": PeeksAtReward,
    "the first pull un-noised": FirstPullExact,
    "one noise value shared by all arms": SharedNoise,
    "a redraw after restore": RedrawsAfterRestore,
    "noise scaled by the wrong epoch length": WrongLength,
    "a selection rule that reads the running sum": ReadsRunningSum,
    "noise of its own, a third of what it claims": OwnGenerator,
    "an argmax calibrated to monotone neighbours": PrintedScale,
    "sums kept over all epochs": EpochsAddUp,
}
