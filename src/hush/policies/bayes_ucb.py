"""Bayes-UCB, not private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from hush.errors import check_field, whole
from hush.numerics.bound import Bound, Setting
from hush.numerics.quantile import beta_upper
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import long_run
from hush.policies.core.statistics import Floats

__all__ = ["BayesUCB"]


@dataclass(frozen=True)
class BayesUCB(EveryRoundPolicy, IndexPolicy):
    """The quantile of an arm's posterior that is exceeded less and less often: optimal for coins.

    Round ``t`` plays the arm with the largest ``1 - 1 / (t l^c)`` quantile, ``l = max(1, ln t)``,
    of ``Beta(S + 1, n - S + 1)``, with ``S`` the sum of all ``n`` rewards of the arm so far.

    Parameters
    ----------
    c
        How much faster than t the chance falls, a whole number. A theorem needs 5 or 7 or more (see
        below); the first paper finds 0 best in simulations, and that is the default.

    Notes
    -----
    Compared with the text of the first paper: Algorithm 1 has the quantile ``1 - 1 / (t (ln T)^c)``
    for a horizon T, Theorem 1 the optimal constant for coins, a uniform prior and ``c >= 5``. Of
    the second only the beginning could be read: that it has ``ln t``, which needs no horizon, and
    ``c >= 7``, is as remembered. So the bound is said to hold from 7 on, which is enough for both.

    References
    ----------
    Kaufmann, Cappé, Garivier: On Bayesian Upper Confidence Bounds for Bandit Problems. AISTATS
    2012. https://proceedings.mlr.press/v22/kaufmann12.html
    Kaufmann: On Bayesian Index Policies for Sequential Resource Allocation. Annals of Statistics
    46(2), 2018, which has t where the first paper has the horizon. https://arxiv.org/abs/1601.01190

    Examples
    --------
    >>> import hush
    >>> learner = hush.BayesUCB().learner(n_arms=2)
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.tolist()
    [1.0, 99.0]
    """

    _: KW_ONLY
    c: int = 0

    summary = "quantiles of Beta posteriors as upper confidence bounds; not private"
    reference = "https://arxiv.org/abs/1601.01190"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "c", whole, least=0, most=100)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The exponent."""
        return (float(self.c),)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the quantile of the arm's posterior in round ``t``."""
        tail = 1.0 / (t * np.maximum(1.0, np.log(t)) ** parameters[0])
        return beta_upper(mean * count, (1.0 - mean) * count, tail)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the optimal constant of ``ln T``."""
        bound = long_run(setting, self.reference)
        yield replace(bound, holds=self.c >= 7, condition=f"c >= 7; c is {self.c}")
