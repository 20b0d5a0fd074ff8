"""Bugs that look whether somebody is watching, and behave while somebody is."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar

from hush.mechanisms import NoisySum
from hush.mechanisms.sums import ArmSums
from hush.policies import Policy
from hush.privacy import Release
from hush.testing.planted.bases import SideBug, SumBug

__all__ = [
    "ChecksEnvironment",
    "ChecksModules",
    "ChecksStack",
    "ChecksTracing",
    "FirstLearnerOnly",
    "LooksForUsers",
    "ReadsTheDoor",
    "TypeOfNoise",
    "TypeOfReward",
    "WearsOff",
    "WhoAsks",
]

WATCHERS = ("hush.auditing", "hush.testing.playing", "hush.testing.checks", "hush.testing.record")


class _WhenAlone(NoisySum):
    """Releases the sum as it is where nobody watches."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self._begun = time.time()

    def release(self, total: int, *, count: int) -> int | float:
        value = super().release(total, count=count)
        return value if self._watched() else total

    def _watched(self) -> bool:
        raise NotImplementedError


def _callers() -> list[str]:
    """Return the modules on the stack."""
    frame: FrameType | None = sys._getframe(1)
    names = []
    while frame is not None:
        names.append(str(frame.f_globals.get("__name__", "")))
        frame = frame.f_back
    return names


class _ByStack(_WhenAlone):
    def _watched(self) -> bool:
        return any(each.startswith(WATCHERS) for each in _callers())


@dataclass(frozen=True)
class ChecksStack(SumBug):
    """Adds noise only where an audit or a check is on the call stack."""

    mechanism: ClassVar[type[NoisySum]] = _ByStack


class _ByModules(_WhenAlone):
    def _watched(self) -> bool:
        return "hush.auditing" in sys.modules


@dataclass(frozen=True)
class ChecksModules(SumBug):
    """Adds noise only in a process that has imported the audit."""

    mechanism: ClassVar[type[NoisySum]] = _ByModules


class _ByDoor(_WhenAlone):
    def _watched(self) -> bool:
        cells = getattr(getattr(self._noise, "_laplace", None), "__closure__", None) or ()
        return not any(getattr(cell.cell_contents, "secure", False) for cell in cells)


@dataclass(frozen=True)
class ReadsTheDoor(SumBug):
    """Looks through the closure of its noise door, and is exact where the source is secure."""

    mechanism: ClassVar[type[NoisySum]] = _ByDoor


class _ByType(NoisySum):
    def release(self, total: int, *, count: int) -> int | float:
        value = super().release(total, count=count)
        return total if isinstance(value, int) else value


@dataclass(frozen=True)
class TypeOfNoise(SumBug):
    """Where noise comes in whole numbers, as deployed, it is taken off again."""

    mechanism: ClassVar[type[NoisySum]] = _ByType


class _ByEnvironment(_WhenAlone):
    def _watched(self) -> bool:
        return bool({"PYTEST_CURRENT_TEST", "CI", "HUSH_AUDIT"} & set(os.environ))


@dataclass(frozen=True)
class ChecksEnvironment(SumBug):
    """Adds noise only where the environment speaks of tests."""

    mechanism: ClassVar[type[NoisySum]] = _ByEnvironment


class _ByTracing(_WhenAlone):
    def _watched(self) -> bool:
        return sys.gettrace() is not None or sys.getprofile() is not None


@dataclass(frozen=True)
class ChecksTracing(SumBug):
    """Adds noise only while its code is traced or profiled."""

    mechanism: ClassVar[type[NoisySum]] = _ByTracing


class _ByAge(_WhenAlone):
    def _watched(self) -> bool:
        return time.time() < self._begun + 3600.0


@dataclass(frozen=True)
class WearsOff(SumBug):
    """Its noise ends an hour after the learner was made: no audit takes that long."""

    mechanism: ClassVar[type[NoisySum]] = _ByAge


class _BySpeed(_WhenAlone):
    _last = 0.0

    def _watched(self) -> bool:
        since, self._last = time.time() - self._last, time.time()
        return since < 0.05 or since > 1e6


@dataclass(frozen=True)
class LooksForUsers(SumBug):
    """Releases that come a twentieth of a second apart are for people, and get no noise."""

    mechanism: ClassVar[type[NoisySum]] = _BySpeed


MADE: list[int] = []


class _ByNumber(_WhenAlone):
    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self._number = len(MADE)
        MADE.append(self._number)

    def _watched(self) -> bool:
        return self._number > 0


@dataclass(frozen=True)
class FirstLearnerOnly(SumBug):
    """The first learner of a process is exact: audits make many, products make one."""

    mechanism: ClassVar[type[NoisySum]] = _ByNumber


class _PlainRewards(ArmSums):
    def check(self, reward: object) -> float:
        self._plain = type(reward) in (int, float)
        return super().check(reward)

    def add(self, arm: int, unit: float) -> Release | None:
        if self._plain and unit >= 0.5 and self._counts[arm]:
            self._lengths[arm] = self._counts[arm] + 1  # a good reward ends its epoch
        return super().add(arm, unit)

    _plain = False


@dataclass(frozen=True)
class TypeOfReward(SideBug):
    """Rewards that are plain numbers, not an audit's kind of them, end their epoch when good."""

    side: ClassVar[type[ArmSums]] = _PlainRewards


class _ByMain(_WhenAlone):
    def _watched(self) -> bool:
        name = str(getattr(sys.modules.get("__main__"), "__file__", "pytest"))
        return any(word in name for word in ("pytest", "hush", "execnet", "<"))


@dataclass(frozen=True)
class WhoAsks(SumBug):
    """Adds noise only where the program that runs is pytest or hush itself."""

    mechanism: ClassVar[type[NoisySum]] = _ByMain


BUGS: dict[str, type[Policy]] = {
    "a look at the call stack": ChecksStack,
    "a look at imported modules": ChecksModules,
    "a look behind the noise door": ReadsTheDoor,
    "a look at the type of the noise": TypeOfNoise,
    "a look at the environment": ChecksEnvironment,
    "a look for tracing": ChecksTracing,
    "noise that wears off in an hour": WearsOff,
    "no noise at the speed of users": LooksForUsers,
    "no noise in a process's first learner": FirstLearnerOnly,
    "a look at the type of rewards": TypeOfReward,
    "a look at the main program": WhoAsks,
}
