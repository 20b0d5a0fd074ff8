"""What is asked of a policy here and there, as types."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar

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
    "HasRho",
    "L_co",
    "MakesLearner",
    "Promises",
    "RestoresLearner",
    "chooses",
    "has_epsilon",
    "has_horizon",
    "has_rho",
]

L_co = TypeVar("L_co", bound=Learner, covariant=True)


class HasEpsilon(Protocol):
    """A policy with a hyper-parameter ``epsilon``."""

    @property
    def epsilon(self) -> float:
        """The privacy loss."""


class HasRho(Protocol):
    """A policy with a hyper-parameter ``rho``."""

    @property
    def rho(self) -> float:
        """The concentrated privacy loss."""


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


class Chooses(Protocol):
    """A bandit policy with a rule of its own."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        """Return the arm of round ``t`` (from 1), from released statistics alone."""


# Asked for every learner: isinstance() of a protocol takes a hundred times as long.


def has_epsilon(policy: object) -> TypeGuard[HasEpsilon]:
    """Tell whether a policy states its loss as ``epsilon``."""
    return getattr(policy, "epsilon", None) is not None


def has_rho(policy: object) -> TypeGuard[HasRho]:
    """Tell whether a policy states its loss as ``rho``."""
    return getattr(policy, "rho", None) is not None


def has_horizon(policy: object) -> TypeGuard[HasHorizon]:
    """Tell whether a policy has a hyper-parameter ``horizon``."""
    return hasattr(policy, "horizon")


def chooses(policy: object) -> TypeGuard[Chooses]:
    """Tell whether a policy has a rule of its own."""
    return callable(getattr(policy, "_choose", None))
