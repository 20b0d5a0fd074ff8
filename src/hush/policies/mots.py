"""MOTS, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hush.errors import ParameterError, check_field, positive
from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.scored import Draws, Row, ScoredPolicy

__all__ = ["MOTS"]


@dataclass(frozen=True)
class MOTS(EveryRoundPolicy, ScoredPolicy):
    """Thompson sampling whose draws are clipped from above: the first of minimax order.

    After one pull each, round ``t`` plays the largest of one draw per arm from ``N(m, v / (rho
    n))``, cut off at ``m + sqrt(alpha v / n max(0, ln(T / (K n))))``, with ``m`` the mean of all
    ``n`` rewards of the arm so far.

    The paper takes rewards to be sub-Gaussian with variance 1. Coins are with 1/4, the default of
    ``v``.

    Parameters
    ----------
    horizon
        For how many rounds; simulations fill it in. It may be played longer.
    narrowness
        How narrow draws are, the paper's rho.
    alpha
        How late they are clipped.
    variance
        The variance that rewards are taken to have at most, v.

    Notes
    -----
    Of the paper only the beginning could be read: its theorem needs rho between 1/2 and 1. Draws
    and clipping were compared with a later paper of its authors, which has alpha = 4, and that
    paper's code (github.com/xianglinyang/TS), which has rho = 0.9. These are the defaults.

    References
    ----------
    Jin, Xu, Shi, Xiao, Gu: MOTS: Minimax Optimal Thompson Sampling. ICML 2021.
    https://arxiv.org/abs/2003.01803
    Jin, Yang, Xiao, Xu: Thompson Sampling with Less Exploration is Fast and Optimal. ICML 2023,
    section 4. https://proceedings.mlr.press/v202/jin23b.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.MOTS(horizon=1000).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.argmax()
    np.int64(1)
    """

    _: KW_ONLY
    horizon: int | None = None
    narrowness: float = 0.9
    alpha: float = 4.0
    variance: float = 0.25

    draws: ClassVar[Draws] = "normal"
    summary = "Thompson sampling with Gaussian draws clipped from above; not private"
    reference = "https://arxiv.org/abs/2003.01803"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("narrowness", "alpha", "variance"):
            check_field(self, name, positive)
        if not 0.5 < self.narrowness < 1.0:
            raise ParameterError(f"narrowness must lie between 1/2 and 1; got {self.narrowness!r}")

    def parameters_for(self, n_arms: int) -> tuple[float, ...]:
        """Return the share of an arm, the variance of a draw, and how late draws are clipped."""
        share = float(self.horizon or 1) / n_arms
        return (share, self.variance / self.narrowness, self.alpha * self.variance)

    @staticmethod
    def score(
        arm: int, means: Row, counts: Row, n_arms: int, t: float, draw: float, parameters: Row
    ) -> Any:  # noqa: ANN401
        """Return the arm's draw, clipped."""
        most = parameters[2] * max(0.0, np.log(parameters[0] / counts[arm]))
        raised = min(draw * np.sqrt(parameters[1]), np.sqrt(most))
        return means[arm] + raised / np.sqrt(counts[arm])

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves."""
        rounds = setting.horizon
        known = self.horizon or rounds
        yield Bound(
            "any gaps",
            "upper",
            math.sqrt(setting.n_arms * rounds),
            "sqrt(K T)",
            self.reference,
            "order",
            holds=known == rounds,
            condition=f"the policy's own horizon, {known}",
        )
