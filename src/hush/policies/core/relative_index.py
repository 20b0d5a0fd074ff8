"""Index policies whose index looks at the best mean instead of time."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.policies.core.bandit import BanditPolicy, Pair
from hush.policies.core.statistics import Floats, Statistics, leader, one_hot

__all__ = ["RelativeIndexPolicy"]


@dataclass(frozen=True)
class RelativeIndexPolicy(BanditPolicy):
    """Plays the arm with the largest index, where the index looks at the best mean, not at time.

    Nothing changes between releases, so that a chosen arm is played until its epoch is released.
    A subclass supplies :meth:`index`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import hush
    >>> @dataclass(frozen=True)
    ... class Curious(hush.RelativeIndexPolicy):
    ...     epsilon: float
    ...     @staticmethod
    ...     def index(mean, count, best, parameters):
    ...         return -count * (best - mean) - np.log(count)
    >>> env = hush.Bernoulli([0.9, 0.1])
    >>> hush.simulate(Curious(epsilon=1.0), env, horizon=10**9, runs=2, seed=7).engines
    ('leap',)
    """

    commits: ClassVar[bool] = True

    @staticmethod
    @abstractmethod
    def index(mean: Any, count: Any, best: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the index: NumPy functions only, on a number or an array of arms alike."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:  # noqa: ARG002
        return self._leader(statistics)

    def _chances(self, t: int, statistics: Statistics) -> Floats:  # noqa: ARG002
        return one_hot(self._leader(statistics), statistics.means.size)

    def _leader(self, statistics: Statistics) -> int:
        means, counts = statistics.means, statistics.counts
        best = float(means.max())
        return leader(self.index(means, counts, best, self._parameter_array(statistics.n_arms)))

    def _first_wins(self, means: Pair, counts: tuple[float, float], t: float) -> Floats:  # noqa: ARG002
        rule, parameters = self.index, self._parameter_array(2)
        larger = np.maximum(means[0][:, None], means[1])
        wins = np.zeros(larger.shape)
        for best in np.unique(larger).tolist():
            first, second = (
                rule(np.minimum(m, best), n, best, parameters)
                for m, n in zip(means, counts, strict=True)
            )
            here = larger == best
            wins[here] = (first[:, None] >= second)[here]
        return wins
