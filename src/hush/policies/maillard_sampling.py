"""Maillard sampling, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hush.errors import check_field, positive
from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.scored import Draws, Row, ScoredPolicy
from hush.policies.core.statistics import Floats, Statistics

__all__ = ["MaillardSampling"]


@dataclass(frozen=True)
class MaillardSampling(EveryRoundPolicy, ScoredPolicy):
    """Arms with chances in closed form, as Thompson sampling has none: good for logged data.

    After one pull each, an arm is played with a chance in proportion to ``exp(-n D^2 / (2 v))``,
    with ``D`` by how much the mean of its ``n`` rewards so far is below the largest such mean. The
    one of that largest mean has weight 1.

    A choice by such weights is the largest of their logarithms plus Gumbel noise, and that is how
    it is drawn.

    Parameters
    ----------
    variance
        The variance that rewards are taken to have at most, v: for coins 1/4, the default.

    Notes
    -----
    Compared with the paper's text: the chances are its Algorithm 1, the constant of ln T is that of
    its Theorem 2, and the order for any gaps its Corollary 3, all for sub-Gaussian rewards.

    References
    ----------
    Bian, Jun: Maillard Sampling: Boltzmann Exploration Done Optimally. AISTATS 2022.
    https://arxiv.org/abs/2111.03290

    Examples
    --------
    >>> import hush
    >>> learner = hush.MaillardSampling().learner(n_arms=2)
    >>> for _ in range(3):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.sum()
    np.float64(3.0)
    """

    _: KW_ONLY
    variance: float = 0.25

    draws: ClassVar[Draws] = "uniform"
    summary = "chances that fall with the squared gap, in closed form; not private"
    reference = "https://arxiv.org/abs/2111.03290"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "variance", positive)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Twice the variance."""
        return (2.0 * self.variance,)

    @staticmethod
    def score(
        arm: int, means: Row, counts: Row, n_arms: int, t: float, draw: float, parameters: Row
    ) -> Any:  # noqa: ANN401
        """Return the logarithm of the arm's weight plus Gumbel noise."""
        best = means[0]
        for other in range(1, n_arms):
            best = max(best, means[other])
        weight = -counts[arm] * (best - means[arm]) ** 2 / parameters[0]
        return weight - np.log(-np.log(max(draw, 1e-300)))

    def _chances(self, t: int, statistics: Statistics) -> Floats:  # noqa: ARG002
        gaps = statistics.means.max() - statistics.means
        weights = np.exp(-statistics.counts * gaps**2 / (2.0 * self.variance))
        chances: Floats = weights / weights.sum()
        return chances

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the constant of ``ln T``, optimal for Gaussian rewards, and an order."""
        yield Bound(
            "long run",
            "upper",
            sum(2.0 * self.variance * setting.log_horizon / gap for gap in setting.gaps),
            "sum 2 v ln T / D",
            self.reference,
            "leading term",
            holds=self.variance >= 0.25,
            condition=f"v >= 1/4; v is {self.variance:g}",
            quoted=True,
        )
        value = math.sqrt(setting.n_arms * setting.horizon * setting.log_horizon)
        yield Bound("any gaps", "upper", value, "sqrt(K T ln T)", self.reference, "order")
