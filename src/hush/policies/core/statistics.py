"""What selection rules see."""

from __future__ import annotations

import math
import operator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError
from hush.privacy import Release

__all__ = ["Floats", "Memory", "Statistics", "leader", "one_hot"]

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
    n_arms
        How many arms there are in all. Where some have no release yet and wait for their rewards, a
        rule is shown the others alone.

    Examples
    --------
    >>> import hush
    >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(2, noise=hush.ScriptedNoise([1.5]))
    >>> _ = learner.update(learner.select(), 1)
    >>> learner.statistics
    Statistics(counts=[1.0, 0.0], means=[1.5, 0.0])
    """

    def __init__(self, n_arms: int) -> None:
        self.n_arms = n_arms
        self.counts: Floats = np.zeros(n_arms)
        self.sums: Floats = np.zeros(n_arms)
        self.means: Floats = np.zeros(n_arms)

    def take(self, release: Release, memory: Memory) -> None:
        """Let a release replace the arm's statistic, or add to it."""
        arm = operator.index(release.arm)  # type: ignore[arg-type]  # bandit releases name one
        if memory == "total":
            self.sums[arm] += release.value
            self.counts[arm] += release.count
        else:
            self.sums[arm] = release.value
            self.counts[arm] = release.count
        self.means[arm] = self.sums[arm] / self.counts[arm]

    def snapshot(self) -> Statistics:
        """Return a copy that cannot be written to."""
        copy = self.only(slice(None))
        for values in (copy.counts, copy.sums, copy.means):
            values.flags.writeable = False
        return copy

    def only(self, arms: list[int] | slice) -> Statistics:
        """Return a copy with these arms alone."""
        part = Statistics(0)
        part.n_arms = self.n_arms
        part.counts, part.sums, part.means = (
            values[arms].copy() for values in (self.counts, self.sums, self.means)
        )
        return part

    def __repr__(self) -> str:
        return f"Statistics(counts={self.counts.tolist()}, means={self.means.tolist()})"

    def to_dict(self) -> dict[str, list[float]]:
        """Return counts and sums as plain values; means follow from them."""
        return {"counts": self.counts.tolist(), "sums": self.sums.tolist()}

    def restore(self, counts: Floats, sums: Floats) -> None:
        """Take over counts and sums."""
        self.counts[:] = counts
        self.sums[:] = sums
        self.means[:] = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)


def leader(values: Floats) -> int:
    """Return the arm of the largest value, lowest first on a tie; NaN is refused.

    >>> leader(np.array([1.0, 3.0, 3.0]))
    1
    """
    best = int(values.argmax())
    if math.isnan(values[best]):
        raise not_a_number("an index", best)
    return best


def not_a_number(what: str, arm: int) -> ParameterError:
    """Return the error for a rule that has no value for an arm."""
    return ParameterError(
        f"the rule gave NaN as {what} of arm {arm}; make it a number for every released mean and "
        "count, or let the policy explore first"
    )


def one_hot(arm: int, n_arms: int) -> Floats:
    """Return the chances of a rule that is sure of its arm.

    >>> one_hot(1, 3)
    array([0., 1., 0.])
    """
    chances = np.zeros(n_arms)
    chances[arm] = 1.0
    return chances
