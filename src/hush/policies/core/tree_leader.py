"""Full information from one binary tree of reward vectors: a new action every round."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass

from hush.mechanisms import RewardRange, VectorTree, WeightRule
from hush.mechanisms.vector_tree import levels_of
from hush.noise import NoiseSource
from hush.policies.core.full_information import ActionLearner
from hush.policies.core.guarantees import vector_guarantee
from hush.policies.core.policy import Policy
from hush.privacy import Guarantee, Release

__all__ = ["TreeLeaderLearner", "TreeLeaderPolicy", "largest_noise"]

STEPS = 80  # of a search that keeps two thirds of its interval


@dataclass(frozen=True)
class TreeLeaderPolicy(Policy):
    """Draws each round's action from weights of noisy sums, which a binary tree keeps."""

    epsilon: float
    _: KW_ONLY
    horizon: int | None = None

    feedback = "full"
    noise_law = "Lap(K ceil(log2 T)/eps) on each sum of a tree's nodes"

    @property
    def levels(self) -> int:
        """How many levels the tree has."""
        return levels_of(self.horizon or 1)

    @abstractmethod
    def rule(self, n_arms: int) -> WeightRule:
        """Return what gives weights to noisy sums."""

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon when a reward vector is replaced."""
        return vector_guarantee(
            self.epsilon,
            "each reward vector enters one node of each of the tree's levels and moves each of its "
            "K sums by at most 1; each of these has Laplace noise of scale K levels/epsilon, and "
            "every action is drawn from noisy sums alone",
        )

    def noise_bound(self, n_arms: int) -> float:
        """Return a bound on the mean of the largest of K noises of one round's sums."""
        return largest_noise(n_arms, self.levels, n_arms * self.levels / self.epsilon)

    def _new_learner(
        self, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> TreeLeaderLearner:
        return TreeLeaderLearner(self, n_arms, noise, rewards)


class TreeLeaderLearner(ActionLearner):
    """A tree and its leader at work: ``update`` takes the rewards of all actions.

    Examples
    --------
    >>> import hush
    >>> expert = hush.TreeFTRL(epsilon=1.0, horizon=100).learner(n_arms=2)
    >>> action = expert.select()
    >>> expert.update([0, 1]).mechanism
    'vector-tree'
    """

    _private: VectorTree

    def __init__(
        self, policy: TreeLeaderPolicy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        # Before any reward all weights are of noise alone: every action is as likely.
        super().__init__(policy, n_arms, noise, rewards, starts_at_random=True)
        self._private = VectorTree(
            n_arms,
            levels=policy.levels,
            epsilon=policy.epsilon,
            rule=policy.rule(n_arms),
            rewards=rewards,
            noise=noise,
        )
        self._keeps_last_only = True

    def _add(self, units: list[float]) -> Release | None:
        return self._private.add(units)


def largest_noise(n_arms: int, draws: int, scale: float) -> float:
    """Bound the mean of the largest of K sums of so many Laplace draws each.

    For every s below 1 it is at most ``scale (ln K - draws ln(1 - s^2)) / s``, because the mean of
    ``exp(s Z / scale)`` is ``1 / (1 - s^2)``, and no more for discrete Laplace noise. The best s
    is searched for; whatever is found, the bound holds.

    >>> round(largest_noise(2, 1, 1.0), 3), largest_noise(1, 9, 1.0)
    (1.899, 0.0)
    """
    if n_arms == 1:
        return 0.0

    def bound(s: float) -> float:
        return (math.log(n_arms) - draws * math.log1p(-s * s)) / s

    low, high = 1e-9, 1.0 - 1e-9
    for _ in range(STEPS):
        one, two = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (low, two) if bound(one) < bound(two) else (one, high)
    return scale * bound((low + high) / 2.0)
