"""What planted bugs are made of: Anytime-Lazy-UCB with one part exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hush.mechanisms import NoisySum, RewardRange
from hush.mechanisms.sums import ArmSums, SumMechanism, wholes
from hush.noise import NoiseSource
from hush.policies import AnytimeLazyUCB
from hush.policies.core.bandit_learner import BanditLearner

__all__ = [
    "LearnerBug",
    "LooseSum",
    "LooseSums",
    "PlantedBug",
    "SideBug",
    "SteeredLearner",
    "SumBug",
    "ones",
]


@dataclass(frozen=True)
class PlantedBug(AnytimeLazyUCB):
    """Anytime-Lazy-UCB with a bug."""


@dataclass(frozen=True)
class SumBug(PlantedBug):
    """A bug in how a sum gets its noise."""

    mechanism: ClassVar[type[NoisySum]]

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return self.mechanism(epsilon=self.epsilon, noise=noise)


class LooseSum(NoisySum):
    """A noisy sum that does not mind sums larger than their count."""

    def release(self, total: int, *, count: int) -> int | float:
        """Draw the noisy value."""
        return super().release(total, count=max(total, count))


class LooseSums(ArmSums):
    """Sums that may be larger than their counts, in a state too."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the running epochs."""
        sums = wholes(state, "sums", len(self._sums))
        super().restore({**state, "sums": [0] * len(sums)})
        self._sums = sums


@dataclass(frozen=True)
class SideBug(SumBug):
    """A bug in how rewards become sums."""

    mechanism: ClassVar[type[NoisySum]] = LooseSum
    side: ClassVar[type[ArmSums]] = LooseSums

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> ArmSums:
        return self._arm_sums(self.side, n_arms, noise, rewards)


@dataclass(frozen=True)
class LearnerBug(SideBug):
    """A bug in the bookkeeping between the two halves."""

    work: ClassVar[type[BanditLearner]]

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return self.work(self, n_arms, noise, rewards)


class SteeredLearner(BanditLearner):
    """Plays an arm once that something else than releases asked for."""

    _private: ArmSums
    _wish: int | None = None

    def _choose_arm(self) -> int:
        arm = super()._choose_arm()
        wish, self._wish = self._wish, None
        return arm if wish is None or self._public.exploring else wish


def ones(unit: float) -> int:
    """Return a reward as a whole number.

    >>> ones(0.75)
    1
    """
    return 1 if unit >= 0.5 else 0
