"""Bandit feedback: the policies, and the families of rules that the engines know by kind."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from hush.mechanisms import (
    ArmCounters,
    ArmSums,
    BinaryCounter,
    Counter,
    EveryRound,
    ExactSum,
    Geometric,
    HybridCounter,
    NoisySum,
    RewardRange,
    Schedule,
)
from hush.mechanisms.sums import SumMechanism
from hush.noise import NoiseSource
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.policy import Policy, counter_guarantee, no_guarantee, reward_guarantee
from hush.policies.core.selection import Floats, IndexSelector, Memory, Selector, Statistics
from hush.privacy import Guarantee

__all__ = [
    "BanditPolicy",
    "IndexPolicy",
    "RelativeIndexPolicy",
    "Rule",
    "ThompsonPolicy",
]


CounterName = Literal["binary", "hybrid"]
Pair = tuple[Floats, Floats]


class Rule(Protocol):
    """A rule of one arm: written with NumPy functions, so that it takes arrays and compiles."""

    def __call__(self, mean: Any, count: Any, t: float, parameters: Any, /) -> Any:  # noqa: ANN401
        """Return the arm's value in round ``t``."""


class FirstWins(Protocol):
    """The chance that the first of two arms is chosen, for all pairs of released means."""

    def __call__(self, means: Pair, counts: tuple[float, float], t: float, /) -> Floats:
        """Return a matrix: a row for each mean of the first arm, a column for each of the other."""


@dataclass(frozen=True)
class BanditPolicy(Policy):
    """A policy that sees the reward of the arm it played.

    To add an algorithm with a rule of its own, subclass this and write ``_choose``. Where each
    arm has a value of its own, :class:`IndexPolicy` and :class:`ThompsonPolicy` ask for less and
    give more: they are compiled in simulations.

    Class attributes
    ----------------
    memory
        ``"last"``: an arm's statistic is its last release; ``"total"``: the sum of all.
    explores_first
        Whether an arm without a release is played before any other.
    commits
        Whether a chosen arm is played until its epoch is released.
    counter
        ``"binary"`` or ``"hybrid"``: every reward leads to a release, by a counting mechanism;
        ``None``: sums of epochs are released.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import hush
    >>> @dataclass(frozen=True)
    ... class EpsilonGreedy(hush.BanditPolicy):
    ...     epsilon: float
    ...     def _choose(self, t, statistics, generator):
    ...         if generator.random() < 0.1:
    ...             return int(generator.integers(len(statistics.means)))
    ...         return int(statistics.means.argmax())
    >>> EpsilonGreedy(epsilon=1.0).learner(3).guarantee.epsilon
    1.0
    """

    feedback = "bandit"
    memory: ClassVar[Memory] = "last"
    explores_first: ClassVar[bool] = True
    commits: ClassVar[bool] = False
    counter: ClassVar[CounterName | None] = None
    _first_wins: ClassVar[FirstWins | None] = None

    @property
    def schedule(self) -> Schedule:
        """How long an arm's epochs are; 1, 2, 4, 8, ... unless overridden, or 1 with a counter."""
        return Geometric() if self.counter is None else EveryRound()

    @property
    def release_epsilon(self) -> float:
        """The epsilon of each released sum; infinite where sums are released as they are."""
        return float(getattr(self, "epsilon", math.inf))

    @property
    def guarantee(self) -> Guarantee:
        """What is promised about every output, and why."""
        epsilon = self.release_epsilon
        if math.isinf(epsilon):
            return no_guarantee()
        return reward_guarantee(epsilon) if self.counter is None else counter_guarantee(epsilon)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The numbers that an arm's rule is handed, in the learner and in compiled loops alike."""
        return ()

    def parameters_for(self, n_arms: int) -> tuple[float, ...]:  # noqa: ARG002
        """Return the parameters for that many arms, where the rule depends on how many."""
        return self.parameters

    @cached_property
    def _parameter_arrays(self) -> dict[int, Floats]:
        return {}

    def _parameter_array(self, n_arms: int) -> Floats:
        arrays = self._parameter_arrays
        if n_arms not in arrays:
            arrays[n_arms] = np.array(self.parameters_for(n_arms), dtype=np.float64)
        return arrays[n_arms]

    @abstractmethod
    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        """Return the arm of round ``t`` (from 1), from released statistics alone."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        if math.isinf(self.release_epsilon):
            return ExactSum()
        return NoisySum(epsilon=self.release_epsilon, noise=noise)

    def _counter(self, noise: NoiseSource) -> Counter:
        if self.counter == "binary":
            horizon: int = self.horizon  # type: ignore[attr-defined]
            return BinaryCounter(horizon, epsilon=self.release_epsilon, noise=noise)
        return HybridCounter(epsilon=self.release_epsilon, noise=noise)

    def _private_side(
        self, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> ArmSums | ArmCounters:
        if self.counter is not None:
            return ArmCounters(
                n_arms, counter=lambda: self._counter(noise), rewards=rewards, noise=noise
            )
        return ArmSums(
            n_arms,
            schedule=self.schedule,
            mechanism=self._mechanism(noise),
            rewards=rewards,
            noise=noise,
        )

    def _selector(self, statistics: Statistics, noise: NoiseSource) -> Selector:
        return Selector(self, statistics, noise)

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return BanditLearner(self, n_arms, noise, rewards)


@dataclass(frozen=True)
class IndexPolicy(BanditPolicy):
    """Plays the arm with the largest index, lowest arm first on a tie.

    A subclass supplies :meth:`index`, which must not fall as ``t`` grows while the statistics
    stand still; engines and learners rest on that to decide many rounds at once.

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

    kind = "index"

    @staticmethod
    @abstractmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the index: NumPy functions only, on a number or an array of arms alike."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:  # noqa: ARG002
        means, counts = statistics.means, statistics.counts
        values = self.index(means, counts, float(t), self._parameter_array(means.size))
        return int(values.argmax())

    def _first_wins(self, means: Pair, counts: tuple[float, float], t: float) -> Floats:
        rule, parameters = self.index, self._parameter_array(2)
        first, second = (rule(m, n, t, parameters) for m, n in zip(means, counts, strict=True))
        return np.asarray(first[:, None] >= second, dtype=np.float64)

    def _selector(self, statistics: Statistics, noise: NoiseSource) -> Selector:
        if self.commits:  # it chooses once per release
            return Selector(self, statistics, noise)
        return IndexSelector(self, statistics, noise)


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

    kind = "relative-index"
    commits: ClassVar[bool] = True

    @staticmethod
    @abstractmethod
    def index(mean: Any, count: Any, best: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the index: NumPy functions only, on a number or an array of arms alike."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:  # noqa: ARG002
        means, counts = statistics.means, statistics.counts
        values = self.index(means, counts, float(means.max()), self._parameter_array(means.size))
        return int(values.argmax())

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


@dataclass(frozen=True)
class ThompsonPolicy(BanditPolicy):
    """Draws ``Beta(a n + 1, (1 - a) n + 1)`` for each arm and plays the largest draw.

    ``n`` is the arm's count and ``a`` the value of :meth:`center` in [0, 1], which must not fall
    as ``t`` grows while the statistics stand still.
    """

    kind = "thompson"

    @staticmethod
    @abstractmethod
    def center(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return ``a``: NumPy functions only, on a number or an array of arms alike."""

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        counts = statistics.counts
        parameters = self._parameter_array(counts.size)
        center = self.center(statistics.means, counts, float(t), parameters)
        first, second = center * counts + 1.0, (1.0 - center) * counts + 1.0
        if counts.size > FEW_ARMS:
            return int(generator.beta(first, second).argmax())
        # The same draws one by one: NumPy's broadcasting costs more than a few scalar calls.
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        draws = [generator.beta(x, y) for x, y in pairs]
        return draws.index(max(draws))

    def _first_wins(self, means: Pair, counts: tuple[float, float], t: float) -> Floats:
        from hush.numerics.beta import pair_win_chances

        rule, parameters = self.center, self._parameter_array(2)
        first, second = (rule(m, n, t, parameters) for m, n in zip(means, counts, strict=True))
        return pair_win_chances(first, second, counts)


FEW_ARMS = 16
