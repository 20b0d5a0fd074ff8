"""Episodes that double an arm's pulls, chosen by upper bounds of a width beta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hush.errors import check_field, positive
from hush.mechanisms import GrowingTotal, Schedule
from hush.policies.core.index import IndexPolicy

__all__ = ["DoublingEpisodes"]


@dataclass(frozen=True)
class DoublingEpisodes(IndexPolicy):
    """What AdaP-UCB and its kin share: an arm is chosen, and played until its pulls have doubled.

    A subclass has a hyper-parameter ``beta``, the width of its bounds.
    """

    commits: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "beta", positive)

    @property
    def schedule(self) -> Schedule:
        """Episodes that double the arm's pulls."""
        return GrowingTotal()
