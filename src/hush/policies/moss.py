"""MOSS, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hush.errors import check_field, truth
from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.index import IndexPolicy
from hush.policies.core.statistics import Floats

__all__ = ["MOSS"]

ALPHA = 1.35
JOURNAL = "https://jmlr.org/papers/v11/audibert10a.html"
ANYTIME = "https://proceedings.mlr.press/v48/degenne16.html"


@dataclass(frozen=True)
class MOSS(EveryRoundPolicy, IndexPolicy):
    """Upper confidence bounds that close once an arm had its share: the first of minimax order.

    Round ``t`` plays the arm with the largest ``m + sqrt(max(0, ln(T / (K n))) / n)``, with ``m``
    the mean of all ``n`` rewards of the arm so far. An arm that was played ``T / K`` times has no
    bonus any more.

    With ``anytime=True`` it needs no horizon: t stands for T, and the bonus is ``sqrt((1 + alpha) /
    2)`` as wide, with alpha = 1.35 (Degenne and Perchet).

    Parameters
    ----------
    horizon
        For how many rounds; simulations fill it in. It may be played longer.
    anytime
        Let the rounds so far stand for the horizon.

    Notes
    -----
    Compared with the text of the journal version of the first paper (its Figure 3 and Theorem 24)
    and of the second (its Algorithm 1 and Theorem 3): index and constants are theirs. The second
    counts t from the end of the first pulls, here it counts all rounds.

    References
    ----------
    Audibert, Bubeck: Minimax Policies for Adversarial and Stochastic Bandits. COLT 2009.
    https://hal.science/hal-00834882
    Audibert, Bubeck: Regret Bounds and Minimax Policies under Partial Monitoring. JMLR 11, 2010.
    https://jmlr.org/papers/v11/audibert10a.html
    Degenne, Perchet: Anytime Optimal Algorithms in Stochastic Multi-Armed Bandits. ICML 2016.
    https://proceedings.mlr.press/v48/degenne16.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.MOSS(horizon=100).learner(n_arms=2)
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.tolist()
    [3.0, 97.0]
    """

    _: KW_ONLY
    horizon: int | None = None
    anytime: bool = False

    summary = "upper confidence bounds that close with an arm's share of rounds; not private"
    reference = "https://hal.science/hal-00834882"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "anytime", truth)

    @property
    def needs_horizon(self) -> bool:
        """Whether it is neither anytime nor knows its horizon."""
        return self.horizon is None and not self.anytime

    def parameters_for(self, n_arms: int) -> tuple[float, ...]:
        """Return how many arms there are, the horizon or 0, and the square of the bonus's factor.

        >>> MOSS(horizon=100).parameters_for(3), MOSS(anytime=True).parameters_for(3)
        ((3.0, 100.0, 1.0), (3.0, 0.0, 1.175))
        """
        if self.anytime:
            return (float(n_arms), 0.0, (1.0 + ALPHA) / 2.0)
        return (float(n_arms), float(self.horizon or 1), 1.0)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        rounds = parameters[1] + (parameters[1] <= 0.0) * t
        wide = parameters[2] * np.maximum(0.0, np.log(rounds / (parameters[0] * count)))
        return mean + np.sqrt(wide / count)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bounds of its sources."""
        rounds, n_arms, known = setting.horizon, setting.n_arms, self.horizon or setting.horizon
        least, most = min(setting.gaps, default=1.0), max(setting.gaps, default=0.0)
        share = rounds * least**2 / n_arms
        if self.anytime:
            reference = f"{ANYTIME} Theorem 3"
            gaps = 75.0 * n_arms / least * (math.log(max(2.0 * share, 1.0)) + 1.0) + most
            values = {
                "gaps": (gaps, "75 K / D (ln max(1, 2 T D^2 / K) + 1) + max D, D the least gap"),
                "any gaps": (113.0 * math.sqrt(n_arms * rounds) + most, "113 sqrt(K T) + max D"),
            }
        else:
            reference = f"{JOURNAL} Theorem 24"
            gaps = 23.0 * n_arms / least * math.log(max(110.0 * share, 1e4))
            values = {
                "gaps": (gaps, "23 K / D ln max(110 T D^2 / K, 10^4), D the least gap"),
                "any gaps": (25.0 * math.sqrt(n_arms * rounds), "25 sqrt(K T)"),
            }
        for name, (value, formula) in values.items():
            yield Bound(
                name,
                "upper",
                value,
                formula,
                reference,
                holds=self.anytime or known == rounds,
                condition="" if self.anytime else f"the policy's own horizon, {known}",
                quoted=True,
            )
