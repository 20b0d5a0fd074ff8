"""Naive follow-the-noisy-leader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hush.mechanisms import NoisyLeader
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.full_information import EpochPolicy
from hush.policies.core.guarantees import vector_guarantee
from hush.policies.core.leader_bounds import leader_bounds
from hush.policies.core.shared_bounds import noisy_leader_bounds
from hush.privacy import Guarantee

__all__ = ["NaiveFTNL"]


@dataclass(frozen=True)
class NaiveFTNL(EpochPolicy):
    """Follow the leader among sums that are each released with noise: what RNMFTNL improves on.

    Epochs are those of :class:`~hush.RNMFTNL`. Every action's sum gets ``Lap(K / epsilon)``, so
    that all K noisy sums together lose epsilon, and the largest names the next action. Its regret
    grows like K in the number of actions, where RNMFTNL's grows like its logarithm.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward vector is replaced.

    References
    ----------
    Hu, Huang, Mehta, Hegde, Section 4, as the way not to do it. https://arxiv.org/abs/2102.07929

    Examples
    --------
    >>> import hush
    >>> expert = hush.NaiveFTNL(epsilon=1.0).learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> for _ in range(255):
    ...     action = expert.select()
    ...     _ = expert.update([0, 1, 0])
    >>> expert.select(), len(expert.releases)
    (1, 8)
    """

    epsilon: float

    summary = "follow the leader among sums with noise that grows with K"
    reference = "https://arxiv.org/abs/2102.07929"
    noise_law = "Lap(K/eps) on each action's sum of an epoch"

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon when a reward vector is replaced."""
        return vector_guarantee(
            self.epsilon,
            "each reward vector enters the K sums of one epoch and moves each by at most 1; "
            "each of them is released once with Laplace noise of scale K/epsilon",
        )

    def _mechanism(self, noise: NoiseSource) -> NoisyLeader:
        return NoisyLeader(epsilon=self.epsilon, source=noise)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bounds of RNM-FTNL, at the scale of this noise."""
        scale = setting.n_arms / self.epsilon
        yield from leader_bounds(self, setting, "laplace", scale)
        yield from noisy_leader_bounds(setting, self.reference, scale)
