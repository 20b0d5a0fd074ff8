"""Follow the approximate leader on tree-noised sums (Guha Thakurta, Smith)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hush.mechanisms import ProjectedSums
from hush.numerics.bound import Bound, Setting
from hush.policies.core.tree_leader import TreeLeaderPolicy

__all__ = ["TreeFTAL"]


@dataclass(frozen=True)
class TreeFTAL(TreeLeaderPolicy):
    """The simplex's point nearest to sums from a binary tree: TreeFTRL with Euclidean geometry.

    Follow the approximate leader is made for strongly convex costs: it replaces each by a parabola
    and plays where the sum of all so far is least. Experts' costs are linear, so that ``H |x|^2 /
    2`` is added to each. Then round ``t`` has its action from the chances x, the point of the
    simplex nearest to ``L / (H (t - 1))``, where L are the noisy sums of rewards before t, from the
    tree of :class:`~hush.TreeFTRL`, and ``H = sqrt(K (1 + ln T) / (2 T))``.

    Where it differs from TreeFTRL is this geometry alone: regret of order ``sqrt(K T ln T)`` where
    entropy has ``sqrt(T ln K)``, besides the same noise.

    Reconstructed: of the source its abstract could be read, which names the method and trees of
    logarithmic space. Experts, H, the constants of the bound and the law of the noise are Hush's.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward vector is replaced.
    horizon
        For how many rounds; simulations fill it in. When the tree is full, the last action stays.

    References
    ----------
    Guha Thakurta, Smith: (Nearly) Optimal Algorithms for Private Online Learning in
    Full-information and Bandit Settings. NeurIPS 2013.
    https://papers.nips.cc/paper/by-source-2013-1270

    Examples
    --------
    >>> import hush
    >>> policy = hush.TreeFTAL(epsilon=1.0, horizon=10**6)
    >>> policy.levels, round(policy.rule(5).strength, 6)
    (20, 0.006086)
    >>> expert = hush.TreeFTAL(10.0, horizon=5000).learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> for _ in range(4000):
    ...     action = expert.select()
    ...     _ = expert.update([0, 1, 0])
    >>> expert.select()
    1
    """

    summary = "the simplex's point nearest to sums from one noisy tree; for adversaries"
    reference = "https://papers.nips.cc/paper/by-source-2013-1270"

    def rule(self, n_arms: int) -> ProjectedSums:
        """Return the projection, at the strength of the horizon."""
        known = self.horizon or 1
        return ProjectedSums(math.sqrt(n_arms * (1.0 + math.log(known)) / (2.0 * known)))

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bound against an oblivious adversary, with constants.

        Rewards less 1/2 have a norm of at most ``sqrt(K) / 2``, and x does not depend on the 1/2.
        Following the leader of costs that curve by H loses at most ``G^2 / (H t)`` in round t for
        gradients of norm G; ``H T (1 - 1/K) / 2`` is what the added costs can hide.
        """
        known, n_arms = self.horizon or setting.horizon, setting.n_arms
        strength, rounds = self.rule(n_arms).strength, setting.horizon
        steps = (math.sqrt(n_arms) / 2.0 + strength) ** 2 * (1.0 + math.log(rounds)) / strength
        hidden = strength * rounds * (1.0 - 1.0 / n_arms) / 2.0
        yield Bound(
            "oblivious adversary",
            "upper",
            steps + hidden + self.noise_bound(n_arms),
            "(sqrt(K)/2 + H)^2 (1 + ln T) / H + H T (1 - 1/K) / 2 + E max Z",
            "follow the leader of strongly convex costs, with the noise as a first cost",
            holds=rounds <= known,
            condition=f"the policy's own horizon, {known}",
        )
