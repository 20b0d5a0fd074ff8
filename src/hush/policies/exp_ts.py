"""ExpTS, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.numerics.divergence import upper
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.scored import Draws, Row, ScoredPolicy
from hush.policies.core.shared_bounds import at_least_e, long_run

__all__ = ["ExpTS"]


@dataclass(frozen=True)
class ExpTS(EveryRoundPolicy, ScoredPolicy):
    """Thompson sampling with draws whose tails are a divergence: optimal for coins.

    After one pull each, round ``t`` plays the largest of one draw per arm. A draw is above ``x``,
    for any x at least the mean ``m`` of all ``n`` rewards of the arm so far, with chance ``exp(-(n
    - 1) kl(m, x)) / 2``, and below x, for any x at most m, with the same. (After one pull it is 0
    or 1, each with chance 1/2.)

    Notes
    -----
    Of the paper only the beginning could be read. The law of a draw was compared with equation 4.1
    of a later paper by its authors, the first named below after it, and with that paper's code
    (github.com/xianglinyang/TS), which has ``n - 0.99`` where the formula has ``n - 1``.

    References
    ----------
    Jin, Xu, Xiao, Anandkumar: Finite-Time Regret of Thompson Sampling Algorithms for Exponential
    Family Multi-Armed Bandits. NeurIPS 2022. https://arxiv.org/abs/2206.03520
    Jin, Yang, Xiao, Xu: Thompson Sampling with Less Exploration is Fast and Optimal. ICML 2023,
    section 4. https://proceedings.mlr.press/v202/jin23b.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.ExpTS().learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.argmax()
    np.int64(1)
    """

    draws: ClassVar[Draws] = "uniform"
    summary = "Thompson sampling with draws whose tails are a divergence; not private"
    reference = "https://arxiv.org/abs/2206.03520"

    @staticmethod
    def score(
        arm: int, means: Row, counts: Row, n_arms: int, t: float, draw: float, parameters: Row
    ) -> Any:  # noqa: ANN401
        """Return the arm's draw: the tail is inverted."""
        known = max(counts[arm] - 1.0, 1e-6)
        tail = max(2.0 * min(draw, 1.0 - draw), 1e-300)
        if draw < 0.5:
            return upper(means[arm], -np.log(tail) / known)
        return 1.0 - upper(1.0 - means[arm], -np.log(tail) / known)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the optimal constant of ``ln T``, and the order for any gaps."""
        yield long_run(setting, self.reference)
        rounds, n_arms = setting.horizon, setting.n_arms
        value = math.sqrt(n_arms * rounds * math.log(at_least_e(n_arms)))
        yield Bound("any gaps", "upper", value, "sqrt(K T ln K)", self.reference, "order")
