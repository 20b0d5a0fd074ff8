"""Lazy KL-UCB, private: the other index of Anytime-Lazy-UCB's footnote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.numerics.divergence import kl, upper
from hush.policies.core.epoch_bounds import likely_range, regret_of
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import bandit_bounds, closed_forms
from hush.policies.core.statistics import Floats

__all__ = ["LazyKLUCB"]


@dataclass(frozen=True)
class LazyKLUCB(IndexPolicy):
    """Anytime-Lazy-UCB with a divergence for the luck of coins instead of Hoeffding's bound.

    Each arm has epochs of 1, 2, 4, ... rewards of its own. With ``m`` the noisy mean of its last
    full epoch, of ``O`` rewards, round ``t`` plays the arm with the largest:

        max{q : kl(a, q) <= 3 ln t / O},    a = clip(m + 3 ln t / (epsilon O), 0, 1)

    The paper of Anytime-Lazy-UCB says in a footnote that its index may be built on KL-UCB, and no
    more. The constants are Hush's: luck and noise each break their bound in round t with a chance
    of at most ``t^-3``, which is all that the proof needs. The index is never above
    Anytime-Lazy-UCB's unless that is below ``sqrt(3 ln t / O)``. Needs no horizon.

    Parameters
    ----------
    epsilon
        The privacy loss, for one round's reward replaced by any other.

    References
    ----------
    Hu, Huang, Mehta, Hegde: Near-Optimal Algorithms for Differentially Private Online Learning in
    a Stochastic Environment, footnote on Algorithm 1. https://arxiv.org/abs/2102.07929
    Garivier, Cappé: The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond. COLT 2011.
    https://arxiv.org/abs/1102.2490

    Examples
    --------
    >>> import hush
    >>> learner = hush.LazyKLUCB(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> len(learner.releases), learner.guarantee.epsilon
    (15, 1.0)
    """

    epsilon: float

    summary = "KL-UCB on doubling epochs with Laplace noise"
    reference = "https://arxiv.org/abs/2102.07929"
    noise_law = "Lap(1/eps) on each epoch's sum"

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        share = 3.0 * np.log(t) / count
        center = np.minimum(np.maximum(mean + share / parameters[0], 0.0), 1.0)
        return upper(center, share)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon."""
        return (self.epsilon,)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield Hush's own bounds; ``docs/theory/upper_bounds.md`` proves them."""
        best, wide = setting.best, 3.0 * setting.log_horizon

        def apart(mean: float, length: float) -> bool:
            share = wide / length
            highest = likely_range(mean, share)[1] + 2.0 * share / setting.epsilon
            return highest < best and float(kl(highest, best)) > share

        values = closed_forms(setting, 24, 48) | {
            "epochs": (
                regret_of(setting, apart, extra=1.0),
                "sum D min(T, 2^(d + 1) + 1), d the first with kl(x + 6 ln T / (eps 2^d), m*) > "
                "3 ln T / 2^d for all x with kl(x, m) <= 3 ln T / 2^d",
            ),
        }
        yield from bandit_bounds(setting, values)
