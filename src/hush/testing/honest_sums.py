"""Private halves that look odd and keep their promise: what the honest policies stand on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hush.mechanisms import NoisySum
from hush.mechanisms.sums import ArmSums, wholes
from hush.noise import NoiseSource
from hush.privacy import Release

__all__ = [
    "Delayed",
    "EveryOther",
    "NoiseByReleases",
    "Overlapping",
    "Responses",
    "Subsampled",
    "Weighted",
]


class OddSums(ArmSums):
    """Sums in which a coin, or the end of an epoch, means something else; with a note per arm."""

    def __init__(self, n_arms: int, *, noise: NoiseSource, **options: Any) -> None:  # noqa: ANN401
        super().__init__(n_arms, noise=noise, **options)
        self._noise = noise
        self._notes = [0] * n_arms

    def add(self, arm: int, unit: float) -> Release | None:
        """Add a checked reward; return the release if there is one."""
        count = self._counts[arm] + 1
        total = self._sums[arm] + self._worth(1 if self._coins.random() < unit else 0, count)
        if count < self._lengths[arm]:
            self._counts[arm], self._sums[arm] = count, total
            return None
        release, self._notes[arm] = self._closed(arm, total, count)
        self.drop(arm)
        self._epochs[arm] += 1
        self._lengths[arm] = self._schedule.length(self._epochs[arm])
        return release

    def _worth(self, toss: int, count: int) -> int:  # noqa: ARG002
        """Return what a coin adds to the sum, as the epoch's reward of that number."""
        return toss

    def _closed(self, arm: int, total: int, count: int) -> tuple[Release | None, int]:
        """Return the release of a full epoch, and what to note of the arm."""
        value = self._mechanism.release(total, count=count)
        return self._released(arm, count, value), 0

    def _released(self, arm: int, count: int, value: float, *, late: int = 0) -> Release:
        how = self._mechanism
        return Release(arm, self._epochs[arm] - late, count, value, how.name, how.epsilon)

    def state(self) -> dict[str, Any]:
        """Return the running epochs, raw, and the notes."""
        return {**super().state(), "notes": list(self._notes)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the running epochs and the notes; weights may lift a sum above its count."""
        notes, sums = (wholes(state, key, len(self._sums)) for key in ("notes", "sums"))
        super().restore({**state, "sums": [0] * len(sums)})
        self._notes, self._sums = notes, sums


class Overlapping(OddSums):
    """Each release covers the last two epochs; the note is the last one's raw sum."""

    def _closed(self, arm: int, total: int, count: int) -> tuple[Release | None, int]:
        epoch = self._epochs[arm]
        both = count + (self._schedule.length(epoch - 1) if epoch else 0)
        value = self._mechanism.release(total + self._notes[arm], count=both)
        return self._released(arm, both, value), total


class Delayed(OddSums):
    """Each epoch's sum waits for the end of the next one; the note is the sum, plus 1."""

    def _closed(self, arm: int, total: int, count: int) -> tuple[Release | None, int]:  # noqa: ARG002
        if not self._notes[arm]:
            return None, total + 1
        before = self._schedule.length(self._epochs[arm] - 1)
        value = self._mechanism.release(self._notes[arm] - 1, count=before)
        return self._released(arm, before, value, late=1), total + 1


class Weighted(OddSums):
    """Every third reward counts three times."""

    def _worth(self, toss: int, count: int) -> int:
        return toss if count % 3 else 3 * toss


class EveryOther(OddSums):
    """Every second reward counts nothing."""

    def _worth(self, toss: int, count: int) -> int:
        return toss * (count % 2)


class Subsampled(OddSums):
    """A second coin says whether a reward counts at all."""

    def _worth(self, toss: int, count: int) -> int:  # noqa: ARG002
        return toss if self._coins.random() < 0.5 else 0


class NoiseByReleases(OddSums):
    """An arm whose last release was good gets twice the noise; the note says so."""

    def _closed(self, arm: int, total: int, count: int) -> tuple[Release | None, int]:
        epsilon = self._mechanism.epsilon / (1 + self._notes[arm])
        mechanism = NoisySum(epsilon=epsilon, noise=self._noise)
        value = mechanism.release(total, count=count)
        release = Release(arm, self._epochs[arm], count, value, mechanism.name, epsilon)
        return release, int(2 * value > count)


class Responses(OddSums):
    """Each coin is answered at random before it is summed: the sum needs no noise any more."""

    def _worth(self, toss: int, count: int) -> int:  # noqa: ARG002
        epsilon = self._mechanism.epsilon * (1.0 - 1e-12)  # so that rounding spends no more
        truth = 1.0 / (1.0 + math.exp(-epsilon))
        return int(self._noise.toss(bool(toss), chances=(1.0 - truth, truth)))

    def _closed(self, arm: int, total: int, count: int) -> tuple[Release | None, int]:
        epsilon = self._mechanism.epsilon
        return Release(arm, self._epochs[arm], count, total, "randomised-response", epsilon), 0
