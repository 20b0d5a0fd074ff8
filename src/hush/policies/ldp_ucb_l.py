"""LDP-UCB-L: every reward gets Laplace noise of its own (Ren, Zhou, Liu, Shroff)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.mechanisms import EveryRound, Schedule
from hush.numerics.bound import Bound, Setting
from hush.policies.core.guarantees import local_guarantee
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import order_bound
from hush.policies.core.statistics import Floats, Memory
from hush.privacy import Guarantee

__all__ = ["LDPUCBL"]

FAR = 1e9  # above any bound


@dataclass(frozen=True)
class LDPUCBL(IndexPolicy):
    """Upper confidence bounds on rewards with Laplace noise on each: nobody is trusted.

    Each reward is released by itself, with ``Lap(1/epsilon)``. Round ``t`` plays the arm with the
    largest ``m + sqrt(2 ln t / n) + sqrt(32 ln t / (epsilon^2 n))``, with ``m`` the mean of its
    ``n`` noisy rewards; arms of ``n <= 4 ln(t + 1)`` pulls go before all others.

    For coins :class:`~hush.Local` is far better: a coin need not be told apart from every number
    between 0 and 1. Rewards are coins here as everywhere, so that what this policy is made for,
    rewards that are numbers, is out of its reach.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced, for anyone who sees its noisy value.

    References
    ----------
    Ren, Zhou, Liu, Shroff: Multi-Armed Bandits with Local Differential Privacy. 2020.
    https://arxiv.org/abs/2007.03121

    Examples
    --------
    >>> import hush
    >>> learner = hush.LDPUCBL(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> learner.update(learner.select(), 1).count, learner.guarantee.trust
    (1, 'local')
    """

    epsilon: float

    memory: ClassVar[Memory] = "total"
    summary = "upper confidence bounds on rewards with Laplace noise on each: nobody is trusted"
    reference = "https://arxiv.org/abs/2007.03121"
    noise_law = "Lap(1/eps) on each reward"

    @property
    def schedule(self) -> Schedule:
        """Learn every round."""
        return EveryRound()

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon for each reward, whoever sees its noisy value."""
        return local_guarantee(
            self.epsilon,
            "each reward is released by itself, moves that release by at most 1, and has Laplace "
            "noise of scale 1/epsilon; all else is computed from such releases",
        )

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon."""
        return (self.epsilon,)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``, far up while pulls are few."""
        width = np.sqrt(2.0) + np.sqrt(32.0) / parameters[0]
        bound = mean + width * np.sqrt(np.log(t) / count)
        return bound + FAR * (count <= 4.0 * np.log(t + 1.0))

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves."""
        logarithm, epsilon = setting.log_horizon, setting.epsilon
        yield order_bound(
            setting,
            "sum (1 + 1/eps^2) ln T / D + D",
            self.reference,
            lambda gap: (1.0 + epsilon**-2) * logarithm / gap + gap,
        )
