"""Scored policies: the arm with the largest score is played, which may look at all arms."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.statistics import Floats, Statistics, leader

__all__ = ["DRAWS", "Draws", "Row", "ScoredPolicy"]

Row = Floats
"""Numbers that can be indexed: an array, or in compiled loops a bare pointer without a length."""
Draws = Literal["none", "uniform", "normal"]
DRAWS: tuple[Draws, ...] = ("none", "uniform", "normal")


@dataclass(frozen=True)
class ScoredPolicy(BanditPolicy):
    """Plays the arm with the largest score, lowest arm first on a tie.

    A score may look at every arm, and at a random number of its own, drawn anew for each arm and
    round. So it can say what no :class:`IndexPolicy` can: a rule that compares counts, a draw from
    a law that is not Beta, or a choice with given chances. In simulations it is compiled, and goes
    round by round.

    Class attributes
    ----------------
    draws
        The law of the random number: ``"uniform"`` on [0, 1), standard ``"normal"``, or ``"none"``,
        which is 0.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import hush
    >>> @dataclass(frozen=True)
    ... class Jittery(hush.ScoredPolicy):
    ...     epsilon: float
    ...     draws = "normal"
    ...     @staticmethod
    ...     def score(arm, means, counts, n_arms, t, draw, parameters):
    ...         return means[arm] + draw / counts[arm]
    >>> env = hush.Bernoulli([0.9, 0.1])
    >>> hush.simulate(Jittery(epsilon=1.0), env, horizon=1000, runs=2, seed=7).engines
    ('rounds',)
    """

    draws: ClassVar[Draws] = "none"

    @staticmethod
    @abstractmethod
    def score(
        arm: int, means: Row, counts: Row, n_arms: int, t: float, draw: float, parameters: Row
    ) -> Any:  # noqa: ANN401
        """Return the score of one arm: a number, by NumPy functions, indexing and loops alone."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        means, counts, n_arms = statistics.means, statistics.counts, statistics.means.size
        parameters = self._parameter_array(statistics.n_arms)
        numbers = self._numbers(n_arms, generator)
        scores = [
            self.score(arm, means, counts, n_arms, float(t), draw, parameters)
            for arm, draw in enumerate(numbers)
        ]
        return leader(np.array(scores))

    def _numbers(self, n_arms: int, generator: np.random.Generator) -> list[float]:
        """Return a random number for each arm."""
        if self.draws == "none":
            return [0.0] * n_arms
        drawn = generator.random if self.draws == "uniform" else generator.standard_normal
        numbers: list[float] = drawn(n_arms).tolist()
        return numbers
