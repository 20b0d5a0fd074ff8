"""DP-UCB-BOUND (Tossou & Dimitrakakis)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import CounterName
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import at_least_e, order_bound
from hush.policies.core.statistics import Floats

__all__ = ["DPUCBBound"]


@dataclass(frozen=True)
class DPUCBBound(IndexPolicy):
    """UCB on noisy sums from a Hybrid counter per arm, with a bound on the noise of each step.

    Round ``t`` plays the arm with the largest ``m + sqrt(2 ln t / n) + v / n``, where ``m`` is
    the arm's noisy mean of all its ``n`` rewards, and ``v = sqrt(8) ln(4 t^4) / epsilon`` where
    ``n`` is a power of two, ``ln n + 1`` times that elsewhere.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.

    References
    ----------
    Tossou, Dimitrakakis: Algorithms for Differentially Private Multi-Armed Bandits. AAAI 2016.
    https://arxiv.org/abs/1511.08681

    Examples
    --------
    >>> import hush
    >>> learner = hush.DPUCBBound(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> float(learner.statistics.counts.sum())
    100.0
    """

    epsilon: float

    counter: ClassVar[CounterName | None] = "hybrid"
    summary = "upper confidence bounds on a Hybrid counter per arm"
    reference = "https://arxiv.org/abs/1511.08681"
    noise_law = "Hybrid counter per arm: Laplace noise on each node"

    @property
    def parameters(self) -> tuple[float, ...]:
        """The factor of the noise's bound."""
        return (math.sqrt(8.0) / self.epsilon,)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        log = np.log(t)
        bound = parameters[0] * (math.log(4.0) + 4.0 * log)
        power = np.exp2(np.floor(np.log2(count) + 0.5)) == count
        factor = 1.0 + (1.0 - 1.0 * power) * np.log(count)
        return mean + np.sqrt(2.0 * log / count) + bound * factor / count

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves; its constants are not quoted."""
        logarithm = setting.log_horizon
        private = logarithm * math.log(at_least_e(logarithm)) / setting.epsilon
        formula = "sum max(ln T / D, ln T ln(ln T) / eps)"
        yield order_bound(
            setting, formula, self.reference, lambda gap: max(logarithm / gap, private)
        )
