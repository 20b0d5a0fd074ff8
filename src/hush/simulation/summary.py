"""What runs say about regret: means and medians with intervals that hold, and quantiles.

Private policies have rare runs that cost a thousand times the median. Where no such run was seen,
Student's interval of the mean is too short: in 1,000 runs of ``DPKLUCB`` it covers the mean less
than half of the time. But regret lies between 0 and a known most, the rounds times the largest gap,
and a kind of run that has a chance of more than ``1 - (alpha / 2)^(1 / runs)`` (about 3.7 in so
many runs, for 95 %) is seen with confidence ``1 - alpha / 2``. So each end of Student's interval is
moved by what runs of that chance could add: down to 0 at the lower end, up to the most at the upper
one. ``docs/intervals.md`` has the coverage that this has on the laws of all policies. Regret in
hindsight can be negative, and its least is the most with the other sign.

Where that interval is wider than half the mean, these runs do not tell the mean. Then the median is
shown: its interval needs no assumption, and the share of runs above three medians stands beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hush.output.numbers import shown, with_interval

__all__ = [
    "LEVEL",
    "Typical",
    "far_share",
    "mean_interval",
    "median_interval",
    "summarise",
    "tells",
    "typical",
]

Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats, Floats]
QUANTILES = (0.05, 0.5, 0.95)
LEVEL = 0.95
FAR = 3.0  # a run is far above the others from so many medians on
WIDE = 0.5  # an interval of the mean that is wider than this much of it tells too little


@dataclass(frozen=True)
class Typical:
    """Regret of many runs in one figure: the mean where runs tell it, else the median.

    Examples
    --------
    >>> import numpy as np
    >>> found = typical(np.full(20, 60.0), most=1000.0)
    >>> found.kind, found.value, found.low, found.high, found.far
    ('median', 60.0, 60.0, 60.0, 0.0)
    >>> found = typical(np.full(2000, 60.0), most=1000.0)
    >>> found.kind, found.value, round(found.low, 1), round(found.high, 1)
    ('mean', 60.0, 59.9, 61.7)
    """

    kind: str
    value: float
    low: float
    high: float
    far: float

    def text(self, unit: float = 1.0) -> str:
        """Return it as a reader wants to see it, in a unit.

        >>> Typical("mean", 1234.0, 1200.0, 1290.0, 0.0).text()
        '1,234 (1,200 to 1,290)'
        >>> Typical("median", 1234.0, 1200.0, 1290.0, 0.004).text()
        'median 1,234 (1,200 to 1,290), 0.4 % far'
        """
        value, low, high = (each / unit for each in (self.value, self.low, self.high))
        if self.kind == "exact":
            return shown(value)
        text = with_interval(value, low, high)
        far = f", {100.0 * self.far:.2g} % far" if self.far else ""
        return text if self.kind == "mean" else f"median {text}{far}"


def mean_interval(
    values: Floats,
    most: ArrayLike,
    level: float = LEVEL,
    *,
    guarded: bool = True,
    least: ArrayLike = 0.0,
) -> Ends:
    """Return the mean over runs, and the ends of an interval for it, a row at a time.

    Parameters
    ----------
    values
        Row x run, from ``least`` to ``most``.
    most
        What a run can cost at most, in all rows or in each.
    level
        How often the interval shall hold.
    guarded
        Allow for runs too rare to be seen; without, it is Student's interval.
    least
        What a run can cost at least, in all rows or in each.
    """
    from scipy.special import stdtrit

    runs = values.shape[1]
    mean = values.mean(axis=1)
    if runs < 2:
        unknown = np.full_like(mean, math.nan)
        return mean, unknown, unknown
    error = values.std(axis=1, ddof=1) / math.sqrt(runs)
    half = stdtrit(runs - 1, 0.5 + level / 2.0) * error
    unseen = -math.expm1(math.log((1.0 - level) / 2.0) / runs) if guarded else 0.0
    low = np.maximum(least, mean - half - unseen * (mean - np.asarray(least)))
    high = mean + half + unseen * np.maximum(0.0, np.asarray(most) - mean)
    return mean, low, np.maximum(mean, np.minimum(high, most))


def median_interval(values: Floats, level: float = LEVEL) -> Ends:
    """Return the median over runs, and the ends of an interval for it, a row at a time.

    The ends are two of the values: as many lie below the median as heads fall in so many tosses of
    a coin. It holds for every law; fewer than six runs have none at 95 %.

    >>> one, low, high = median_interval(np.arange(20.0)[None, :])
    >>> one[0], low[0], high[0]
    (np.float64(9.5), np.float64(5.0), np.float64(14.0))
    """
    from scipy.special import bdtr

    runs = values.shape[1]
    ordered = np.sort(values, axis=1)
    median = np.median(ordered, axis=1)
    below = int((bdtr(np.arange(runs), runs, 0.5) <= (1.0 - level) / 2.0).sum())
    if not below:
        unknown = np.full_like(median, math.nan)
        return median, unknown, unknown
    return median, ordered[:, below - 1], ordered[:, runs - below]


def far_share(values: Floats) -> Floats:
    """Return the share of runs above three medians, of each row; 0 where they are negative."""
    median = np.median(values, axis=1)
    return np.asarray((values > FAR * median[:, None]).mean(axis=1) * (median >= 0.0))


def tells(mean: Floats, low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Say where an interval of the mean is short enough to be of use."""
    return high - low <= WIDE * mean


def typical(
    values: Floats,
    most: float,
    level: float = LEVEL,
    *,
    kind: str | None = None,
    least: float = 0.0,
) -> Typical:
    """Return the mean of runs with its interval, or the median where they do not tell the mean.

    Which of them it is depends on the interval at 95 %, whatever the level asked for; unless the
    kind is given.
    """
    rows = values[None, :]
    if kind is None:
        kind = "mean" if tells(*mean_interval(rows, most, least=least))[0] else "median"
    mean = kind == "mean"
    ends = mean_interval(rows, most, level, least=least) if mean else median_interval(rows, level)
    value, low, high = (float(each[0]) for each in ends)
    return Typical(kind, value, low, high, float(far_share(rows)[0]))


def summarise(values: Floats, most: ArrayLike, least: ArrayLike = 0.0) -> dict[str, Any]:
    """Return the columns of a summary: a row per row of ``values``, whose columns are runs.

    >>> list(summarise(np.array([[1.0, 2.0, 3.0]]), 10.0))[:7]
    ['mean', 'low', 'high', 'se', 'q5', 'q50', 'q95']
    >>> list(summarise(np.array([[1.0, 2.0, 3.0]]), 10.0))[7:]
    ['median_low', 'median_high', 'far', 'worst', 'runs']
    """
    runs = values.shape[1]
    mean, low, high = mean_interval(values, most, least=least)
    error = values.std(axis=1, ddof=1) / math.sqrt(runs) if runs > 1 else mean * math.nan
    _, median_low, median_high = median_interval(values)
    quantiles = np.quantile(values, QUANTILES, axis=1)
    return {
        "mean": mean,
        "low": low,
        "high": high,
        "se": error,
        **{f"q{100 * q:g}": row for q, row in zip(QUANTILES, quantiles, strict=True)},
        "median_low": median_low,
        "median_high": median_high,
        "far": far_share(values),
        "worst": values.max(axis=1),
        "runs": runs,
    }
