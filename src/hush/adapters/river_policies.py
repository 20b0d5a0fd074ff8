"""River's policies in Hush's simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from river import bandit

from hush.adapters.foreign_policy import ForeignPolicy
from hush.errors import ParameterError

__all__ = ["RiverPolicy", "from_river"]


@dataclass(frozen=True, repr=False)
class RiverPolicy(ForeignPolicy):
    """What :func:`from_river` returns."""

    def _agent(self, n_arms: int, generator: np.random.Generator) -> _Pulling:
        seeded = "seed" in self.template._get_params()
        new = {"seed": int(generator.integers(2**31))} if seeded else {}
        return _Pulling(self.template.clone(new), range(n_arms))

    @property
    def label(self) -> str:
        """The class and its parameters, but the seed."""
        given = self.template._get_params().items()
        shown = ", ".join(f"{k}={_shown(v)}" for k, v in given if k != "seed" and v is not None)
        return f"river.{type(self.template).__name__}({shown})"


@dataclass(frozen=True)
class _Pulling:
    policy: Any
    arms: range

    def choose(self) -> int:
        return int(self.policy.pull(self.arms))

    def learn(self, arm: int, reward: float) -> None:
        self.policy.update(arm, reward)


def _shown(value: Any) -> str:  # noqa: ANN401  an object of river's is a class and its parameters
    return value[0].__name__ if isinstance(value, tuple) and value else repr(value)


def from_river(policy: bandit.base.Policy) -> RiverPolicy:
    """Return one of river's policies for :func:`hush.simulate`, to compare with: not private.

    Parameters
    ----------
    policy
        A policy of ``river.bandit`` without context. It is cloned for each run, with a seed from
        that run's stream.

    Examples
    --------
    >>> import hush
    >>> from river import bandit, proba
    >>> from hush.adapters import from_river
    >>> rival = from_river(bandit.ThompsonSampling(reward_obj=proba.Beta()))
    >>> result = hush.simulate([rival, hush.LazyDPTS(1.0)], hush.paper_s1(), horizon=300, runs=2,
    ...                        seed=7)
    >>> result.engines, result.policies[0]
    (('rounds (learner)', 'leap'), 'river.ThompsonSampling(reward_obj=Beta, burn_in=0)')
    """
    if not isinstance(policy, bandit.base.Policy) or isinstance(
        policy, bandit.base.ContextualPolicy
    ):
        raise ParameterError("policy must be a policy of river.bandit, without context")
    return RiverPolicy(policy)
