"""Follow the regularised leader on tree-noised sums (Agarwal, Singh)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hush.mechanisms import ExponentialWeights
from hush.numerics.bound import Bound, Setting
from hush.policies.core.tree_leader import TreeLeaderPolicy

__all__ = ["TreeFTRL"]


@dataclass(frozen=True)
class TreeFTRL(TreeLeaderPolicy):
    """Exponential weights of sums from a binary tree: privacy costs a term that T hardly moves.

    Round ``t`` plays action ``j`` with probability proportional to ``exp(eta L_j)``, where ``L_j``
    is the noisy sum of its rewards before t and ``eta = sqrt(8 ln K / T)``. One tree holds the sums
    of all actions. It has ``ceil(log2 T)`` levels, and each sum of a node has ``Lap(K ceil(log2 T)
    / epsilon)``: a reward vector moves K sums a level. Each ``L_j`` has the noise of as many draws
    as there are levels, whatever t is. So against rewards that were fixed in advance every round
    costs, in the mean, what it would cost if the noise were drawn once for all rounds, and
    exponential weights from such a start lose ``ln K / eta + eta T / 8``, and the largest of K
    noises.

    Reconstructed: of the source its abstract could be read, and others' code after it: the tree,
    a sum's noise of ``ceil(log2 T)`` draws in every round, their scale. Entropy as the regulariser
    for experts is from memory of it. Its order of regret, ``sqrt(T ln K) + K ln K ln^2 T /
    epsilon``, is that of the bound here, whose constants are Hush's own. The rate, and that the
    noise of unused levels is drawn once, are Hush's choice; neither matters to privacy.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward vector is replaced.
    horizon
        For how many rounds; simulations fill it in. When the tree is full, the last action stays.

    References
    ----------
    Agarwal, Singh: The Price of Differential Privacy for Online Learning. ICML 2017.
    https://arxiv.org/abs/1701.07953

    Examples
    --------
    >>> import hush
    >>> policy = hush.TreeFTRL(epsilon=1.0, horizon=10**6)
    >>> policy.levels, round(policy.rule(5).rate, 6)
    (20, 0.003588)
    >>> expert = hush.TreeFTRL(10.0, horizon=5000).learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> for _ in range(4000):
    ...     action = expert.select()
    ...     _ = expert.update([0, 1, 0])
    >>> expert.select()
    1
    """

    summary = "exponential weights of sums from one noisy tree; for adversaries"
    reference = "https://arxiv.org/abs/1701.07953"

    def rule(self, n_arms: int) -> ExponentialWeights:
        """Return exponential weights at the rate of the horizon."""
        return ExponentialWeights(math.sqrt(8.0 * math.log(n_arms) / (self.horizon or 1)))

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bound against an oblivious adversary, with constants."""
        known, rate = self.horizon or setting.horizon, self.rule(setting.n_arms).rate
        weights = rate * setting.horizon / 8.0
        weights += math.log(setting.n_arms) / rate if rate else 0.0
        yield Bound(
            "oblivious adversary",
            "upper",
            weights + self.noise_bound(setting.n_arms),
            "ln K / eta + eta T / 8 + E max Z, with Z of L = ceil(log2 T) draws of Lap(K L / eps)",
            "exponential weights from a start that noise moves, by Hoeffding's lemma",
            holds=setting.horizon <= known,
            condition=f"the policy's own horizon, {known}",
        )
