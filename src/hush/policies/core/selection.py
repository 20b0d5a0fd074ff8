"""What selection rules see, and how a learner asks them."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from hush.noise import NoiseSource
from hush.privacy import Release

if TYPE_CHECKING:
    from hush.policies.core.bandit import BanditPolicy, IndexPolicy

__all__ = ["Floats", "IndexSelector", "Memory", "Selector", "Statistics"]

Floats = NDArray[np.float64]
Memory = Literal["last", "total"]


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

    def released(self, release: Release) -> None:
        """Take note of a release; on restoring, of all that were, in order."""


class IndexSelector(Selector):
    """Finds the leader once for a stretch of rounds, instead of once a round.

    No index falls while statistics stand still. So if the leader's index *now* is at least every
    other arm's index ``w`` rounds *later* (more, for arms that would win a tie), it leads in all
    ``w`` rounds. The length tried doubles while it succeeds and halves when it fails.
    """

    _policy: IndexPolicy

    def __init__(self, policy: IndexPolicy, statistics: Statistics, noise: NoiseSource) -> None:
        super().__init__(policy, statistics, noise)
        self._parameters = policy._parameter_array(statistics.counts.size)
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

    def released(self, release: Release) -> None:  # noqa: ARG002
        """Drop the certificate: an index changed."""
        if not self._changed:
            self._window = max(1, self._window // 2)
        self._until, self._changed = 0, True


def _leads(value: float, rivals: Floats, leader: int) -> bool:
    rivals[leader] = -math.inf
    challenger = int(rivals.argmax())
    best = rivals[challenger]
    return bool(best < value or (best == value and challenger > leader))
