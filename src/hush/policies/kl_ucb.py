"""KL-UCB, not private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.numerics.divergence import upper
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import long_run
from hush.policies.core.statistics import Floats

__all__ = ["KLUCB"]


@dataclass(frozen=True)
class KLUCB(EveryRoundPolicy, IndexPolicy):
    """Upper confidence bounds by divergence: optimal for coins, the non-private peer of DPKLUCB.

    Round ``t`` plays the arm with the largest ``max{q : kl(m, q) <= ln t / n}``, with ``m`` the
    mean of all ``n`` rewards of the arm so far. The theorem has ``ln t + 3 ln ln t``; leaving the
    second term out is what its authors recommend in practice, and what is done here.

    References
    ----------
    Garivier, Cappé: The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond. COLT 2011.
    https://arxiv.org/abs/1102.2490

    Examples
    --------
    >>> import hush
    >>> learner = hush.KLUCB().learner(n_arms=2)
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.tolist()
    [1.0, 99.0]
    """

    summary = "upper confidence bounds by divergence; not private"
    reference = "https://arxiv.org/abs/1102.2490"

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        return upper(mean, np.log(t) / count)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the optimal constant of ``ln T``."""
        yield long_run(setting, self.reference)
