"""DP-KLUCB (Azize, Wu, Honda, Orabona, Ito, Basu)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.numerics.divergence import private_upper
from hush.policies.core.growing_batches import GrowingBatches
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import private_long_run
from hush.policies.core.statistics import Floats

__all__ = ["DPKLUCB"]


@dataclass(frozen=True)
class DPKLUCB(GrowingBatches, IndexPolicy):
    """KL-UCB with the divergence that privacy leaves: the best regret published.

    An arm is played in batches, each chosen at its start and played to its end. A batch lets the
    arm's total grow from ``n`` to ``ceil(alpha n)``. Every batch's noisy sum is added to the
    arm's; nothing is dropped, so noise adds up, but only over a logarithmic number of batches.
    The arm with the largest ``max{q >= a : d_eps(a, q) <= ln t / n}`` is chosen, where ``a =
    clip(m)`` and ``d_eps(x, y)`` is the infimum over ``z`` of ``epsilon |z - x| + kl(z, y)``.

    The index, the kept sums and the clipping follow the paper as its readers report them. The
    first batch (1) and the rounding of the others are Hush's choice.

    **Warning.** No bonus covers the noise of the first, short batches, so an unlucky draw can keep
    the best arm away for very long. ``docs/comparison.md`` says how often, with figures.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    alpha
        The ratio by which an arm's total grows. The regret bound is proportional to it, but with
        alpha near 1 noise adds up over many short batches and rare runs are near-linear; hence 2.

    References
    ----------
    Azize, Wu, Honda, Orabona, Ito, Basu: Optimal Regret of Bernoulli Bandits under Global
    Differential Privacy. 2025. https://arxiv.org/abs/2505.05613

    Examples
    --------
    >>> import hush
    >>> learner = hush.DPKLUCB(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> [release.count for release in learner.releases if release.arm == 1]
    [1, 1, 2, 4, 8, 16, 32, 64, 128, 256]
    """

    costly = True
    summary = "KL-UCB with the divergence that privacy leaves, on all batches of an arm"

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's index at the start of a batch in round ``t``."""
        center = np.minimum(np.maximum(mean, 0.0), 1.0)
        return private_upper(center, np.log(t) / count, parameters[0])

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the constant of ``ln T``: optimal for coins as alpha nears 1."""
        yield private_long_run(setting, self.reference, self.alpha)
