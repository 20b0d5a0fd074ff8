"""MABWiser's learning policies in Hush's simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mabwiser.mab import MAB, LearningPolicy

from hush.adapters.foreign_policy import ForeignPolicy
from hush.errors import ParameterError

__all__ = ["MABWiserPolicy", "from_mabwiser"]

# Those that need neither contexts nor a threshold of rewards that was fitted elsewhere.
KNOWN = (
    LearningPolicy.EpsilonGreedy,
    LearningPolicy.Popularity,
    LearningPolicy.Random,
    LearningPolicy.Softmax,
    LearningPolicy.ThompsonSampling,
    LearningPolicy.UCB1,
)


@dataclass(frozen=True, repr=False)
class MABWiserPolicy(ForeignPolicy):
    """What :func:`from_mabwiser` returns."""

    def _agent(self, n_arms: int, generator: np.random.Generator) -> _Fitted:
        seed = int(generator.integers(2**31))
        return _Fitted(MAB(list(range(n_arms)), self.template, seed=seed), n_arms)

    @property
    def label(self) -> str:
        """The learning policy and its parameters."""
        return f"mabwiser.{self.template!r}"


class _Fitted:
    """A ``MAB`` that plays every arm once before it predicts, as it must be fitted first."""

    def __init__(self, mab: Any, n_arms: int) -> None:  # noqa: ANN401
        self._mab = mab
        self._n_arms = n_arms
        self._tried = 0
        self._seen = False

    def choose(self) -> int:
        if self._tried < self._n_arms or not self._seen:
            self._tried += 1
            return (self._tried - 1) % self._n_arms
        return int(self._mab.predict())

    def learn(self, arm: int, reward: float) -> None:
        self._mab.partial_fit([arm], [reward])
        self._seen = True


def from_mabwiser(learning_policy: object) -> MABWiserPolicy:
    """Return one of MABWiser's learning policies for :func:`hush.simulate`: not private.

    Parameters
    ----------
    learning_policy
        Such as ``LearningPolicy.UCB1(alpha=1.25)``; without contexts. Every run has a ``MAB`` of
        its own, with a seed from that run's stream, which plays every arm once and then predicts
        one round at a time. ``ThompsonSampling`` wants rewards of 0 and 1.

    Examples
    --------
    >>> import hush
    >>> from mabwiser.mab import LearningPolicy
    >>> from hush.adapters import from_mabwiser
    >>> rival = from_mabwiser(LearningPolicy.UCB1(alpha=1.25))
    >>> result = hush.simulate(rival, hush.paper_s1(), horizon=50, runs=2, seed=7)
    >>> result.policies, result.policy_objects[0].guarantee.private
    (('mabwiser.UCB1(alpha=1.25)',), False)
    """
    if not isinstance(learning_policy, KNOWN):
        names = ", ".join(each.__name__ for each in KNOWN)
        raise ParameterError(f"learning_policy must be one of MABWiser's without contexts: {names}")
    return MABWiserPolicy(learning_policy)
