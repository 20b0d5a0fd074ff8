"""Lazy UCB-V, private: the other index of Anytime-Lazy-UCB's footnote."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.epoch_bounds import likely_range, regret_of
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import bandit_bounds
from hush.policies.core.statistics import Floats

__all__ = ["LazyUCBV"]


@dataclass(frozen=True)
class LazyUCBV(IndexPolicy):
    """Anytime-Lazy-UCB with bounds that know the variance: good where means are near 0 or 1.

    Each arm has epochs of 1, 2, 4, ... rewards of its own. With ``m`` the noisy mean of its last
    full epoch, of ``O`` rewards, and ``e = 3 ln t``, round ``t`` plays the arm with the largest:

        m + e / (epsilon O) + sqrt(2 v e / O) + 3 e / O

    Coins of mean x have the variance ``x (1 - x)``; ``v`` is the largest one for any x within ``e /
    (epsilon O)`` of m, because the true mean of the epoch is hidden by noise.

    The paper of Anytime-Lazy-UCB says in a footnote that its index may be built on UCB-V, and no
    more. What is done about the noise in the variance, and the constants, are Hush's: luck and
    noise each break their bound in round t with a chance of order ``t^-3``. Needs no horizon.

    The width ``sqrt(2 v e / O) + 3 e / O`` is UCB-V's, as in SMPyBandits: the empirical Bernstein
    bound. The text of its paper could not be read; for coins Hush's documents prove it.

    Parameters
    ----------
    epsilon
        The privacy loss, for one round's reward replaced by any other.

    References
    ----------
    Hu, Huang, Mehta, Hegde: Near-Optimal Algorithms for Differentially Private Online Learning in
    a Stochastic Environment, footnote on Algorithm 1. https://arxiv.org/abs/2102.07929
    Audibert, Munos, Szepesvári: Exploration-exploitation Tradeoff using Variance Estimates in
    Multi-armed Bandits. Theoretical Computer Science 410, 2009.
    https://doi.org/10.1016/j.tcs.2009.01.016

    Examples
    --------
    >>> import hush
    >>> learner = hush.LazyUCBV(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> len(learner.releases), learner.guarantee.epsilon
    (17, 1.0)
    """

    epsilon: float

    summary = (
        "upper confidence bounds that know the variance, on doubling epochs with Laplace noise"
    )
    reference = "https://arxiv.org/abs/2102.07929"
    noise_law = "Lap(1/eps) on each epoch's sum"

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        share = 3.0 * np.log(t) / count
        high = mean + share / parameters[0]
        variance = largest_variance(mean - share / parameters[0], high)
        return high + np.sqrt(2.0 * variance * share) + 3.0 * share

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon."""
        return (self.epsilon,)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield Hush's own bounds; ``docs/theory/upper_bounds.md`` proves them."""
        best, logarithm, epsilon = setting.best, setting.log_horizon, setting.epsilon

        def apart(mean: float, length: float) -> bool:
            share = 3.0 * logarithm / length
            low, high = likely_range(mean, share)
            low, high = low - 2.0 * share / epsilon, high + 2.0 * share / epsilon
            width = math.sqrt(2.0 * float(largest_variance(low, high)) * share)
            return high + width + 3.0 * share < best

        values = {
            "epochs": (
                regret_of(setting, apart),
                "sum D min(T, 2^(d + 1)), d the first at which x + 2 e / eps + sqrt(2 v e) + 3 e < "
                "m* for all x with kl(x, m) <= e, where e = 3 ln T / 2^d",
            ),
            "gaps, closed form": (
                sum(logarithm * (24.0 / gap + 48.0 / epsilon + 72.0) for gap in setting.gaps),
                "sum ln T (24 / D + 48 / eps + 72)",
            ),
            "any gaps, closed form": (
                2.0 * math.sqrt(24.0 * setting.n_arms * setting.horizon * logarithm)
                + setting.n_arms * logarithm * (48.0 / epsilon + 72.0),
                "2 sqrt(24 K T ln T) + K ln T (48 / eps + 72)",
            ),
        }
        yield from bandit_bounds(setting, values)


def largest_variance(low: Any, high: Any) -> Any:  # noqa: ANN401
    """Return the largest variance of a coin whose mean lies between two numbers.

    >>> float(largest_variance(0.2, 0.7)), round(float(largest_variance(0.8, 0.9)), 6)
    (0.25, 0.16)
    >>> float(largest_variance(1.2, 1.4))
    0.0
    """
    middle = np.minimum(np.maximum(0.5, low), high)
    return np.maximum(middle * (1.0 - middle), 0.0)
