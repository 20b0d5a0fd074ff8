"""UCB-V, not private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hush.errors import check_field, positive
from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.index import IndexPolicy
from hush.policies.core.statistics import Floats

__all__ = ["UCBV"]


@dataclass(frozen=True)
class UCBV(EveryRoundPolicy, IndexPolicy):
    """Upper confidence bounds that know the variance: an arm of little variance needs few pulls.

    Round ``t`` plays the arm with the largest ``m + sqrt(2 v e / n) + 3 c e / n`` with ``e = zeta
    ln t``, and ``m`` and ``v`` the mean and the variance of all ``n`` rewards of the arm so far.
    Rewards are coins here (any others are turned into coins), whose variance is ``m (1 - m)``.

    Parameters
    ----------
    zeta
        The rate of exploration. The paper's bound is stated for 1.2, the default; its analysis
        needs more than 1.
    c
        The weight of the term that covers the error of the variance; 1 in the paper's bound.

    Notes
    -----
    The paper's text could not be read. With zeta = c = 1 the index is that of SMPyBandits; zeta =
    1.2 and the constants of the bound are as remembered, hence marked as reconstructed.

    References
    ----------
    Audibert, Munos, Szepesvári: Exploration-exploitation Tradeoff using Variance Estimates in
    Multi-armed Bandits. Theoretical Computer Science 410, 2009.
    https://doi.org/10.1016/j.tcs.2009.01.016

    Examples
    --------
    >>> import hush
    >>> learner = hush.UCBV().learner(n_arms=2)
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.tolist()
    [14.0, 86.0]
    """

    _: KW_ONLY
    zeta: float = 1.2
    c: float = 1.0

    summary = "upper confidence bounds that know the variance; not private"
    reference = "https://doi.org/10.1016/j.tcs.2009.01.016"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "zeta", positive)
        check_field(self, "c", positive)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The two constants."""
        return (self.zeta, self.c)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        share = parameters[0] * np.log(t) / count
        return mean + np.sqrt(2.0 * mean * (1.0 - mean) * share) + 3.0 * parameters[1] * share

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bound of its source as remembered."""
        parts = zip(setting.worse, setting.gaps, strict=True)
        value = 10.0 * setting.log_horizon * sum(m * (1.0 - m) / gap + 2.0 for m, gap in parts)
        yield Bound(
            "UCB-V",
            "upper",
            value,
            "10 sum (m (1 - m) / D + 2) ln T",
            self.reference,
            holds=self.zeta == 1.2 and self.c == 1.0,
            condition="zeta = 1.2 and c = 1",
            reconstructed=True,
        )
