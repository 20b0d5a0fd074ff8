"""Bandit feedback: the learner, and the two families of rules that the engines know by kind."""

from __future__ import annotations

import math
import operator
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hush.errors import ArmError, NoDecisionError, RewardError, StateError, is_number, whole
from hush.mechanisms import (
    ArmSums,
    EveryRound,
    ExactSum,
    Geometric,
    NoisySum,
    RewardRange,
    Schedule,
)
from hush.mechanisms.sums import SumMechanism
from hush.noise import NoiseSource
from hush.policies.base import Learner, Policy, no_guarantee, reward_guarantee, state_part
from hush.privacy import Guarantee, Release

__all__ = [
    "BanditLearner",
    "BanditPolicy",
    "IndexPolicy",
    "Rule",
    "Selector",
    "Statistics",
    "ThompsonPolicy",
]

Floats = NDArray[np.float64]
Memory = Literal["last", "total"]


class Rule(Protocol):
    """A rule of one arm: written with NumPy functions, so that it takes arrays and compiles."""

    def __call__(self, mean: Any, count: Any, t: float, parameters: Any, /) -> Any:  # noqa: ANN401
        """Return the arm's value in round ``t``."""


class Statistics:
    """What selection rules see: released values only.

    Attributes
    ----------
    counts
        How many rewards each arm's statistic rests on; 0 before its first release.
    sums
        Their released (noisy) sum: of the last release, or of all, as the policy needs.
    means
        ``sums / counts``; 0 where the count is 0.

    Examples
    --------
    >>> import hush
    >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(2, noise=hush.ScriptedNoise([1.5]))
    >>> _ = learner.update(learner.select(), 1)
    >>> learner.statistics
    Statistics(counts=[1.0, 0.0], means=[1.5, 0.0])
    """

    def __init__(self, n_arms: int) -> None:
        self.counts: Floats = np.zeros(n_arms)
        self.sums: Floats = np.zeros(n_arms)
        self.means: Floats = np.zeros(n_arms)

    def take(self, release: Release, memory: Memory) -> None:
        """Let a release replace the arm's statistic, or add to it."""
        arm = operator.index(release.arm)  # type: ignore[arg-type]
        if memory == "total":
            self.sums[arm] += release.value
            self.counts[arm] += release.count
        else:
            self.sums[arm] = release.value
            self.counts[arm] = release.count
        self.means[arm] = self.sums[arm] / self.counts[arm]

    def snapshot(self) -> Statistics:
        """Return a copy that cannot be written to."""
        copy = Statistics(0)
        for name in ("counts", "sums", "means"):
            values = getattr(self, name).copy()
            values.flags.writeable = False
            setattr(copy, name, values)
        return copy

    def __repr__(self) -> str:
        return f"Statistics(counts={self.counts.tolist()}, means={self.means.tolist()})"


class Selector:
    """Chooses arms for one learner from its statistics. Holds nothing that cannot be recomputed."""

    def __init__(self, policy: BanditPolicy, statistics: Statistics, noise: NoiseSource) -> None:
        self._policy = policy
        self._statistics = statistics
        self._noise = noise

    def choose(self, t: int) -> int:
        """Return the arm of round ``t``."""
        return self._policy._choose(t, self._statistics, self._noise.selection)

    def released(self) -> None:
        """Take note that the statistics changed."""


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

    @property
    def schedule(self) -> Schedule:
        """How long an arm's epochs are; 1, 2, 4, 8, ... unless overridden."""
        return Geometric()

    @property
    def release_epsilon(self) -> float:
        """The epsilon of each released sum; infinite where sums are released as they are."""
        return float(getattr(self, "epsilon", math.inf))

    @property
    def guarantee(self) -> Guarantee:
        """What is promised about every output, and why."""
        epsilon = self.release_epsilon
        return no_guarantee() if math.isinf(epsilon) else reward_guarantee(epsilon)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The numbers that an arm's rule is handed, in the learner and in compiled loops alike."""
        return ()

    @cached_property
    def _parameter_array(self) -> Floats:
        return np.array(self.parameters, dtype=np.float64)

    @abstractmethod
    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        """Return the arm of round ``t`` (from 1), from released statistics alone."""

    def _mechanism(self, noise: NoiseSource) -> SumMechanism:
        if math.isinf(self.release_epsilon):
            return ExactSum()
        return NoisySum(epsilon=self.release_epsilon, noise=noise)

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
        values = self.index(statistics.means, statistics.counts, float(t), self._parameter_array)
        return int(values.argmax())

    def _selector(self, statistics: Statistics, noise: NoiseSource) -> Selector:
        return IndexSelector(self, statistics, noise)


class IndexSelector(Selector):
    """Finds the leader once for a stretch of rounds, instead of once a round.

    No index falls while statistics stand still. So if the leader's index *now* is at least every
    other arm's index ``w`` rounds *later* (more, for arms that would win a tie), it leads in all
    ``w`` rounds. The length tried doubles while it succeeds and halves when it fails.
    """

    _policy: IndexPolicy

    def __init__(self, policy: IndexPolicy, statistics: Statistics, noise: NoiseSource) -> None:
        super().__init__(policy, statistics, noise)
        self._parameters = policy._parameter_array
        self._index = policy.index
        self._leader = 0
        self._until = 0
        self._window = 1
        self._changed = True

    def choose(self, t: int) -> int:
        """Return the arm of round ``t``."""
        if t <= self._until:
            return self._leader
        means, counts = self._statistics.means, self._statistics.counts
        values = self._index(means, counts, float(t), self._parameters)
        leader = int(values.argmax())
        window = self._window if self._changed else min(2 * self._window, 2**40)
        while window > 1:
            later = self._index(means, counts, float(t + window - 1), self._parameters)
            if _leads(values[leader], later, leader):
                break
            window //= 2
        self._leader, self._until, self._window = leader, t + window - 1, window
        self._changed = False
        return leader

    def released(self) -> None:
        """Drop the certificate: an index changed."""
        if not self._changed:
            self._window = max(1, self._window // 2)
        self._until, self._changed = 0, True


def _leads(value: float, rivals: Floats, leader: int) -> bool:
    rivals[leader] = -math.inf
    challenger = int(rivals.argmax())
    best = rivals[challenger]
    return bool(best < value or (best == value and challenger > leader))


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
        center = self.center(statistics.means, counts, float(t), self._parameter_array)
        first, second = center * counts + 1.0, (1.0 - center) * counts + 1.0
        if counts.size > FEW_ARMS:
            return int(generator.beta(first, second).argmax())
        # The same draws one by one: NumPy's broadcasting costs more than a few scalar calls.
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        draws = [generator.beta(x, y) for x, y in pairs]
        return draws.index(max(draws))


FEW_ARMS = 16


class BanditLearner(Learner):
    """A bandit policy at work.

    Rewards may come late, out of order and in batches: :meth:`select` decides a new round each
    time it is called, and :meth:`update` settles one outstanding decision of its arm. An arm's
    epoch ends when enough of its rewards have arrived; extra ones open the next epoch. *When* a
    reward arrives must not depend on what it is.

    Examples
    --------
    >>> import hush
    >>> learner = hush.LazyDPTS(epsilon=0.5).learner(n_arms=2)
    >>> first, second = learner.select(), learner.select()
    >>> _ = learner.update(second, 1)
    >>> learner.outstanding
    (1, 0)
    """

    _policy: BanditPolicy

    def __init__(
        self, policy: BanditPolicy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards)
        self._private = ArmSums(
            n_arms,
            schedule=policy.schedule,
            mechanism=policy._mechanism(noise),
            rewards=rewards,
            noise=noise,
        )
        self._keeps_last_only = isinstance(policy.schedule, EveryRound)
        self._statistics = Statistics(n_arms)
        self._outstanding = [0] * n_arms
        self._unreleased = n_arms if policy.explores_first else 0
        self._lowest_unreleased = 0
        self._selector = policy._selector(self._statistics, noise)

    def select(self) -> int:
        """Decide one more round and return the arm to play."""
        arm = self._selector.choose(self._round + 1) if not self._unreleased else self._explore()
        self._round += 1
        self._outstanding[arm] += 1
        return arm

    def _explore(self) -> int:
        # An arm without a release has an infinite index; fewest outstanding first, then lowest.
        counts, outstanding = self._statistics.counts, self._outstanding
        while counts[self._lowest_unreleased]:
            self._lowest_unreleased += 1
        if not outstanding[self._lowest_unreleased]:
            return self._lowest_unreleased
        waiting = np.flatnonzero(counts == 0).tolist()
        return min(waiting, key=outstanding.__getitem__)

    def update(self, arm: int, reward: float) -> Release | None:
        """Settle one outstanding decision of ``arm``; return the release if one was drawn.

        Store :meth:`state` after every release: a release that was acted on and then forgotten
        would be drawn again.
        """
        arm = self._checked_arm(arm)
        unit = self._private.check(reward)
        if not self._outstanding[arm]:
            raise NoDecisionError(
                f"no decision for arm {arm} is outstanding; update once per select() of that arm"
            )
        return self._settle(arm, unit)

    def update_batch(self, arms: Sequence[int], rewards: Sequence[float]) -> tuple[Release, ...]:
        """Settle many outstanding decisions in order, all of them or, on bad input, none."""
        if len(arms) != len(rewards):
            raise RewardError(f"{len(arms)} arms came with {len(rewards)} rewards; give one each")
        checked = [self._checked_arm(arm) for arm in arms]
        units = [self._private.check(reward) for reward in rewards]
        for arm, wanted in Counter(checked).items():
            if wanted > self._outstanding[arm]:
                raise NoDecisionError(
                    f"{wanted} rewards for arm {arm}, but only "
                    f"{self._outstanding[arm]} of its decisions are outstanding"
                )
        settled = (self._settle(arm, unit) for arm, unit in zip(checked, units, strict=True))
        return tuple(release for release in settled if release is not None)

    def _settle(self, arm: int, unit: float) -> Release | None:
        release = self._private.add(arm, unit)
        self._outstanding[arm] -= 1
        if release is not None:
            self._absorb(release, arm)
        return release

    def _absorb(self, release: Release, arm: int) -> None:
        if self._statistics.counts[arm] == 0 and self._unreleased:
            self._unreleased -= 1
        self._statistics.take(release, self._policy.memory)
        self._record(release)
        self._selector.released()

    def _checked_arm(self, arm: object) -> int:
        if isinstance(arm, int) and not isinstance(arm, bool) and 0 <= arm < self._n_arms:
            return arm
        integer = is_number(arm) and not isinstance(arm, float | np.floating)
        if not integer or not 0 <= operator.index(arm) < self._n_arms:  # type: ignore[arg-type]
            raise ArmError(f"arm must be a whole number in 0..{self._n_arms - 1}; got {arm!r}")
        return operator.index(arm)  # type: ignore[arg-type]

    @property
    def outstanding(self) -> tuple[int, ...]:
        """How many decisions of each arm still wait for their reward."""
        return tuple(self._outstanding)

    @property
    def statistics(self) -> Statistics:
        """What the selection rule sees: a read-only copy, safe to show."""
        return self._statistics.snapshot()

    def _state(self) -> dict[str, Any]:
        return {
            "outstanding": list(self._outstanding),
            "statistics": {
                "counts": self._statistics.counts.tolist(),
                "sums": self._statistics.sums.tolist(),
            },
            "unreleased": self._private.state(),
        }

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        outstanding = state_part(body, "outstanding", list)
        statistics = state_part(body, "statistics", dict)
        counts = np.array(statistics["counts"], dtype=np.float64)
        sums = np.array(statistics["sums"], dtype=np.float64)
        if not len(outstanding) == counts.size == sums.size == self._n_arms:
            raise StateError("this state's parts disagree on the number of arms")
        self._private.restore(state_part(body, "unreleased", dict))
        self._outstanding = [whole("outstanding", each, least=0) for each in outstanding]
        self._statistics.counts[:] = counts
        self._statistics.sums[:] = sums
        self._statistics.means[:] = np.divide(
            sums, counts, out=np.zeros_like(sums), where=counts > 0
        )
        if self._policy.explores_first:
            self._unreleased = int((counts == 0).sum())
