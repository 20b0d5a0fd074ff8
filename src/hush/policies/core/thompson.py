"""Thompson sampling: a Beta draw per arm, and the largest is played."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.policies.core.bandit import BanditPolicy, Pair
from hush.policies.core.statistics import Floats, Statistics, not_a_number

__all__ = ["ThompsonPolicy"]


@dataclass(frozen=True)
class ThompsonPolicy(BanditPolicy):
    """Draws ``Beta(a n + 1, (1 - a) n + 1)`` for each arm and plays the largest draw.

    ``n`` is the arm's count and ``a`` the value of :meth:`center` in [0, 1], which must not fall
    as ``t`` grows while the statistics stand still.
    """

    @staticmethod
    @abstractmethod
    def center(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return ``a``: NumPy functions only, on a number or an array of arms alike."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        if statistics.counts.size > FEW_ARMS:
            first, second = self._beta_parameters(t, statistics)
            if math.isnan(first.sum()):
                raise not_a_number("the centre", int(np.isnan(first).argmax()))
            return int(generator.beta(first, second).argmax())
        # The same draws one by one: for a few arms Python's numbers are faster than arrays.
        centers = self._centers(t, statistics).tolist()
        if math.isnan(sum(centers)):
            raise not_a_number("the centre", int(np.isnan(centers).argmax()))
        beta = generator.beta
        pairs = zip(centers, statistics.counts.tolist(), strict=True)
        draws = [beta(a * n + 1.0, (1.0 - a) * n + 1.0) for a, n in pairs]
        return draws.index(max(draws))

    def _chances(self, t: int, statistics: Statistics) -> Floats:
        from hush.numerics.beta import win_chances

        return win_chances(*self._beta_parameters(t, statistics))

    def _beta_parameters(self, t: int, statistics: Statistics) -> tuple[Floats, Floats]:
        center, counts = self._centers(t, statistics), statistics.counts
        return center * counts + 1.0, (1.0 - center) * counts + 1.0

    def _centers(self, t: int, statistics: Statistics) -> Floats:
        parameters = self._parameter_array(statistics.n_arms)
        centers: Floats = self.center(statistics.means, statistics.counts, float(t), parameters)
        return centers

    def _first_wins(self, means: Pair, counts: tuple[float, float], t: float) -> Floats:
        from hush.numerics.beta import pair_win_chances

        rule, parameters = self.center, self._parameter_array(2)
        first, second = (rule(m, n, t, parameters) for m, n in zip(means, counts, strict=True))
        return pair_win_chances(first, second, counts)


FEW_ARMS = 16
