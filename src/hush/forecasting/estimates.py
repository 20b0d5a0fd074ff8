"""Figures over runs, each with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hush.output.numbers import with_interval
from hush.simulation.identification_result import upper_limit
from hush.simulation.summary import LEVEL, mean_interval

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate:
    """A mean over runs, and an interval that holds it with a confidence of 95 %.

    Examples
    --------
    >>> import numpy as np
    >>> Estimate.of(np.full(2000, 60.0), most=1000.0).text()
    '60.00 (59.89 to 61.73)'
    >>> Estimate.chance(90, 100).percent()
    '90 % (82 to 95 %)'
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64], most: float) -> Estimate:
        """Estimate the mean of runs that lie between 0 and ``most``: see ``docs/intervals.md``."""
        mean, low, high = mean_interval(values[None, :], most)
        return cls(float(mean[0]), float(low[0]), float(high[0]))

    @classmethod
    def chance(cls, hits: int, tries: int) -> Estimate:
        """Estimate a chance (Clopper and Pearson)."""
        level = (1.0 + LEVEL) / 2.0
        low = 1.0 - upper_limit(tries - hits, tries, level)
        return cls(hits / tries, low, upper_limit(hits, tries, level))

    def text(self) -> str:
        """Return it as a reader wants to see it."""
        return with_interval(self.mean, self.low, self.high)

    def percent(self) -> str:
        """Return a chance as a reader wants to see it."""
        return f"{100 * self.mean:.0f} % ({100 * self.low:.0f} to {100 * self.high:.0f} %)"

    def to_dict(self) -> dict[str, float]:
        """Return plain values."""
        return {"mean": self.mean, "low": self.low, "high": self.high}
