"""Improved UCB, not private: elimination in rounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hush.mechanisms import RewardRange, Schedule
from hush.mechanisms.schedules import AsOpened
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.shared_bounds import at_least_e
from hush.policies.core.statistics import Memory
from hush.policies.dp_se import EliminationLearner
from hush.policies.sequential_halving import HalvingSide

__all__ = ["ImprovedSide", "ImprovedUCB", "improved_phases"]


@dataclass(frozen=True)
class ImprovedUCB(BanditPolicy):
    """Drops arms in rounds that halve the gap they look for: a logarithm of ``T D^2``, not of T.

    Phase ``p = 0, 1, 2, ...`` looks for gaps of ``D = 2**-p``, as long as ``T D^2 >= e``. It pulls
    each surviving arm in turn until it has ``n = ceil(2 ln(T D^2) / D^2)`` pulls in all, and drops
    the arms whose mean is more than ``2 sqrt(ln(T D^2) / (2 n))`` below the best. After the last
    phase the survivor of the largest mean is played for good.

    Parameters
    ----------
    horizon
        For how many rounds; simulations fill it in. It may be played longer.

    Notes
    -----
    Of the paper only the abstract could be read. Phases, numbers of pulls and the width are as in
    SMPyBandits, which implements it; the constants of the bound are as remembered, hence marked as
    reconstructed. What is played after the last phase, and that pulls go round by round, are
    Hush's.

    References
    ----------
    Auer, Ortner: UCB Revisited: Improved Regret Bounds for the Stochastic Multi-Armed Bandit
    Problem. Periodica Mathematica Hungarica 61, 2010. https://doi.org/10.1007/s10998-010-3055-6

    Examples
    --------
    >>> import hush
    >>> learner = hush.ImprovedUCB(horizon=10_000).learner(3)
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.survivors, learner.statistics.counts.tolist()
    ((1,), [19.0, 19.0, 19.0])
    """

    _: KW_ONLY
    horizon: int | None = None

    memory: ClassVar[Memory] = "total"
    explores_first: ClassVar[bool] = False
    non_private = True
    summary = "elimination in rounds that halve the gap they look for; not private"
    reference = "https://doi.org/10.1007/s10998-010-3055-6"

    @property
    def schedule(self) -> Schedule:
        """Phases, whose lengths depend on how many came before."""
        return AsOpened()

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield its source's bound as remembered, with the smallest gap that it tells apart."""
        rounds = setting.horizon
        known, least = self.horizon or rounds, math.sqrt(math.e / rounds)
        wide = [gap for gap in setting.gaps if gap > least]
        narrow = [gap for gap in setting.gaps if gap <= least]
        value = sum(gap + (32.0 * math.log(rounds * gap**2) + 96.0) / gap for gap in wide)
        value += len(narrow) * 64.0 / least + max(narrow, default=0.0) * rounds
        yield Bound(
            "improved UCB",
            "upper",
            value,
            "sum (D + (32 ln(T D^2) + 96) / D) over D > sqrt(e / T), 64 sqrt(T / e) for each other "
            "+ T max of others",
            f"{self.reference} Theorem 3.1",
            holds=known == rounds,
            condition=f"the policy's own horizon, {known}",
            reconstructed=True,
        )

    def _public_side(self, n_arms: int) -> ImprovedSide:
        return ImprovedSide(self, n_arms)

    def _new_learner(
        self, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> EliminationLearner:
        return EliminationLearner(self, n_arms, noise, rewards)


class ImprovedSide(HalvingSide):
    """Phases that leave what is near enough to the best; means are of all rewards so far."""

    def _kept(self) -> list[int]:
        means = self.statistics.means
        best = max(self.survivors, key=lambda arm: (means[arm], -arm))
        if self._phase >= len(self._phases):  # no phase looks at gaps narrower than this
            return [best]
        return [arm for arm in self.survivors if means[best] - means[arm] <= self._slack]

    def _plan(self) -> None:
        self._phases = improved_phases(self._horizon)
        self._pulls, self._slack = self._phases[min(self._phase, len(self._phases)) - 1]


def improved_phases(horizon: float) -> list[tuple[int, float]]:
    """Return each phase's pulls of an arm, and how far below the best a mean may be.

    >>> [pulls for pulls, _ in improved_phases(1e4)]
    [19, 44, 144, 440, 1230, 2791]
    """
    rounds, phases, before = at_least_e(horizon), [], 0
    for phase in range(1 + math.floor(0.5 * math.log2(rounds / math.e))):
        wide = max(0.0, math.log(rounds) - 2.0 * phase * math.log(2.0))  # ln(T D^2)
        total = math.ceil(2.0 * wide * 4.0**phase)
        phases.append((max(1, total - before), math.sqrt(2.0 * wide / max(total, 1))))
        before = total
    return phases
