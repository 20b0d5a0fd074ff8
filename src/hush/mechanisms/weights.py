"""Weights of actions, from sums that are noisy already, and a draw from them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

__all__ = ["ExponentialWeights", "ProjectedSums", "WeightRule", "drawn"]


class WeightRule(Protocol):
    """What turns noisy sums into weights of actions: it is handed nothing else."""

    def weights(self, sums: Sequence[float], step: int) -> list[float]:
        """Return weights after so many rounds."""


class ExponentialWeights(NamedTuple):
    """Weights ``exp(rate sum)``: follow the leader with entropy as regulariser.

    >>> ExponentialWeights(1.0).weights([0.0, math.log(3.0)], 5)
    [0.333..., 1.0]
    """

    rate: float

    def weights(self, sums: Sequence[float], step: int) -> list[float]:  # noqa: ARG002
        """Return weights, of which the largest is 1."""
        best = max(sums)
        return [math.exp(self.rate * (each - best)) for each in sums]


class ProjectedSums(NamedTuple):
    """The point of the simplex nearest to ``sums / (strength step)``: a Euclidean regulariser.

    >>> ProjectedSums(0.1).weights([6.0, 2.0, 5.0], 20)
    [0.75, 0.0, 0.25]
    """

    strength: float

    def weights(self, sums: Sequence[float], step: int) -> list[float]:
        """Return chances."""
        best, scale = max(sums), self.strength * step
        point = [(each - best) / scale for each in sums]
        total, level = 0.0, -1.0
        for place, each in enumerate(sorted(point, reverse=True), start=1):
            total += each
            if each > (total - 1.0) / place:  # always of the first
                level = (total - 1.0) / place
        return [max(0.0, each - level) for each in point]


def drawn(weights: Sequence[float], chance: float) -> int:
    """Return the position that a uniform number falls on.

    >>> [drawn([1.0, 0.0, 3.0], chance) for chance in (0.2, 0.25, 0.999)]
    [0, 2, 2]
    """
    reach = list(accumulate(weights))
    return min(bisect_right(reach, chance * reach[-1]), len(weights) - 1)
