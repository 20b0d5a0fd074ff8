"""Batches that let an arm's total grow by a ratio, with noisy sums that add up."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hush.errors import check_field
from hush.mechanisms import GrowingTotal, Schedule
from hush.mechanisms.schedules import checked_growth
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.statistics import Memory

__all__ = ["GrowingBatches"]


@dataclass(frozen=True)
class GrowingBatches(BanditPolicy):
    """What DPKLUCB and DPIMED share: when an arm's sums are released, and that none is dropped.

    An arm is played in batches, each chosen at its start and played to its end. A batch lets the
    arm's total grow from ``n`` to ``ceil(alpha n)``. Every batch's noisy sum is added to the
    arm's. Name it before the family: ``class DPKLUCB(GrowingBatches, IndexPolicy)``.
    """

    epsilon: float
    _: KW_ONLY
    alpha: float = 2.0

    memory: ClassVar[Memory] = "total"
    commits: ClassVar[bool] = True
    reference = "https://arxiv.org/abs/2505.05613"
    noise_law = "Lap(1/eps) on each batch's sum; sums add up"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "alpha", checked_growth)

    @property
    def schedule(self) -> Schedule:
        """Batches that let the arm's total grow by alpha."""
        return GrowingTotal(self.alpha)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon."""
        return (self.epsilon,)
