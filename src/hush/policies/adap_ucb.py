"""AdaP-UCB (Azize & Basu)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.doubling_episodes import DoublingEpisodes
from hush.policies.core.statistics import Floats

__all__ = ["AdaPUCB"]


@dataclass(frozen=True)
class AdaPUCB(DoublingEpisodes):
    """Upper confidence bounds in adaptive episodes.

    Every arm is played once. Then, at the start of each episode, the arm with the largest ``m +
    sqrt(beta ln t / (2 n)) + beta ln t / (epsilon n)`` is chosen and played until its pulls have
    doubled. ``m`` is the noisy mean of the arm's last episode alone, of ``n`` rewards.

    One printing of the paper has ``ln(2 t)`` under the root; the term above is that of its
    analysis. An arm pulled once has ``n = 1``.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    beta
        The width of the bounds. The regret bound needs more than 3; 3.1 is what its authors use.

    References
    ----------
    Azize, Basu: When Privacy Meets Partial Information. NeurIPS 2022.
    https://arxiv.org/abs/2209.02570

    Examples
    --------
    >>> import hush
    >>> learner = hush.AdaPUCB(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> [release.count for release in learner.releases if release.arm == 1]
    [1, 1, 2, 4, 8, 16, 32, 64, 128, 256]
    """

    epsilon: float
    _: KW_ONLY
    beta: float = 3.1

    summary = "upper confidence bounds in episodes that double an arm's pulls"
    reference = "https://arxiv.org/abs/2209.02570"
    noise_law = "Lap(1/eps) on each episode's sum"

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon and beta."""
        return (self.epsilon, self.beta)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's index at the start of an episode in round ``t``."""
        share = parameters[1] * np.log(t) / count
        return mean + np.sqrt(0.5 * share) + share / parameters[0]

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bound of its source."""
        factor, epsilon = 16.0 * self.beta * setting.log_horizon, setting.epsilon
        yield Bound(
            "gaps",
            "upper",
            sum(factor / min(gap, epsilon) for gap in setting.gaps),
            "sum 16 beta ln T / min(D, eps)",
            self.reference,
            "leading term",
            holds=self.beta > 3.0,
            condition=f"beta > 3; beta is {self.beta:g}",
            quoted=True,
        )
