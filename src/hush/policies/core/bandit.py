"""Bandit feedback: what all its policies share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from hush.errors import ParameterError
from hush.mechanisms import (
    BinaryCounter,
    Counter,
    EveryRound,
    ExactSum,
    GaussianSum,
    Geometric,
    HybridCounter,
    NoisySum,
    RewardRange,
    Schedule,
)
from hush.mechanisms.schedules import LONGEST
from hush.mechanisms.sums import ArmCounters, ArmSums, SumMechanism
from hush.noise import NoiseSource
from hush.noise.laws import SumNoise
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.guarantees import (
    concentrated_guarantee,
    counter_guarantee,
    no_guarantee,
    reward_guarantee,
)
from hush.policies.core.policy import Policy
from hush.policies.core.protocols import has_rho
from hush.policies.core.public_side import PublicSide, RuleSide
from hush.policies.core.statistics import Floats, Memory, Statistics
from hush.privacy import Guarantee

__all__ = ["BanditPolicy", "CounterName", "Rule"]

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

    To add an algorithm with a rule of its own, subclass this and write ``_choose(t, statistics,
    generator)``, which returns the arm of round ``t`` (from 1). Where each arm has a value of its
    own, :class:`IndexPolicy` and :class:`ThompsonPolicy` ask for less and give more: they are
    compiled in simulations.

    A learner has two halves. ``_public_side`` makes the one that decides, from releases alone;
    ``_private_side`` the one that holds raw sums and draws noise. A policy that overrides public
    hooks only is private by construction.

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
        """The epsilon of each released sum; infinite where sums are released as they are.

        And where their noise is Gaussian: see :attr:`release_rho`.
        """
        return self.declared_epsilon

    @property
    def release_rho(self) -> float | None:
        """The rho of each released sum where its noise is Gaussian; None where it is not."""
        return float(self.rho) if has_rho(self) else None

    @property
    def release_noise(self) -> SumNoise:
        """The law of the noise of released sums."""
        rho = self.release_rho
        return SumNoise(self.release_epsilon) if rho is None else SumNoise.gauss(rho)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised about every output, and why."""
        epsilon, rho = self.release_epsilon, self.release_rho
        if rho is not None:
            if self.counter is not None:
                raise ParameterError("a counter's nodes share epsilon: it has no rho")
            return concentrated_guarantee(rho)
        if math.isinf(epsilon):
            return no_guarantee()
        return reward_guarantee(epsilon) if self.counter is None else counter_guarantee(epsilon)

    @property
    def _draws_noise(self) -> bool:
        return self.guarantee.private and math.isfinite(self.release_noise.epsilon)

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

    def _chances(self, t: int, statistics: Statistics) -> Floats:  # noqa: ARG002
        """Return the probability of each arm in round ``t``: the law of ``_choose``."""
        raise ParameterError(
            f"the chances of {type(self).__name__}'s rule are not known; write _chances(t, "
            "statistics) for it"
        )

    def first_rounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the cost of the pulls that come before any decision."""
        first = self.schedule.length(0)
        if not self.explores_first or first >= LONGEST:
            return
        needed = first * setting.n_arms
        yield Bound(
            "first pulls",
            "lower",
            first * float(setting.all_gaps.sum()),
            "n sum D: each arm is first pulled n times" if first > 1 else "sum D",
            "every arm is played before any decision",
            holds=setting.horizon >= needed,
            condition=f"T >= {needed}",
        )

    def why_not_live(self, *, ages: bool) -> str | None:
        """Return why a live experiment cannot run it; None if it can."""
        obstacles = {
            "it is not private": not self.guarantee.private,
            "its loss is concentrated (rho), and a person is promised a pure epsilon": (
                self.guarantee.rho is not None
            ),
            "it releases at every reward, and a batch settles by the clock": (
                isinstance(self.schedule, EveryRound)
            ),
            "it plays an arm until its release is there, and nobody waits for that": self.commits,
            "it needs to know for how many rounds": self.needs_horizon,
            "it keeps an arm's last release only, which max_age could make a small one": (
                ages and self.memory == "last"
            ),
        }
        for why, applies in obstacles.items():
            if applies:
                return why
        side = self._public_side(2)
        if side.stage_end < LONGEST:
            return "it plays in stages, and forgets rewards at their ends"
        try:
            side.catch_up(*([0, 0],) * 4)
            side.chances(1)
        except ParameterError as error:
            return str(error)
        return None

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        if self.release_rho is not None:
            return GaussianSum(rho=self.release_rho, noise=noise)
        if math.isinf(self.release_epsilon):
            return ExactSum()
        return NoisySum(epsilon=self.release_epsilon, noise=noise)

    def _counter(self, noise: NoiseSource) -> Counter:
        if self.counter == "binary":
            horizon = self.declared_horizon
            if horizon is None:
                raise ParameterError("a binary counter needs to know for how many rounds: horizon=")
            return BinaryCounter(horizon, epsilon=self.release_epsilon, noise=noise)
        return HybridCounter(epsilon=self.release_epsilon, noise=noise)

    def _private_side(
        self, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> ArmSums | ArmCounters:
        if self.counter is not None:
            return ArmCounters(
                n_arms, counter=lambda: self._counter(noise), rewards=rewards, noise=noise
            )
        return self._arm_sums(ArmSums, n_arms, noise, rewards)

    def _arm_sums(
        self, kind: type[ArmSums], n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> ArmSums:
        return kind(
            n_arms,
            schedule=self.schedule,
            mechanism=self._mechanism(noise),
            rewards=rewards,
            noise=noise,
        )

    def _public_side(self, n_arms: int) -> PublicSide:
        return RuleSide(self, n_arms)

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> BanditLearner:
        return BanditLearner(self, n_arms, noise, rewards)
