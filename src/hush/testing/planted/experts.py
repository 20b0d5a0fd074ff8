"""Full information: what goes wrong among actions that are all seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hush.mechanisms import NoisyArgmax, NoisyLeader, RewardRange
from hush.mechanisms.sums import ArgmaxMechanism, VectorSums
from hush.noise import NoiseSource
from hush.policies import RNMFTNL, NaiveFTNL, Policy, ShrinkingDartboard
from hush.policies.core.full_information import EpochLearner
from hush.privacy import Release
from hush.testing.planted.bases import ones

__all__ = [
    "EpochsAddUp",
    "FastDartboard",
    "FirstEpochExact",
    "KeepsALeader",
    "PrefixByRewards",
    "PrintedScale",
    "ShowsWinningSum",
    "SmallArgmaxNoise",
    "UnsplitLeader",
]


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


@dataclass(frozen=True)
class SmallArgmaxNoise(RNMFTNL):
    """A noisy argmax with a third of the noise it needs."""

    def _mechanism(self, noise: NoiseSource) -> NoisyArgmax:
        return NoisyArgmax(epsilon=3.0 * self.epsilon, noise=self.noise, source=noise)


class _FirstExact(NoisyArgmax):
    def release(self, totals: Sequence[int], *, count: int) -> int:
        return (
            list(totals).index(max(totals)) if count == 1 else super().release(totals, count=count)
        )


@dataclass(frozen=True)
class FirstEpochExact(RNMFTNL):
    """The second action is the best of the first round, without noise."""

    def _mechanism(self, noise: NoiseSource) -> NoisyArgmax:
        return _FirstExact(epsilon=self.epsilon, noise=self.noise, source=noise)


class _Unsplit(NoisyLeader):
    def release(self, totals: Sequence[int], *, count: int) -> int:
        # Two sums may move apart by 1 each: the winner alone can lose nearly 2 epsilon.
        self.epsilon, whole = self.epsilon * len(totals), self.epsilon
        winner = super().release(totals, count=count)
        self.epsilon = whole
        return winner


@dataclass(frozen=True)
class UnsplitLeader(NaiveFTNL):
    """Each of the K noisy sums gets the whole epsilon, where each reward vector moves all."""

    def _mechanism(self, noise: NoiseSource) -> NoisyLeader:
        return _Unsplit(epsilon=self.epsilon, source=noise)


class _StayingLearner(EpochLearner):
    def _add(self, units: list[float]) -> Release | None:
        sums = [each + ones(unit) for each, unit in zip(self._private._sums, units, strict=True)]
        release, action = super()._add(units), self._action
        if release is None or action is None or sums[action] < max(sums):
            return release
        return replace(release, value=action)


@dataclass(frozen=True)
class KeepsALeader(RNMFTNL):
    """The action in play is kept where its raw sum leads: noise is for changes only."""

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> EpochLearner:
        return _StayingLearner(self, n_arms, noise, rewards)


class _StoppingSums(VectorSums):
    def add(self, units: Sequence[float]) -> Release | None:
        if self._count and 2 * max(self._sums) >= self._length:
            self._wanted = min(self._wanted, self._count)
        return super().add(units)


class _WinningSums(VectorSums):
    def add(self, units: Sequence[float]) -> Release | None:
        sums = [each + ones(unit) for each, unit in zip(self._sums, units, strict=True)]
        release = super().add(units)
        return None if release is None else replace(release, count=sums[int(release.value)])


class _OwnSumsLearner(EpochLearner):
    def __init__(
        self, policy: _OwnSums, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards)
        mechanism: ArgmaxMechanism = policy._mechanism(noise)
        parts: dict[str, Any] = {"schedule": policy.schedule, "mechanism": mechanism}
        self._private = policy.side(n_arms, **parts, rewards=rewards, noise=noise)


@dataclass(frozen=True)
class _OwnSums(RNMFTNL):
    side: ClassVar[type[VectorSums]]

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> EpochLearner:
        return _OwnSumsLearner(self, n_arms, noise, rewards)


@dataclass(frozen=True)
class PrefixByRewards(_OwnSums):
    """Sums stop where one of them is half of the epoch: the release says after how many rounds."""

    side: ClassVar[type[VectorSums]] = _StoppingSums


@dataclass(frozen=True)
class ShowsWinningSum(_OwnSums):
    """A release says the winner's raw sum where its count should be."""

    side: ClassVar[type[VectorSums]] = _WinningSums


@dataclass(frozen=True)
class FastDartboard(ShrinkingDartboard):
    """A dartboard whose rate is 18 times too large: the coin alone loses ln 3 at epsilon 1."""

    @property
    def rate(self) -> float:
        """Two epsilon p, in place of about epsilon p / 9."""
        return min(0.5, 2.0 * self.switch_chance * self.epsilon)


BUGS: dict[str, type[Policy]] = {
    "an argmax calibrated to monotone neighbours": PrintedScale,
    "sums kept over all epochs": EpochsAddUp,
    "an argmax with a third of its noise": SmallArgmaxNoise,
    "a first action chosen without noise": FirstEpochExact,
    "an epsilon not split among noisy sums": UnsplitLeader,
    "an action kept while its raw sum leads": KeepsALeader,
    "a prefix that ends by what it sums": PrefixByRewards,
    "a release that says the winner's sum": ShowsWinningSum,
    "a dartboard that learns too fast": FastDartboard,
}
