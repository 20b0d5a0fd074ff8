"""A summary of runs: a data frame that prints as a table of one screen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from hush.output.document import Paragraph, TableOf
from hush.output.text_table import WIDTH, text_table
from hush.simulation.summary import Typical, tells

__all__ = ["Summary"]

# What is shown of each column, and under which head.
HEADS = {
    "q5": "q5",
    "q95": "q95",
    "worst": "worst",
    "error": "wrong",
    "error_upper": "upper limit",
    "undecided": "undecided",
    "bound": "lower bound",
    "engine": "engine",
}
SHARES = ("error", "error_upper", "undecided")
LEAST = ("engine", "q5", "worst", "q95")  # left out in this order where a line would be too long


class Summary(pd.DataFrame):
    """Figures of many runs, a row per policy.

    It is a data frame with all columns; what is computed from it is a plain one. Printed, or shown
    in a notebook, it has the mean where runs tell it, else the median, with the 95 % interval, and
    as many of the other columns as fit.

    Examples
    --------
    >>> import hush
    >>> both = [hush.LazyDPTS(epsilon=1.0), hush.UCB1()]
    >>> result = hush.simulate(both, hush.paper_s1(), horizon=1000, runs=20, seed=7)
    >>> print(result.summary())
    policy                   regret (95 % interval)     q5    q95  worst  engine
    LazyDPTS(epsilon=1)     median 163 (154 to 176)  143.5  197.6  202.1    leap
    UCB1()               median 79.6 (70.5 to 86.4)   61.4   94.4   95.5  rounds
    20 runs of each; the data frame has 13 columns
    >>> result.summary()["mean"].shape
    (2,)
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @classmethod
    def of(cls, figure: str, columns: dict[str, Any], policies: Sequence[str]) -> Summary:
        """Make a summary of a figure, such as regret."""
        made = cls(columns, index=pd.Index(policies, name="policy"))
        made.attrs["figure"] = figure
        return made

    def table(self, names: Sequence[str] | None = None, without: Sequence[str] = ()) -> TableOf:
        """Return what is shown, as text: a row per policy, under its label or another name."""
        kept = [each for each in HEADS if each in self.columns and each not in without]
        labels = self.index.astype(str) if names is None else names
        figure = self.attrs["figure"]
        decimals = 0 if figure == "samples" else 1
        heads = ("policy", f"{figure} (95 % interval)", *(HEADS[each] for each in kept))
        rows = (
            (str(label), _typical(row).text(), *(_cell(each, row[each], decimals) for each in kept))
            for label, row in zip(labels, self.to_dict("records"), strict=True)
        )
        return TableOf(heads, tuple(rows))

    def __repr__(self) -> str:
        try:
            tables = (text_table(self.table(without=LEAST[:count])) for count in range(5))
            fitting = (text for text in tables if max(map(len, text.splitlines())) <= WIDTH)
            return f"{next(fitting)}\n{self._note}"
        except (KeyError, StopIteration):  # a column was taken out, or there is no room at all
            return super().__repr__()

    def _repr_html_(self) -> str:
        try:
            return self.table().html() + Paragraph(self._note, note=True).html()
        except KeyError:
            return str(pd.DataFrame(self).to_html())

    @property
    def _note(self) -> str:
        runs = " or ".join(f"{each:,}" for each in sorted(set(self["runs"])))
        return f"{runs} runs of each; the data frame has {len(self.columns)} columns"


def _typical(row: Mapping[Any, Any]) -> Typical:
    """Return the mean of a row where runs tell it, else the median."""
    far = row.get("far", 0.0)
    if tells(row["mean"], row["low"], row["high"]):
        return Typical("mean", row["mean"], row["low"], row["high"], far)
    return Typical("median", row["q50"], row["median_low"], row["median_high"], far)


def _cell(column: str, value: Any, decimals: int) -> str:  # noqa: ANN401  a number or a word
    if column == "engine":
        return str(value)
    if math.isnan(value):
        return "none"
    return f"{value:.2%}" if column in SHARES else f"{value:,.{decimals}f}"
