"""UCB1, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.index import IndexPolicy
from hush.policies.core.statistics import Floats

__all__ = ["UCB1"]


@dataclass(frozen=True)
class UCB1(EveryRoundPolicy, IndexPolicy):
    """The classic upper confidence bound: the non-private peer of AnytimeLazyUCB.

    Round ``t`` plays the arm with the largest ``m + sqrt(2 ln t / n)``, with ``m`` the mean of
    all ``n`` rewards of the arm so far.

    References
    ----------
    Auer, Cesa-Bianchi, Fischer: Finite-time Analysis of the Multiarmed Bandit Problem. Machine
    Learning 47, 2002. https://doi.org/10.1023/A:1013689704352

    Examples
    --------
    >>> import hush
    >>> learner = hush.UCB1().learner(n_arms=2)
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.tolist()
    [6.0, 94.0]
    """

    summary = "the classic upper confidence bound; not private"
    reference = "https://doi.org/10.1023/A:1013689704352"

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        return mean + np.sqrt(2.0 * np.log(t) / count)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bound of its source."""
        value = sum(8.0 * setting.log_horizon / gap for gap in setting.gaps)
        value += (1.0 + math.pi**2 / 3.0) * sum(setting.gaps)
        formula = "8 sum ln T / D + (1 + pi^2 / 3) sum D"
        yield Bound("UCB1", "upper", value, formula, f"{self.reference} Theorem 1", quoted=True)
