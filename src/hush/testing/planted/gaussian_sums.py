"""Gaussian noise gone wrong: too narrow, calibrated by the wrong formula, or promised too much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hush.mechanisms import GaussianSum
from hush.mechanisms.sums import SumMechanism
from hush.noise import NoiseSource
from hush.policies import Policy
from hush.policies.core.guarantees import reward_guarantee
from hush.privacy import Guarantee
from hush.testing.planted.bases import PlantedBug

__all__ = ["GaussianForPure", "NarrowGaussian", "VarianceForDeviation"]


@dataclass(frozen=True)
class GaussianBug(PlantedBug):
    """Anytime-Lazy-UCB with Gaussian noise, at the rho that epsilon implies, and a bug in it."""

    mechanism: ClassVar[type[GaussianSum]] = GaussianSum

    @property
    def release_rho(self) -> float:
        """Half the square of epsilon."""
        return self.epsilon * self.epsilon / 2.0

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        return self.mechanism(rho=self.release_rho, noise=noise)


class _Narrow(GaussianSum):
    def release(self, total: int, *, count: int) -> int | float:  # noqa: ARG002
        return self._noise.add_gaussian(total, rho=2.0 * self.rho)


@dataclass(frozen=True)
class NarrowGaussian(GaussianBug):
    """Noise whose deviation is too small by the square root of 2: variance 1/(4 rho)."""

    mechanism: ClassVar[type[GaussianSum]] = _Narrow


class _Variance(GaussianSum):
    def release(self, total: int, *, count: int) -> int | float:
        # The mean gets N(0, 1/(2 rho n^2)), and a sampler that takes deviations was handed that.
        deviation = count / (2.0 * self.rho * count * count)
        return self._noise.add_gaussian(total, rho=0.5 / deviation**2)


@dataclass(frozen=True)
class VarianceForDeviation(GaussianBug):
    """The variance of a mean's noise is taken for its deviation, so that noise falls with n."""

    mechanism: ClassVar[type[GaussianSum]] = _Variance


@dataclass(frozen=True)
class GaussianForPure(GaussianBug):
    """Gaussian noise as wide as Laplace noise, and a pure epsilon promised for it."""

    @property
    def guarantee(self) -> Guarantee:
        """What no Gaussian noise keeps."""
        return reward_guarantee(self.epsilon)


BUGS: dict[str, type[Policy]] = {
    "Gaussian noise too narrow by the root of 2": NarrowGaussian,
    "a variance taken for a deviation": VarianceForDeviation,
    "a pure epsilon promised for Gaussian noise": GaussianForPure,
}
