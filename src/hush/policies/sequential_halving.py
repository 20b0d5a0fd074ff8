"""Private sequential halving: the best arm with a given number of pulls. Hush's own."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hush.mechanisms import RewardRange, Schedule
from hush.mechanisms.schedules import LONGEST, AsOpened
from hush.noise import NoiseSource
from hush.policies.core.bandit import BanditPolicy
from hush.policies.dp_se import EliminationLearner, EliminationSide

__all__ = ["HalvingLearner", "HalvingSide", "PrivateSequentialHalving", "halving_plan"]


def halving_plan(n_arms: int, budget: int) -> list[tuple[int, int, int]]:
    """Return the phases: how many arms begin, how often each is pulled, how many are kept.

    >>> halving_plan(5, 900)
    [(5, 60, 3), (3, 100, 2), (2, 150, 1)]
    """
    phases = math.ceil(math.log2(n_arms)) if n_arms > 1 else 0
    plan, left = [], n_arms
    for _ in range(phases):
        plan.append((left, max(1, budget // (left * phases)), (left + 1) // 2))
        left = (left + 1) // 2
    return plan


@dataclass(frozen=True)
class PrivateSequentialHalving(BanditPolicy):
    """Drops the worse half of the arms again and again, with a given budget of pulls.

    The budget T is split evenly among ``ceil(log2 K)`` phases. A phase pulls each of the surviving
    arms S in turn, ``T / (|S| ceil(log2 K))`` times each, rounded down, adds ``Lap(1/epsilon)`` to
    each fresh sum, and keeps the better half, rounded up. When one arm is left it is what
    ``learner.recommended`` names; it is played from then on.

    The chance to recommend the best arm is computed exactly, for up to 8 arms and any budget, by
    :func:`hush.theory.halving_chances`. It depends on the arms' means, so that no confidence comes
    with the recommendation itself: ``learner.best(confidence)`` asks for one, by the rule that
    holds for all policies.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    horizon
        The budget: how many pulls in all. With fewer than ``K ceil(log2 K)`` every arm of a phase
        is pulled once all the same.

    References
    ----------
    Hush's own, after Karnin, Koren, Somekh: Almost Optimal Exploration in Multi-Armed Bandits. ICML
    2013. https://proceedings.mlr.press/v28/karnin13.html

    Examples
    --------
    >>> import hush
    >>> policy = hush.PrivateSequentialHalving(epsilon=1.0, horizon=300)
    >>> learner = policy.learner(n_arms=4, noise=hush.SeededNoise(7))
    >>> while learner.recommended is None:
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 2 else 0)
    >>> learner.recommended, learner.rounds
    (2, 298)
    """

    epsilon: float
    _: KW_ONLY
    horizon: int | None = None

    explores_first: ClassVar[bool] = False
    summary = "finds the best arm with a given budget: halves the arms by fresh noisy sums"
    reference = "https://proceedings.mlr.press/v28/karnin13.html"
    noise_law = "Lap(1/eps) on each phase's sum of an arm"

    @property
    def schedule(self) -> Schedule:
        """Phases, whose lengths depend on how many arms survive."""
        return AsOpened()

    def _public_side(self, n_arms: int) -> HalvingSide:
        return HalvingSide(self, n_arms)

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> HalvingLearner:
        return HalvingLearner(self, n_arms, noise, rewards)


class HalvingSide(EliminationSide):
    """Phases that leave the better half."""

    _policy: BanditPolicy  # type: ignore[assignment]  # what it is asked for, all have

    def __init__(self, policy: BanditPolicy, n_arms: int) -> None:
        super().__init__(policy, n_arms)  # type: ignore[arg-type]

    def begin_stage(self, t: int) -> None:  # noqa: ARG002
        """Start with all arms: there is one stage."""
        self.stage_end = LONGEST
        self._horizon = float(self._policy.declared_horizon or 1)
        self.survivors = list(range(self._n_arms))
        self._open(1)

    def _kept(self) -> list[int]:
        means, half = self.statistics.means, (len(self.survivors) + 1) // 2
        return sorted(sorted(self.survivors, key=lambda arm: (-means[arm], arm))[:half])

    def _plan(self) -> None:
        plan = {begin: pulls for begin, pulls, _ in halving_plan(self._n_arms, int(self._horizon))}
        self._pulls, self._slack = plan.get(len(self.survivors), 1), 0.0


class HalvingLearner(EliminationLearner):
    """Sequential halving at work: it also says which arm it recommends.

    Examples
    --------
    >>> import hush
    >>> learner = hush.PrivateSequentialHalving(epsilon=1.0, horizon=300).learner(n_arms=4)
    >>> learner.survivors, learner.recommended is None
    ((0, 1, 2, 3), True)
    """

    @property
    def recommended(self) -> int | None:
        """The last survivor; None while the budget lasts."""
        left = self.survivors
        return left[0] if len(left) == 1 else None
