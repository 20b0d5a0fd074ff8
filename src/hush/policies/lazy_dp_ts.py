"""Lazy-DP-TS (Hu, Huang, Mehta, Hegde)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.lazy_thompson_bounds import lazy_thompson_bounds
from hush.policies.core.shared_bounds import lazy_bounds
from hush.policies.core.statistics import Floats
from hush.policies.core.thompson import ThompsonPolicy

__all__ = ["LazyDPTS"]


@dataclass(frozen=True)
class LazyDPTS(ThompsonPolicy):
    """Thompson sampling on each arm's last full epoch, shifted up to cover its noise.

    Each arm has epochs of 1, 2, 4, ... rewards of its own. With ``m`` the noisy mean of its last
    full epoch, of ``O`` rewards, round ``t`` plays the largest of one draw per arm from:

        Beta(a O + 1, (1 - a) O + 1),    a = clip(m + 3 ln t / (epsilon O), 0, 1)

    Needs no horizon. Logarithms are natural: an earlier version of the paper reads as base 2, but
    the natural one fits its published curves and is what its proof uses.

    Parameters
    ----------
    epsilon
        The privacy loss, for one round's reward replaced by any other.

    References
    ----------
    Hu, Huang, Mehta, Hegde: Near-Optimal Algorithms for Differentially Private Online Learning in
    a Stochastic Environment, Algorithm 3. https://arxiv.org/abs/2102.07929

    Examples
    --------
    >>> import hush
    >>> learner = hush.LazyDPTS(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.argmax()
    np.int64(1)
    """

    epsilon: float

    summary = "Thompson sampling on doubling epochs with Laplace noise"
    reference = "https://arxiv.org/abs/2102.07929"
    sample_factor: ClassVar[float] = 72.0
    noise_law = "Lap(1/eps) on each epoch's sum"

    @staticmethod
    def center(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the clipped optimistic mean in round ``t``."""
        raised = mean + 3.0 * np.log(t) / (parameters[0] * count)
        return np.minimum(1.0, np.maximum(0.0, raised))

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon."""
        return (self.epsilon,)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield our own bounds, and the orders of the paper's theorem, which names no constant."""
        yield from lazy_thompson_bounds(setting)
        yield from lazy_bounds(setting, f"{self.reference} regret theorem of Lazy-DP-TS")
