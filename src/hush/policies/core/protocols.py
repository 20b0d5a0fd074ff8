"""What is asked of a policy here and there, as types."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.policies.core.learner import Learner
from hush.policies.core.outbox import OnRelease
from hush.policies.core.statistics import Statistics

__all__ = [
    "Chooses",
    "HasEpsilon",
    "HasHorizon",
    "L_co",
    "MakesLearner",
    "Promises",
    "RestoresLearner",
]

L_co = TypeVar("L_co", bound=Learner, covariant=True)


@runtime_checkable
class HasEpsilon(Protocol):
    """A policy with a hyper-parameter ``epsilon``."""

    @property
    def epsilon(self) -> float:
        """The privacy loss."""


@runtime_checkable
class HasHorizon(Protocol):
    """A policy with a hyper-parameter ``horizon``."""

    @property
    def horizon(self) -> int | None:
        """For how many rounds it plans; None where it was left out."""


class Promises(Protocol):
    """A policy, as far as what it declares about privacy."""

    non_private: ClassVar[bool]


class MakesLearner(Protocol[L_co]):
    """What :meth:`Policy.learner` asks of a policy: its type says which learner comes out."""

    @property
    def needs_horizon(self) -> bool:
        """Whether it cannot start."""

    def _check_promise(self) -> None:
        """Refuse a policy that protects nobody and did not say so."""

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> L_co:
        """Make the learner."""


class RestoresLearner(Protocol[L_co]):
    """What :meth:`Policy.restore` asks of a policy."""

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values."""

    def learner(
        self,
        n_arms: int,
        *,
        noise: NoiseSource | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        default: float | None = None,
        on_release: OnRelease | None = None,
    ) -> L_co:
        """Put the policy to work."""


@runtime_checkable
class Chooses(Protocol):
    """A bandit policy with a rule of its own."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        """Return the arm of round ``t`` (from 1), from released statistics alone."""
