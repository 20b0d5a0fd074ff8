"""DP-IMED (Azize, Wu, Honda, Orabona, Ito, Basu)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.numerics.divergence import d_eps
from hush.policies.core.growing_batches import GrowingBatches
from hush.policies.core.relative_index import RelativeIndexPolicy
from hush.policies.core.shared_bounds import private_long_run
from hush.policies.core.statistics import Floats

__all__ = ["DPIMED"]


@dataclass(frozen=True)
class DPIMED(GrowingBatches, RelativeIndexPolicy):
    """Indexed minimum empirical divergence, with the divergence that privacy leaves.

    Batches and sums are those of :class:`~hush.DPKLUCB`. The arm with the *smallest* ``n d_eps(a,
    a*) + ln n`` is chosen, where ``a = clip(m)`` and ``a*`` is the largest of them. Nothing in it
    depends on time.

    **Warning.** As with DPKLUCB an unlucky first release can keep the best arm away, and more
    often so; ``docs/comparison.md`` says how often, with figures.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    alpha
        The ratio by which an arm's total grows; 2 by default, for the reason given in DPKLUCB.

    References
    ----------
    Azize, Wu, Honda, Orabona, Ito, Basu: Optimal Regret of Bernoulli Bandits under Global
    Differential Privacy. 2025. https://arxiv.org/abs/2505.05613

    Examples
    --------
    >>> import hush
    >>> learner = hush.DPIMED(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> [release.count for release in learner.releases if release.arm == 1]
    [1, 1, 2, 4, 8, 16, 32, 64, 128, 256]
    """

    summary = "minimum empirical divergence, with the divergence that privacy leaves"

    @staticmethod
    def index(mean: Any, count: Any, best: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the negative of what is to be smallest."""
        center = np.minimum(np.maximum(mean, 0.0), 1.0)
        top = min(max(best, 0.0), 1.0)
        return -count * d_eps(center, top, parameters[0]) - np.log(count)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the constant of ``ln T``: optimal for coins as alpha nears 1."""
        yield private_long_run(setting, self.reference, self.alpha)
