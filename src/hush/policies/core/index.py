"""Index policies: the arm with the largest index is played."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.mechanisms import EveryRound
from hush.policies.core.bandit import BanditPolicy, Pair
from hush.policies.core.public_side import PublicSide, RuleSide
from hush.policies.core.standings import Standings
from hush.policies.core.statistics import Floats, Statistics, leader, one_hot
from hush.privacy import Release

__all__ = ["IndexPolicy", "IndexSide"]


@dataclass(frozen=True)
class IndexPolicy(BanditPolicy):
    """Plays the arm with the largest index, lowest arm first on a tie.

    A subclass supplies :meth:`index`, which must not fall as ``t`` grows while the statistics
    stand still; engines and learners rest on that to decide many rounds at once.

    Class attributes
    ----------------
    costly
        Whether an index takes much longer than a logarithm, so that simulations had better look for
        ways around it. Results do not depend on it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import hush
    >>> @dataclass(frozen=True)
    ... class Bolder(hush.IndexPolicy):
    ...     epsilon: float
    ...     @staticmethod
    ...     def index(mean, count, t, parameters):
    ...         return mean + np.log(t) / (parameters[0] * count)
    ...     @property
    ...     def parameters(self):
    ...         return (self.epsilon,)
    >>> env = hush.Bernoulli([0.9, 0.1])
    >>> hush.simulate(Bolder(epsilon=1.0), env, horizon=1000, runs=2, seed=7).regret.shape[0]
    1
    """

    costly: ClassVar[bool] = False

    @staticmethod
    @abstractmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the index: NumPy functions only, on a number or an array of arms alike."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:  # noqa: ARG002
        return self._leader(t, statistics)

    def _chances(self, t: int, statistics: Statistics) -> Floats:
        return one_hot(self._leader(t, statistics), statistics.means.size)

    def _leader(self, t: int, statistics: Statistics) -> int:
        means, counts = statistics.means, statistics.counts
        return leader(self.index(means, counts, float(t), self._parameter_array(statistics.n_arms)))

    def _first_wins(self, means: Pair, counts: tuple[float, float], t: float) -> Floats:
        rule, parameters = self.index, self._parameter_array(2)
        first, second = (rule(m, n, t, parameters) for m, n in zip(means, counts, strict=True))
        return np.asarray(first[:, None] >= second, dtype=np.float64)

    def _public_side(self, n_arms: int) -> PublicSide:
        own_rule = type(self)._choose is not IndexPolicy._choose
        # Who commits, or releases every round, looks at new releases each time.
        if own_rule or self.commits or isinstance(self.schedule, EveryRound):
            return RuleSide(self, n_arms)
        return IndexSide(self, n_arms)


class IndexSide(PublicSide):
    """Finds the leader once for a stretch of rounds, instead of once a round."""

    def __init__(self, policy: IndexPolicy, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        index, parameters = policy.index, policy._parameter_array(n_arms)
        self._standings = Standings(lambda m, n, t: index(m, n, t, parameters), self.statistics)
        self._leader = 0
        self._until = 0

    def choose(self, t: int, generator: np.random.Generator) -> int:
        """Return the arm of round ``t``."""
        if t <= self._until:
            return self._leader
        return super().choose(t, generator)

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        self._leader, self._until = self._standings.leader(t)
        return self._leader

    def _note(self, release: Release, arm: int) -> None:  # noqa: ARG002
        """Look anew in the next round: an index changed."""
        self._until = 0
        self._standings.changed(arm)
