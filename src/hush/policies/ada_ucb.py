"""Ada-UCB, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hush.errors import check_field, positive
from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.scored import Row, ScoredPolicy

__all__ = ["AdaUCB"]


@dataclass(frozen=True)
class AdaUCB(EveryRoundPolicy, ScoredPolicy):
    """Confidence that adapts to how often all arms were played: minimax, sub-UCB and asymptotic.

    Round ``t`` plays the arm i with the largest ``m_i + sqrt(2 v / n_i g(T / H_i))``, with ``m_i``
    the mean of all ``n_i`` rewards of the arm so far, ``H_i`` the sum over arms j of ``min(n_i,
    sqrt(n_i n_j))`` and ``g(x) = ln((x + e) sqrt(ln(x + e)))``.

    The paper is about Gaussian rewards of variance 1. Coins are sub-Gaussian with variance 1/4 at
    most, which is the default of ``v``.

    Parameters
    ----------
    horizon
        For how many rounds; simulations fill it in. It may be played longer.
    variance
        The variance that rewards are taken to have at most, v.

    Notes
    -----
    Compared with the paper's text: index, H and g are its section 1, the orders those of its
    Theorem 1. It says that they carry over to sub-Gaussian rewards, with other constants.

    References
    ----------
    Lattimore: Refining the Confidence Level for Optimistic Bandit Strategies. JMLR 19(20), 2018.
    https://jmlr.org/papers/v19/17-513.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.AdaUCB(horizon=100).learner(n_arms=2)
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.tolist()
    [2.0, 98.0]
    """

    _: KW_ONLY
    horizon: int | None = None
    variance: float = 0.25

    summary = "upper confidence bounds that adapt to how often all arms were played; not private"
    reference = "https://jmlr.org/papers/v19/17-513.html"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "variance", positive)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The horizon, and twice the variance."""
        return (float(self.horizon or 1), 2.0 * self.variance)

    @staticmethod
    def score(
        arm: int, means: Row, counts: Row, n_arms: int, t: float, draw: float, parameters: Row
    ) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound."""
        own, shared = counts[arm], 0.0
        for other in range(n_arms):
            shared += min(own, np.sqrt(own * counts[other]))
        ratio = parameters[0] / shared + math.e
        return means[arm] + np.sqrt(parameters[1] * np.log(ratio * np.sqrt(np.log(ratio))) / own)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the orders that its source proves, for Gaussian rewards."""
        rounds, n_arms = setting.horizon, setting.n_arms
        known = self.horizon or rounds
        values = {
            "gaps": (sum(setting.log_horizon / gap for gap in setting.gaps), "sum ln T / D"),
            "any gaps": (math.sqrt(n_arms * rounds), "sqrt(K T)"),
        }
        for name, (value, formula) in values.items():
            yield Bound(
                name,
                "upper",
                value,
                formula,
                self.reference,
                "order",
                holds=known == rounds,
                condition=f"the policy's own horizon, {known}",
            )
