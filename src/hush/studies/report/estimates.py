"""Estimates with intervals: sums, ratios and slopes of mean regrets, by the delta method.

An estimate remembers how each run of each curve moves it. So the checkpoints of one curve, which
share their runs, are not taken for independent, and different curves are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "slope"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """A value, and for each source of data by how much each of its runs moves it.

    Examples
    --------
    >>> import numpy as np
    >>> one = Estimate.of("a", np.array([1.0, 2.0, 3.0]))
    >>> two = Estimate.of("b", np.array([4.0, 5.0, 6.0]))
    >>> (two - one).value, round((two - one).error, 4)
    (3.0, 0.8165)
    >>> round(float(two.log().value), 4)
    1.6094
    """

    value: float
    parts: dict[Any, Floats]

    @classmethod
    def of(cls, source: Any, values: Floats, *, exact: bool = False) -> Estimate:  # noqa: ANN401
        """Return the mean over the runs of a source; equal sources share their runs.

        An exact one depends on no runs, and has no error.
        """
        return cls(float(values.mean()), {} if exact else {source: values})

    def __sub__(self, other: Estimate) -> Estimate:
        return combined([(1.0, self), (-1.0, other)])

    def divided_by(self, number: float) -> Estimate:
        """Return it relative to a known number."""
        return combined([(1.0 / number, self)])

    def log(self) -> Estimate:
        """Return the logarithm; NaN where the value is not positive."""
        if not self.value > 0.0:
            return Estimate(math.nan, {})
        scale = 1.0 / self.value
        return Estimate(math.log(self.value), {k: scale * v for k, v in self.parts.items()})

    @property
    def error(self) -> float:
        """The standard error; NaN with a single run."""
        return math.sqrt(sum(_variance(each) for each in self.parts.values()))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of a Student interval with Welch's degrees of freedom."""
        from scipy.special import stdtrit

        if not math.isfinite(self.value) or not math.isfinite(self.error):
            return math.nan, math.nan
        if self.error == 0.0:
            return self.value, self.value
        shares = [(_variance(each), each.size - 1) for each in self.parts.values()]
        freedom = self.error**4 / sum(v * v / n for v, n in shares if v > 0.0)
        half = float(stdtrit(freedom, 0.5 + level / 2.0)) * self.error
        return self.value - half, self.value + half


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1)) / values.size if values.size > 1 else math.nan


def combined(terms: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Return a weighted sum of estimates."""
    value = 0.0
    parts: dict[Any, Floats] = {}
    for weight, term in terms:
        value += weight * term.value
        for source, values in term.parts.items():
            moved = weight * values
            parts[source] = parts[source] + moved if source in parts else moved
    return Estimate(value, parts)


def slope(x: Sequence[float], y: Sequence[Estimate]) -> Estimate:
    """Return the least-squares slope of estimates against numbers.

    >>> import numpy as np
    >>> line = [Estimate.of(n, np.array([2.0 * n, 2.0 * n])) for n in range(3)]
    >>> slope([0.0, 1.0, 2.0], line).value
    2.0
    """
    centred = np.array(x) - np.mean(x)
    weights = centred / (centred @ centred)
    return combined(list(zip(weights.tolist(), y, strict=True)))
