"""Anytime-Lazy-UCB (Hu, Huang, Mehta, Hegde)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.policies.core.index import IndexPolicy
from hush.policies.core.statistics import Floats

__all__ = ["AnytimeLazyUCB"]


@dataclass(frozen=True)
class AnytimeLazyUCB(IndexPolicy):
    """Upper confidence bounds on each arm's last full epoch, with room for its noise.

    Each arm has epochs of 1, 2, 4, ... rewards of its own. With ``m`` the noisy mean of its last
    full epoch, of ``O`` rewards, round ``t`` plays the arm with the largest::

        m + sqrt(3 ln t / O) + 3 ln t / (epsilon O)

    Needs no horizon. Regret ``O(sum over gaps of ln T / min(gap, epsilon))``, which no
    epsilon-private policy can improve in order.

    Parameters
    ----------
    epsilon
        The privacy loss, for one round's reward replaced by any other.

    References
    ----------
    Hu, Huang, Mehta, Hegde: Near-Optimal Algorithms for Differentially Private Online Learning in
    a Stochastic Environment, Algorithm 1. https://arxiv.org/abs/2102.07929

    Examples
    --------
    >>> import hush
    >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> len(learner.releases), learner.guarantee.epsilon
    (16, 1.0)
    """

    epsilon: float

    summary = "upper confidence bounds on doubling epochs with Laplace noise"
    reference = "https://arxiv.org/abs/2102.07929"
    bound = "O(sum ln T / min(D, eps)), and O(sqrt(K T ln T) + K ln T / eps)"
    noise_law = "Lap(1/eps) on each epoch's sum"

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        width = 3.0 * np.log(t) / count
        return mean + np.sqrt(width) + width / parameters[0]

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon."""
        return (self.epsilon,)
