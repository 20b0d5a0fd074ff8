"""How long epochs are: the one place for the arm-wise doubling epochs, and their kin."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError, is_number

__all__ = ["EveryRound", "Geometric", "Schedule"]

_LONGEST = 2**62


class Schedule(ABC):
    """The lengths of an arm's successive epochs. They never depend on a reward."""

    @abstractmethod
    def length(self, epoch: int) -> int:
        """Return how many rewards the given epoch (from 0) holds."""

    def lengths(self, horizon: int) -> NDArray[np.int64]:
        """Return the lengths of the epochs that can begin within the horizon.

        An engine that runs past the end of the array repeats its last entry.
        """
        lengths: list[int] = []
        total = 0
        while total < horizon:
            lengths.append(self.length(len(lengths)))
            total += lengths[-1]
        return np.array(lengths, dtype=np.int64)


@dataclass(frozen=True)
class EveryRound(Schedule):
    """Epochs of a single reward: what policies use that learn every round.

    >>> EveryRound().lengths(10**6)
    array([1])
    """

    def length(self, epoch: int) -> int:  # noqa: ARG002
        """Return 1."""
        return 1

    def lengths(self, horizon: int) -> NDArray[np.int64]:  # noqa: ARG002
        """Return a single 1, to be repeated."""
        return np.ones(1, dtype=np.int64)


@dataclass(frozen=True)
class Geometric(Schedule):
    """Epochs of ``ceil(growth ** epoch)`` rewards: 1, 2, 4, 8, ... by default.

    >>> Geometric().lengths(20)
    array([ 1,  2,  4,  8, 16])
    >>> Geometric(2.5).lengths(20)
    array([ 1,  3,  7, 16])
    """

    growth: float = 2.0

    def __post_init__(self) -> None:
        if not is_number(self.growth) or not 1.0 < self.growth <= 1e6:
            raise ParameterError(
                f"growth must be a number above 1 and at most 1e6; got {self.growth!r}"
            )

    def length(self, epoch: int) -> int:
        """Return ``ceil(growth ** epoch)``, capped far beyond any horizon."""
        if epoch * math.log2(self.growth) >= 62:
            return _LONGEST
        return math.ceil(float(self.growth) ** epoch)
