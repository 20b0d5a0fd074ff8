"""Policies that look suspicious and are private as they claim: an audit must not accuse them.

Each says in a line why it keeps its promise. They are here for audits and the conformance kit, not
for use: what is odd about them costs regret.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hush.mechanisms import NoisySum, RewardRange, Schedule
from hush.mechanisms.sums import ArmSums, SumMechanism
from hush.noise import NoiseSource
from hush.policies import RNMFTNL, AnytimeLazyUCB, BanditPolicy, Policy
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.full_information import EpochLearner
from hush.policies.core.guarantees import reward_guarantee
from hush.policies.core.public_side import PublicSide, RuleSide
from hush.policies.core.statistics import Floats, Statistics, one_hot
from hush.privacy import Guarantee, Release
from hush.testing import honest_rules, honest_sums

__all__ = ["HONEST"]


@dataclass(frozen=True)
class _OddRule(AnytimeLazyUCB):
    """A rule that is asked every round."""

    side: ClassVar[type[RuleSide]] = RuleSide

    def _public_side(self, n_arms: int) -> PublicSide:
        return self.side(self, n_arms)

    def _chances(self, t: int, statistics: Statistics) -> Floats:
        sure = self._choose(t, statistics, np.random.default_rng(0))
        return one_hot(sure, statistics.means.size)


@dataclass(frozen=True)
class _OddSums(_OddRule):
    """A private half of its own."""

    private: ClassVar[type[ArmSums]] = ArmSums

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        return self._arm_sums(self.private, n_arms, noise, rewards)


class _Fibonacci(Schedule):
    def length(self, epoch: int) -> int:
        one, two = 1, 1
        for _ in range(min(epoch, 80)):
            one, two = two, one + two
        return one


@dataclass(frozen=True)
class FibonacciEpochs(AnytimeLazyUCB):
    """Private: epochs of 1, 1, 2, 3, 5, ... rewards, each in one sum; no length hangs on any."""

    @property
    def schedule(self) -> Schedule:
        """The Fibonacci numbers."""
        return _Fibonacci()


@dataclass(frozen=True)
class ReleasedLengths(_OddRule):
    """Private: an epoch is cut short by what was released, never by what is being summed."""

    side: ClassVar[type[RuleSide]] = honest_rules.ReleasedLengths


@dataclass(frozen=True)
class DrawnLengths(_OddRule):
    """Private: how long epochs are is drawn from the selection generator, which sees nothing."""

    side: ClassVar[type[RuleSide]] = honest_rules.DrawnLengths


@dataclass(frozen=True)
class OverlappingWindows(_OddSums):
    """Private: each reward enters two sums, and each of these spends half of epsilon."""

    private: ClassVar[type[ArmSums]] = honest_sums.Overlapping

    @property
    def release_epsilon(self) -> float:
        """Half of epsilon."""
        return self.epsilon / 2.0

    @property
    def guarantee(self) -> Guarantee:
        """Two halves."""
        reason = "each reward enters two released sums, with noise of scale 2/epsilon each"
        return replace(reward_guarantee(self.epsilon), reason=reason)


@dataclass(frozen=True)
class WeightedSums(_OddSums):
    """Private: a reward may count three times, and noise is scaled to sums that move by 3."""

    private: ClassVar[type[ArmSums]] = honest_sums.Weighted

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return NoisySum(epsilon=self.epsilon, sensitivity=3, noise=noise)


@dataclass(frozen=True)
class NoiseByReleases(_OddSums):
    """Private: past releases choose the scale of the noise, which is never less than needed."""

    private: ClassVar[type[ArmSums]] = honest_sums.NoiseByReleases


@dataclass(frozen=True)
class RandomisedResponse(_OddSums):
    """Private: each coin is told truly with chance e^eps/(1 + e^eps); sums add nothing to that."""

    private: ClassVar[type[ArmSums]] = honest_sums.Responses


@dataclass(frozen=True)
class Subsampling(_OddSums):
    """Private: which rewards count is tossed without looking; those that do have full noise."""

    private: ClassVar[type[ArmSums]] = honest_sums.Subsampled


@dataclass(frozen=True)
class EveryOtherReward(_OddSums):
    """Private: every second reward is thrown away unseen, the others are in one noisy sum."""

    private: ClassVar[type[ArmSums]] = honest_sums.EveryOther


@dataclass(frozen=True)
class DelayedRelease(_OddSums):
    """Private: a sum is released once, with its noise, but an epoch after it was full."""

    explores_first: ClassVar[bool] = False
    private: ClassVar[type[ArmSums]] = honest_sums.Delayed

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        if not statistics.counts.all():
            return t % statistics.counts.size
        return super()._choose(t, statistics, generator)


@dataclass(frozen=True)
class RemembersReleases(_OddRule):
    """Private: its public half keeps every release there was, and nothing else."""

    side: ClassVar[type[RuleSide]] = honest_rules.AllReleases


@dataclass(frozen=True)
class HungryRule(BanditPolicy):
    """Private: its rule draws hundreds of numbers a round, and no reward is in sight."""

    epsilon: float

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        size = (int(generator.integers(20, 60)), statistics.means.size)
        draws = generator.normal(statistics.means, 1.0 / np.sqrt(statistics.counts), size)
        order = generator.permutation(draws.shape[0])
        return int(draws[order[t % order.size]].argmax())


@dataclass(frozen=True)
class TwoStages(_OddRule):
    """Private: arms are dropped for good looks of others, but by released sums alone."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        counts, means = statistics.counts, statistics.means
        if counts.min() < 8:
            return int(counts.argmin())
        kept = np.flatnonzero(means >= np.median(means))
        part = statistics.only(kept.tolist())
        return int(kept[super()._choose(t, part, generator)])


class _Average(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        return (super().release(total, count=count) + super().release(total, count=count)) / 2.0


@dataclass(frozen=True)
class TwoDraws(AnytimeLazyUCB):
    """Private: every sum gets noise twice, at half of epsilon each, and the mean is released."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _Average(epsilon=self.epsilon / 2.0, noise=noise)


class _Clipped(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        return min(max(super().release(total, count=count), 0), count)


@dataclass(frozen=True)
class ClippedReleases(AnytimeLazyUCB):
    """Private: noisy sums are clipped to their range, after the noise and without a look back."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return _Clipped(epsilon=self.epsilon, noise=noise)


class _OpenLearner(BanditLearner):
    def __repr__(self) -> str:
        return f"<{self._policy}: {[(r.arm, r.value) for r in self._log.values()]}>"


@dataclass(frozen=True)
class ReprShowsReleases(AnytimeLazyUCB):
    """Private: its repr is full of numbers, all of which have been released."""

    learns: ClassVar[type[BanditLearner]] = _OpenLearner

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return self.learns(self, n_arms, noise, rewards)


class _EchoLearner(BanditLearner):
    def _settle(self, arm: int, units: float) -> Release | None:
        release = super()._settle(arm, units)
        if release is not None:
            self._publish(replace(release, mechanism="echo"))
        return release


@dataclass(frozen=True)
class SaysItTwice(ReprShowsReleases):
    """Private: every release is published again, the same noisy value under another name."""

    learns: ClassVar[type[BanditLearner]] = _EchoLearner


class _PermutedLearner(EpochLearner):
    _order: list[int] | None = None

    def _add(self, units: list[float]) -> Release | None:
        if self._order is None:
            self._order = self._noise.selection.permutation(self._n_arms).tolist()
        release = super()._add([units[each] for each in self._order])
        return release and replace(release, value=self._order[int(release.value)])

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "order": self._order}

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        self._order = body["order"]


@dataclass(frozen=True)
class PermutedActions(RNMFTNL):
    """Private: actions get other numbers inside, by a shuffle that is drawn before any reward."""

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> EpochLearner:
        return _PermutedLearner(self, n_arms, noise, rewards)


HONEST: dict[str, type[Policy]] = {
    "Fibonacci epochs": FibonacciEpochs,
    "lengths that follow releases": ReleasedLengths,
    "lengths that are drawn": DrawnLengths,
    "overlapping windows at half epsilon": OverlappingWindows,
    "weighted sums with their sensitivity": WeightedSums,
    "noise that follows releases": NoiseByReleases,
    "randomised response": RandomisedResponse,
    "subsampling": Subsampling,
    "every other reward": EveryOtherReward,
    "a release an epoch late": DelayedRelease,
    "a memory of all releases": RemembersReleases,
    "a rule that draws a lot": HungryRule,
    "elimination in two stages": TwoStages,
    "two draws at half epsilon": TwoDraws,
    "clipped releases": ClippedReleases,
    "a repr of releases": ReprShowsReleases,
    "a release said twice": SaysItTwice,
    "permuted actions": PermutedActions,
}
"""Honest policies, by what looks odd about them."""
