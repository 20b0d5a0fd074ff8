"""How long epochs are: the one place for the arm-wise doubling epochs, and their kin."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError, check_field, is_number, whole

__all__ = ["AsOpened", "EveryRound", "Geometric", "GrowingTotal", "Schedule"]

LONGEST = 2**62


def checked_growth(name: str, value: object) -> float:
    """Return a ratio of successive epochs as a float, or raise."""
    if not is_number(value) or not 1.001 <= value <= 1e6:
        raise ParameterError(f"{name} must be a number from 1.001 to 1e6; got {value!r}")
    return float(value)


class Schedule(ABC):
    """The lengths of an arm's successive epochs. They never depend on a reward."""

    @abstractmethod
    def length(self, epoch: int) -> int:
        """Return how many rewards the given epoch (from 0) holds."""

    def after(self, total: int) -> int:
        """Return how long the next epoch is where earlier ones hold ``total`` rewards.

        It ends where an epoch of the schedule would: one that was cut short is made up for.

        >>> Geometric().after(3), Geometric().after(5)
        (4, 2)
        """
        epoch = end = 0
        while end <= total:
            end += self.length(epoch)
            epoch += 1
        return min(end - total, LONGEST)

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
class Fixed(Schedule):
    """Epochs of one length.

    >>> Fixed(5).lengths(10**6), Fixed(5).after(12)
    (array([5]), 3)
    """

    each: int

    def __post_init__(self) -> None:
        check_field(self, "each", whole, least=1, most=LONGEST)

    def length(self, epoch: int) -> int:  # noqa: ARG002
        """Return that length."""
        return self.each

    def after(self, total: int) -> int:
        """Return how long the next epoch is where earlier ones hold ``total`` rewards."""
        return self.each - total % self.each

    def lengths(self, horizon: int) -> NDArray[np.int64]:  # noqa: ARG002
        """Return it once, to be repeated."""
        return np.full(1, self.each, dtype=np.int64)


@dataclass(frozen=True)
class AsOpened(Schedule):
    """Epochs whose length is said by the public half when they are opened.

    >>> AsOpened().length(0) == LONGEST
    True
    """

    def length(self, epoch: int) -> int:  # noqa: ARG002
        """Return a length beyond any horizon: until it is said."""
        return LONGEST


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
        check_field(self, "growth", checked_growth)

    def length(self, epoch: int) -> int:
        """Return ``ceil(growth ** epoch)``, capped far beyond any horizon."""
        if epoch * math.log2(self.growth) >= 62:
            return LONGEST
        return math.ceil(self.growth**epoch)


@dataclass(frozen=True)
class GrowingTotal(Schedule):
    """Epochs that let the arm's *total* grow by a ratio: ``n`` becomes ``ceil(growth n)``.

    The first epoch has ``first`` rewards.

    >>> GrowingTotal().lengths(20)
    array([ 1,  1,  2,  4,  8, 16])
    >>> GrowingTotal(1.5, first=4).lengths(20)
    array([4, 2, 3, 5, 7])
    """

    growth: float = 2.0
    first: int = 1

    def __post_init__(self) -> None:
        check_field(self, "growth", checked_growth)
        check_field(self, "first", whole, least=1, most=LONGEST)
        object.__setattr__(self, "_totals", [0, self.first])

    def length(self, epoch: int) -> int:
        """Return the difference of two successive totals, capped far beyond any horizon."""
        totals: list[int] = self._totals  # type: ignore[attr-defined]
        while epoch + 1 >= (known := len(totals)):
            total = totals[known - 1]
            if total >= LONGEST:
                return LONGEST
            # Learners of one policy share this list: in its own place, no total is there twice.
            totals[known : known + 1] = [math.ceil(self.growth * total)]
        return min(totals[epoch + 1] - totals[epoch], LONGEST)
