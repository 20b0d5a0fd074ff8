"""Follow the leader, not private."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hush.mechanisms import EveryRound, ExactArgmax, Schedule
from hush.noise import NoiseSource
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
    summary = "follow the leader on all rewards; not private"
    reference = "https://doi.org/10.1017/CBO9780511546921"
    bound = "O(ln K / Dmin)"

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
