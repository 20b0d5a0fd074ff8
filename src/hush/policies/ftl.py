"""Follow the leader, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hush.mechanisms import EveryRound, ExactArgmax, Schedule
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.full_information import EpochPolicy
from hush.policies.core.guarantees import no_guarantee
from hush.privacy import Guarantee

__all__ = ["FTL"]


@dataclass(frozen=True)
class FTL(EpochPolicy):
    """Follow the leader on all rewards so far: the non-private peer of RNMFTNL.

    Plays the action with the largest sum of all past rewards, lowest first on a tie.

    References
    ----------
    Cesa-Bianchi, Lugosi: Prediction, Learning, and Games. Cambridge University Press, 2006,
    section 3.2. https://doi.org/10.1017/CBO9780511546921

    Examples
    --------
    >>> import hush
    >>> leader = hush.FTL().learner(n_arms=3)
    >>> for rewards in ([0, 1, 0], [0, 0, 1], [0, 0, 1]):
    ...     action = leader.select()
    ...     _ = leader.update(rewards)
    >>> leader.select()
    2
    """

    keeps_sums: ClassVar[bool] = True
    non_private = True
    summary = "follow the leader on all rewards; not private"
    reference = "https://doi.org/10.1017/CBO9780511546921"

    @property
    def schedule(self) -> Schedule:
        """Decide anew every round."""
        return EveryRound()

    @property
    def guarantee(self) -> Guarantee:
        """None: infinity."""
        return no_guarantee()

    def _mechanism(self, noise: NoiseSource) -> ExactArgmax:  # noqa: ARG002
        return ExactArgmax()

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield a sum over arms, by Hoeffding's inequality, and the order."""
        # After t rounds arm j leads the best one with chance exp(-t D^2 / 2) at most.
        yield Bound(
            "sum over arms",
            "upper",
            sum(gap / -math.expm1(-0.5 * gap * gap) for gap in setting.gaps),
            "sum D / (1 - exp(-D^2 / 2))",
            "Hoeffding's inequality, arm by arm and round by round",
        )
        if setting.smallest is not None:
            value = math.log(setting.n_arms) / setting.smallest
            yield Bound("leader", "upper", value, "ln K / Dmin", self.reference, strength="order")
