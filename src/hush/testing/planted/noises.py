"""Noise that is too little, of the wrong kind, or not where it should be."""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.mechanisms import NoisySum
from hush.mechanisms.sums import SumMechanism
from hush.noise import NoiseSource, SeededNoise
from hush.policies import Policy
from hush.policies.core.guarantees import reward_guarantee
from hush.privacy import Guarantee
from hush.testing.planted.bases import PlantedBug, SumBug

__all__ = [
    "CachedNoise",
    "ClaimsHalf",
    "FirstPullExact",
    "FixedSeed",
    "GaussianNoise",
    "HalfTheNoise",
    "NoisyByRawSum",
    "OwnGenerator",
    "RareCoin",
    "RarerCoin",
    "RedrawsUntilInRange",
    "SecretsNoise",
    "SharedNoise",
    "SpendsDouble",
    "WrongLength",
]


@dataclass(frozen=True)
class HalfTheNoise(PlantedBug):
    """Noise of half the scale."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return NoisySum(epsilon=2.0 * self.epsilon, noise=noise)


class _ExactFirst(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        return total if count == 1 else super().release(total, count=count)


@dataclass(frozen=True)
class FirstPullExact(SumBug):
    """The first reward of every arm is released as it is."""

    mechanism: ClassVar[type[NoisySum]] = _ExactFirst


class _Shared(NoisySum):
    _value: float | None = None

    def release(self, total: int, *, count: int) -> int | float:
        if self._value is None:
            self._value = super().release(0, count=count)
        return total + self._value


@dataclass(frozen=True)
class SharedNoise(SumBug):
    """One noise value is drawn and added to every sum of every arm."""

    mechanism: ClassVar[type[NoisySum]] = _Shared


class _Cached(NoisySum):
    def __init__(self, *, epsilon: float, noise: NoiseSource) -> None:
        super().__init__(epsilon=epsilon, noise=noise)
        self._known: dict[int, int | float] = {}

    def release(self, total: int, *, count: int) -> int | float:
        if count not in self._known:
            self._known[count] = super().release(0, count=count)
        return total + self._known[count]


@dataclass(frozen=True)
class CachedNoise(SumBug):
    """Noise is cached by the epoch's length, so that the difference of two arms' sums is exact."""

    mechanism: ClassVar[type[NoisySum]] = _Cached


class _ScaledByLength(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        # Right for a mean of that many rewards; but this is their sum.
        return self._noise.add_laplace(total, epsilon=self.epsilon * count)


@dataclass(frozen=True)
class WrongLength(SumBug):
    """Divides the noise of a sum by the epoch's length, as if it were a mean."""

    mechanism: ClassVar[type[NoisySum]] = _ScaledByLength


class _OwnGenerator(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:  # noqa: ARG002
        return total + np.random.default_rng().laplace(0.0, 1.0 / (3.0 * self.epsilon))


@dataclass(frozen=True)
class OwnGenerator(SumBug):
    """Draws too little noise, from a generator of its own that no audit can look into."""

    mechanism: ClassVar[type[NoisySum]] = _OwnGenerator


class _Gaussian(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:  # noqa: ARG002
        return total + random.gauss(0.0, 0.5 / self.epsilon)


@dataclass(frozen=True)
class GaussianNoise(SumBug):
    """Adds Gaussian noise from the module random, which has no finite loss in its tails."""

    mechanism: ClassVar[type[NoisySum]] = _Gaussian


class _Bounded(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:  # noqa: ARG002
        return total + secrets.choice((-2, -1, 0, 1, 2))


@dataclass(frozen=True)
class SecretsNoise(SumBug):
    """Adds a secret number from -2 to 2: what lies farther off gives the sum away."""

    mechanism: ClassVar[type[NoisySum]] = _Bounded


@dataclass(frozen=True)
class FixedSeed(PlantedBug):
    """Its noise has a seed that stands in the source: whoever reads it takes the noise off."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:  # noqa: ARG002
        return NoisySum(epsilon=self.epsilon, noise=SeededNoise(20_210_212, discrete=True))


@dataclass(frozen=True)
class SpendsDouble(PlantedBug):
    """Each release spends twice the epsilon that the guarantee states."""

    @property
    def release_epsilon(self) -> float:
        """Twice what is declared."""
        return 2.0 * self.epsilon

    @property
    def guarantee(self) -> Guarantee:
        """What was declared."""
        return reward_guarantee(self.epsilon)


@dataclass(frozen=True)
class ClaimsHalf(PlantedBug):
    """The guarantee claims half of what each release spends."""

    @property
    def guarantee(self) -> Guarantee:
        """Half of what is spent: epsilon itself would hold."""
        return reward_guarantee(self.epsilon / 2.0)


class _ByRawSum(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        # Never less noise than needed; but far outcomes are likelier where there is more of it.
        epsilon = self.epsilon / 4.0 if 2 * total > count else self.epsilon
        return self._noise.add_laplace(total, epsilon=epsilon)


@dataclass(frozen=True)
class NoisyByRawSum(SumBug):
    """The scale of the noise depends on the raw sum: more of it for good arms."""

    mechanism: ClassVar[type[NoisySum]] = _ByRawSum


class _InRange(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        # A sum at the end of its range is redrawn more often: its law is scaled up, by more than
        # the noise allows. Epochs of two rewards lose 1.14 epsilon already (epsilon = 1).
        for _ in range(100):
            value = super().release(total, count=count)
            if 0 <= value <= count:
                break
        return value


@dataclass(frozen=True)
class RedrawsUntilInRange(SumBug):
    """Draws noise anew until the noisy sum is one that its rewards allow."""

    mechanism: ClassVar[type[NoisySum]] = _InRange


class _OnRareCoin(NoisySum):
    chance: ClassVar[float] = 1.0 / 500.0

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self._coins = options["noise"].coins

    def release(self, total: int, *, count: int) -> int | float:
        # A float among integers: whoever sees one knows the sum.
        if self._coins.random() < self.chance:
            return float(total)
        return super().release(total, count=count)


class _OnRarerCoin(_OnRareCoin):
    chance: ClassVar[float] = 1e-6


@dataclass(frozen=True)
class RareCoin(SumBug):
    """Once in 500 releases the noise is forgotten."""

    mechanism: ClassVar[type[NoisySum]] = _OnRareCoin


@dataclass(frozen=True)
class RarerCoin(SumBug):
    """Once in a million releases the noise is forgotten."""

    mechanism: ClassVar[type[NoisySum]] = _OnRarerCoin


BUGS: dict[str, type[Policy]] = {
    "half the noise": HalfTheNoise,
    "the first pull un-noised": FirstPullExact,
    "one noise value shared by all arms": SharedNoise,
    "noise cached by the epoch's length": CachedNoise,
    "noise scaled by the wrong epoch length": WrongLength,
    "noise of its own, a third of what it claims": OwnGenerator,
    "Gaussian noise of its own": GaussianNoise,
    "bounded noise of its own": SecretsNoise,
    "noise of a fixed seed": FixedSeed,
    "releases that spend twice the declared epsilon": SpendsDouble,
    "a guarantee of half of what is spent": ClaimsHalf,
    "noise scaled by the raw sum": NoisyByRawSum,
    "noise redrawn until the sum looks right": RedrawsUntilInRange,
    "no noise, once in 500 releases": RareCoin,
    "no noise, once in a million releases": RarerCoin,
}
