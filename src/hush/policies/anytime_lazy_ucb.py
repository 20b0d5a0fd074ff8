"""Anytime-Lazy-UCB (Hu, Huang, Mehta, Hegde)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.numerics.regret_constants import sample_exponent
from hush.policies.core.epoch_bounds import regret_of
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import bandit_bounds, closed_forms, lazy_bounds
from hush.policies.core.statistics import Floats

__all__ = ["AnytimeLazyUCB"]


@dataclass(frozen=True)
class AnytimeLazyUCB(IndexPolicy):
    """Upper confidence bounds on each arm's last full epoch, with room for its noise.

    Each arm has epochs of 1, 2, 4, ... rewards of its own. With ``m`` the noisy mean of its last
    full epoch, of ``O`` rewards, round ``t`` plays the arm with the largest:

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
    sample_factor: ClassVar[float] = 24.0
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

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the paper's bound with the constants of its proof, and what a closer look gives.

        The paper: less than ``2^(d + 2)`` pulls of an arm on average. Up to the epoch after the
        d-th that is ``2^(d + 2) - 1`` pulls. A later epoch needs a failed bound: ``t^-3 / 2 +
        t^-6`` for the arm, and as much for each epoch of the best one. Summed over rounds and
        epochs, with ``d >= 5``, that is less than one pull more. The closer look is in
        ``docs/theory/upper_bounds.md``.
        """
        yield from self._closer_bounds(setting)
        rounds, reference = setting.horizon, f"{self.reference} regret theorem of Anytime-Lazy-UCB"
        exponents = [
            sample_exponent(gap, setting.epsilon, rounds, self.sample_factor)
            for gap in setting.gaps
        ]
        pulls = (min(rounds, 2.0 ** (each + 2)) for each in exponents)
        yield Bound(
            "samples",
            "upper",
            sum(gap * each for gap, each in zip(setting.gaps, pulls, strict=True)),
            "sum D min(T, 2^(d + 2)), d = ceil(log2(24 ln T / (D min(D, eps))))",
            f"{reference}, constants from its proof",
            holds=rounds >= 2,
            condition="T >= 2",
        )
        yield from lazy_bounds(setting, reference)

    def _closer_bounds(self, setting: Setting) -> Iterator[Bound]:
        epsilon, logarithm = setting.epsilon, setting.log_horizon

        def apart(mean: float, length: float) -> bool:
            share = 3.0 * logarithm / length
            return math.sqrt(share) + share / epsilon < (setting.best - mean) / 2.0

        values = closed_forms(setting, 48, 48) | {
            "epochs": (
                regret_of(setting, apart),
                "sum D min(T, 2^(d + 1)), d the first with "
                "sqrt(3 ln T / 2^d) + 3 ln T / (eps 2^d) < D / 2",
            ),
        }
        yield from bandit_bounds(setting, values)
