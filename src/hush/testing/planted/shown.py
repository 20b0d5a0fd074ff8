"""Leaks in what is shown beside the releases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hush.errors import NoDecisionError
from hush.mechanisms.sums import ArmSums
from hush.policies import Policy
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.decision import Decision
from hush.policies.core.statistics import Statistics
from hush.privacy import Guarantee, Release, Releases
from hush.testing.planted.bases import LearnerBug, SideBug, ones

__all__ = [
    "CountsOnes",
    "ErrorTellsSum",
    "GuaranteeTells",
    "KeepsZerosOpen",
    "ReleasesFewer",
    "ReprShowsSums",
    "ReturnsTheTotal",
    "SettleShowsProgress",
    "StatisticsShowRunning",
]


class _FreshLearner(BanditLearner):
    _private: ArmSums

    @property
    def statistics(self) -> Statistics:
        fresh = Statistics(self._n_arms)
        shown = self._public.statistics
        fresh.restore(shown.counts + self._private._counts, shown.sums + self._private._sums)
        return fresh.snapshot()


@dataclass(frozen=True)
class StatisticsShowRunning(LearnerBug):
    """The statistics it shows include the running epochs, which have no noise yet."""

    work: ClassVar[type[BanditLearner]] = _FreshLearner


class _LoudLearner(BanditLearner):
    _private: ArmSums

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, running {self._private._sums}>"


@dataclass(frozen=True)
class ReprShowsSums(LearnerBug):
    """Its repr shows the running sums, which helps with debugging."""

    work: ClassVar[type[BanditLearner]] = _LoudLearner


class _ExplainingLearner(BanditLearner):
    _private: ArmSums

    def update(self, arm: int, reward: float) -> Release | None:
        try:
            return super().update(arm, reward)
        except NoDecisionError as error:
            seen = self._private._sums[arm]
            raise NoDecisionError(f"{error} (arm {arm} stands at {seen})") from None


@dataclass(frozen=True)
class ErrorTellsSum(LearnerBug):
    """The error for an update without a decision says how far the arm's sum is."""

    work: ClassVar[type[BanditLearner]] = _ExplainingLearner


class _TellingLearner(BanditLearner):
    _private: ArmSums

    def _settle(self, arm: int, units: float) -> Release | None:
        total = self._private._sums[arm] + ones(units)
        release = super()._settle(arm, units)
        return None if release is None else replace(release, count=total)


@dataclass(frozen=True)
class ReturnsTheTotal(LearnerBug):
    """The release that update returns has the raw sum where the log has the count."""

    work: ClassVar[type[BanditLearner]] = _TellingLearner


class _ProgressLearner(BanditLearner):
    _private: ArmSums

    def settle(self, decision: Decision | str, reward: float) -> Release | None:
        arm = self._open.find(decision)[1]
        release = super().settle(decision, reward)
        if release is not None:
            return release
        side, epsilon = self._private, self._policy.epsilon  # type: ignore[attr-defined]
        running = side._epochs[arm], side._counts[arm], side._sums[arm]
        return Release(arm, *running, "progress", epsilon)


@dataclass(frozen=True)
class SettleShowsProgress(LearnerBug):
    """Where no release is due, settle returns how far the epoch is, raw sum included."""

    work: ClassVar[type[BanditLearner]] = _ProgressLearner


class _CountingOnes(ArmSums):
    def add(self, arm: int, unit: float) -> Release | None:
        total = self._sums[arm] + ones(unit)
        release = super().add(arm, unit)
        return None if release is None else replace(release, count=max(1, total))


@dataclass(frozen=True)
class CountsOnes(SideBug):
    """A release counts only the rewards that were 1 as seen."""

    side: ClassVar[type[ArmSums]] = _CountingOnes


class _HopefulLearner(BanditLearner):
    def update(self, arm: int, reward: float) -> Release | None:
        release = super().update(arm, reward)
        if not ones(self._private.check(reward)):
            self._unnamed[arm] += 1
        return release


@dataclass(frozen=True)
class KeepsZerosOpen(LearnerBug):
    """A decision that got a 0 stays outstanding, in case a better reward comes."""

    work: ClassVar[type[BanditLearner]] = _HopefulLearner


class _BoastfulLearner(BanditLearner):
    _good = 0

    def _settle(self, arm: int, units: float) -> Release | None:
        self._good += ones(units)
        return super()._settle(arm, units)

    @property
    def guarantee(self) -> Guarantee:
        promised = super().guarantee
        return replace(promised, reason=f"{promised.reason}; {self._good} good rewards so far")


@dataclass(frozen=True)
class GuaranteeTells(LearnerBug):
    """The guarantee of a running learner says how many good rewards it protects."""

    work: ClassVar[type[BanditLearner]] = _BoastfulLearner


class _ShyLearner(BanditLearner):
    _first: Any = None

    def _settle(self, arm: int, units: float) -> Release | None:
        self._first = units if self._first is None else self._first
        return super()._settle(arm, units)

    @property
    def releases(self) -> Releases[Release]:
        return Releases(super().releases[ones(self._first or 0.0) :])


@dataclass(frozen=True)
class ReleasesFewer(LearnerBug):
    """Leaves the first release out of its list where the first reward was good."""

    work: ClassVar[type[BanditLearner]] = _ShyLearner


BUGS: dict[str, type[Policy]] = {
    "statistics that show the running sums": StatisticsShowRunning,
    "a repr that shows the running sums": ReprShowsSums,
    "an error that tells a running sum": ErrorTellsSum,
    "an update that returns the raw sum": ReturnsTheTotal,
    "a settle that returns the running sum": SettleShowsProgress,
    "a release that counts the ones": CountsOnes,
    "decisions that stay open after a 0": KeepsZerosOpen,
    "a guarantee that counts good rewards": GuaranteeTells,
    "a release left out of the list": ReleasesFewer,
}
