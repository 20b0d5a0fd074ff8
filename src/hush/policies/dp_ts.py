"""DP-TS (Hu & Hegde)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import CounterName
from hush.policies.core.shared_bounds import at_least_e, order_bound
from hush.policies.core.statistics import Floats
from hush.policies.core.thompson import ThompsonPolicy

__all__ = ["DPTS"]


@dataclass(frozen=True)
class DPTS(ThompsonPolicy):
    """Thompson sampling on a noisy sum of all rewards, released every round.

    Each arm has a Hybrid counter. Round ``t`` draws ``Beta(a n + 1, (1 - a) n + 1)`` for every
    arm, with ``a = clip(m + 6 sqrt(8) ln(n + 1) ln t / (epsilon n))`` and ``m`` the arm's noisy
    mean of all its ``n`` rewards, and plays the arm of the largest draw.

    Decisions: logarithms are natural. The counter restarts its tree at powers of two, as Chan,
    Shi and Song do; a summary of the paper has it restart one step earlier, which changes no rate.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.

    References
    ----------
    Hu, Hegde: Near-Optimal Thompson Sampling-based Algorithms for Differentially Private
    Stochastic Bandits. UAI 2022. https://proceedings.mlr.press/v180/hu22a.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.DPTS(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> float(learner.statistics.counts.sum())
    100.0
    """

    epsilon: float

    counter: ClassVar[CounterName | None] = "hybrid"
    summary = "Thompson sampling on a noisy running sum of all rewards"
    reference = "https://proceedings.mlr.press/v180/hu22a.html"
    noise_law = "Hybrid counter per arm: Laplace noise on each node"

    @property
    def parameters(self) -> tuple[float, ...]:
        """The factor of the bonus."""
        return (6.0 * math.sqrt(8.0) / self.epsilon,)

    @staticmethod
    def center(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the centre of the arm's Beta law in round ``t``."""
        bonus = parameters[0] * np.log(count + 1.0) * np.log(t) / count
        return np.minimum(np.maximum(mean + bonus, 0.0), 1.0)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves."""
        logarithm, epsilon = setting.log_horizon, setting.epsilon

        def pulls(gap: float) -> float:
            inner = math.log(at_least_e(logarithm / (epsilon * gap)))
            return max(logarithm / gap, logarithm * inner / epsilon)

        formula = "sum max(ln T / D, ln T ln(ln T / (eps D)) / eps)"
        yield order_bound(setting, formula, self.reference, pulls)
