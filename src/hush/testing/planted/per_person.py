"""One reward is protected, or looks it, and several of one person are not."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import ClassVar

from hush.mechanisms import NoisySum
from hush.policies import Policy
from hush.policies.core.guarantees import reward_guarantee
from hush.privacy import PERSON, Guarantee
from hush.testing.planted.bases import PlantedBug, SumBug

__all__ = ["GaussianForOne", "SpentOnEach"]


@dataclass(frozen=True)
class SpentOnEach(PlantedBug):
    """Promises epsilon to a person who gives three rewards, and spends it on each of them."""

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon for three rewards, with the noise that one of them needs."""
        return replace(reward_guarantee(self.epsilon), unit=PERSON, rewards=3)


class _WideGaussian(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:  # noqa: ARG002
        # The loss grows with the square of the distance: what hides 1 does not hide 4.
        return total + random.gauss(0.0, 0.9 / self.epsilon)


@dataclass(frozen=True)
class GaussianForOne(SumBug):
    """Adds Gaussian noise that hides one reward as a rule, and a person's four next to never."""

    mechanism: ClassVar[type[NoisySum]] = _WideGaussian


BUGS: dict[str, type[Policy]] = {
    "a person's epsilon spent on each reward": SpentOnEach,
    "Gaussian noise for one reward of a person": GaussianForOne,
}
