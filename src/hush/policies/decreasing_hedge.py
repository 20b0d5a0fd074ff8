"""Decreasing Hedge, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hush.mechanisms import EveryRound, HedgeDraw, Schedule
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.full_information import EpochPolicy
from hush.policies.core.guarantees import no_guarantee
from hush.privacy import Guarantee

__all__ = ["DecreasingHedge"]


@dataclass(frozen=True)
class DecreasingHedge(EpochPolicy):
    """Exponential weights with a decreasing rate: a non-private peer of RNMFTNL.

    Round ``t`` plays action ``j`` with probability proportional to ``exp(eta L_j)``, where ``L_j``
    is the sum of its rewards before ``t`` and ``eta = 2 sqrt(ln K / t)``.

    References
    ----------
    Mourtada, Gaïffas: On the Optimality of the Hedge Algorithm in the Stochastic Regime. JMLR 20,
    2019. https://arxiv.org/abs/1809.01382

    Examples
    --------
    >>> import hush
    >>> expert = hush.DecreasingHedge().learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     action = expert.select()
    ...     _ = expert.update([0, 1, 0])
    >>> expert.select()
    1
    """

    keeps_sums: ClassVar[bool] = True
    starts_at_random: ClassVar[bool] = True
    non_private = True
    summary = "exponential weights with a decreasing rate; not private"
    reference = "https://arxiv.org/abs/1809.01382"

    @property
    def schedule(self) -> Schedule:
        """Learn every round."""
        return EveryRound()

    @property
    def guarantee(self) -> Guarantee:
        """None: the loss is infinite."""
        return no_guarantee("decisions are drawn from weights of exact sums of rewards")

    def _mechanism(self, noise: NoiseSource) -> HedgeDraw:
        return HedgeDraw(source=noise)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the stochastic and the adversarial bound."""
        logarithm = math.log(setting.n_arms)
        if setting.smallest is not None:
            yield Bound(
                "stochastic",
                "upper",
                (4.0 * logarithm + 25.0) / setting.smallest,
                "(4 ln K + 25) / Dmin",
                self.reference,
                holds=setting.unique_best,
                condition="a single best action",
                quoted=True,
            )
        root = math.sqrt(setting.horizon * logarithm)
        yield Bound("any adversary", "upper", root, "sqrt(T ln K)", self.reference, quoted=True)
