"""Hush's policies in river's evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from river import bandit

from hush.errors import ArmError, NoDecisionError, ParameterError
from hush.noise import SecureNoise, SeededNoise
from hush.policies import BanditLearner, Decision, Policy

__all__ = ["HushInRiver", "to_river"]


class HushInRiver(bandit.base.Policy):
    """What :func:`to_river` returns: a Hush policy that speaks river's protocol.

    The learner is made at the first ``pull``. A pull that is not followed by an update of its arm,
    as in river's replay of logged data, expires: nothing is learnt from it. Rewards go to the
    private half of the learner and nowhere else; ``ranking`` is by released means.
    """

    def __init__(
        self,
        policy: Policy,
        reward_range: tuple[float, float] = (0.0, 1.0),
        seed: int | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(policy, Policy) or not isinstance(policy.learner(2), BanditLearner):
            raise ParameterError("river shows one reward a round; give a policy of bandit feedback")
        self.policy = policy
        self.reward_range = reward_range
        self.seed = seed
        self._arms: list[Any] = []
        self._open: Decision | None = None
        self.learner: BanditLearner | None = None

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> HushInRiver:
        """Return a fresh one; a learner cannot be copied."""
        if include_attributes:
            raise ParameterError("a learner cannot be copied: two would release the same sums")
        given = {"policy": self.policy, "reward_range": self.reward_range, "seed": self.seed}
        return HushInRiver(**{**given, **(new_params or {})})

    def pull(self, arm_ids: Sequence[Any]) -> Any:  # noqa: ANN401  an arm's name
        """Return the arm to play."""
        return self._pull(arm_ids)

    def _pull(self, arm_ids: Sequence[Any]) -> Any:  # noqa: ANN401
        arms = list(arm_ids)
        if self.learner is None:
            noise = SecureNoise() if self.seed is None else SeededNoise(self.seed)
            made = self.policy.learner(len(arms), noise=noise, reward_range=self.reward_range)
            assert isinstance(made, BanditLearner)  # noqa: S101  as it was at first
            self._arms, self.learner = arms, made
        elif arms != self._arms:
            raise ArmError("the arms are not those of the first pull, and may not change")
        if self._open is not None:
            self.learner.expire(self._open)
        self._open = self.learner.decide()
        return arms[self._open.arm]

    def update(self, arm_id: Any, *reward_args: float, **reward_kwargs: float) -> None:  # noqa: ANN401
        """Take the reward of the last pull; nothing of it is kept here."""
        (reward,) = (*reward_args, *reward_kwargs.values())
        if self.learner is None or self._open is None or self._arms[self._open.arm] != arm_id:
            raise NoDecisionError(f"arm {arm_id!r} is not the one that was pulled last")
        self.learner.settle(self._open, reward)
        self._open = None
        self._n += 1
        self._counts[arm_id] += 1

    @property
    def ranking(self) -> list[Any]:
        """The arms that have a release, the largest released mean first."""
        if self.learner is None:
            return []
        means = self.learner.statistics.means
        known = np.flatnonzero(self.learner.statistics.counts > 0)
        return [self._arms[arm] for arm in sorted(known, key=lambda arm: -means[arm])]

    def __repr__(self) -> str:
        return f"to_river({self.policy})"


def to_river(
    policy: Policy, *, reward_range: tuple[float, float] = (0.0, 1.0), seed: int | None = None
) -> HushInRiver:
    """Return a policy for ``river.bandit.evaluate`` and ``river.bandit.evaluate_offline``.

    Parameters
    ----------
    policy
        A policy of bandit feedback. One that needs the horizon must have it.
    reward_range
        Declared ends of the rewards.
    seed
        Seed of the noise, for simulation only; left out, noise is secure. As river's own policies
        do, every episode of an evaluation begins with the same seed.

    Examples
    --------
    >>> import hush
    >>> from river import bandit
    >>> from hush.adapters import to_gymnasium, to_river
    >>> policies = [to_river(hush.LazyDPTS(epsilon=1.0), seed=7), bandit.UCB(delta=1, seed=7)]
    >>> env = to_gymnasium(hush.Bernoulli([0.9, 0.1]), horizon=200)
    >>> steps = list(bandit.evaluate(policies, env, n_episodes=1, seed=7))
    >>> len(steps), steps[-2]["reward_stat"] > 100
    (400, True)
    """
    return HushInRiver(policy, reward_range, seed)
