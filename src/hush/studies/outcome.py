"""The data of a study: regret of every run, and the tables made of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import hush
from hush.extras import require
from hush.output.document import Paragraph
from hush.simulation.result import Result
from hush.simulation.summary import LEVEL, Typical, summarise, typical
from hush.studies.definition import Curve, Study
from hush.studies.report.measured import Measured

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "Cell", "CurveData", "Outcome", "alike", "less", "measured"]

Floats = NDArray[np.float64]
KINDS = {"mean": "means", "median": "medians", "exact": "expectations"}


@dataclass(frozen=True, eq=False)
class CurveData:
    """A curve and the result of its runs."""

    curve: Curve
    result: Result

    @property
    def regret(self) -> Floats:
        """Run x checkpoint."""
        return np.asarray(self.result.regret[0])

    @property
    def final(self) -> Floats:
        """The regret of each run at the horizon."""
        return np.asarray(self.regret[:, -1])

    @property
    def most(self) -> Floats:
        """What a run can cost at most, up to each checkpoint."""
        return float(self.curve.env.gaps.max()) * np.array(self.curve.points, dtype=np.float64)

    def summary(self, *, final: bool = False) -> dict[str, Any]:
        """Return the columns of a summary, at every checkpoint or the horizon only."""
        first = -1 if final else 0
        columns = summarise(self.regret[:, first:].T, self.most[first:])
        if not self.curve.exact:
            return columns
        mean = columns["mean"]
        ends = dict.fromkeys(("low", "high", "median_low", "median_high"), mean)
        return columns | ends | {"se": 0.0 * mean}

    def typical(self) -> Typical:
        """Return regret at the horizon in one figure with its 95 % interval."""
        return Cell(self).typical()


@dataclass(frozen=True)
class Cell:
    """Regret of a curve's runs from one checkpoint (or the start) to another (or the horizon)."""

    data: CurveData
    since: int = 0
    until: int = 0

    def typical(self, level: float = LEVEL, kind: str | None = None) -> Typical:
        """Return it in one figure with its interval, of a given kind or the one that fits."""
        data = self.data
        point = data.curve.points.index(self.until) if self.until else -1
        values, most = data.regret[:, point], data.most[point]
        if self.since:
            start = data.curve.points.index(self.since)
            values, most = values - data.regret[:, start], most - data.most[start]
        if data.curve.exact:
            value = float(values[0])
            return Typical("exact", value, value, value, 0.0)
        return typical(values, most, level, kind=kind)


def alike(cells: Sequence[Cell], level: float = LEVEL) -> tuple[str, list[Measured]]:
    """Return the figures of cells, all means or all medians, each with an interval at the level.

    They are medians as soon as one of the cells does not tell its mean.
    """
    kinds = {cell.typical().kind for cell in cells} - {"exact"}
    kind = "median" if "median" in kinds else "mean"
    return kind if kinds else "exact", [measured(cell, level, kind) for cell in cells]


def measured(cell: Cell, level: float, kind: str) -> Measured:
    """Return the mean or the median of a cell with an interval at the level."""
    found = cell.typical(level, kind)
    return Measured(found.value, found.low, found.high)


def less(one: CurveData, other: CurveData) -> tuple[str, Measured]:
    """Return one curve's regret less another's at the horizon, with its 95 % interval."""
    kind, (first, second) = alike([Cell(one), Cell(other)], 0.5 + LEVEL / 2.0)
    return kind, first - second


@dataclass(frozen=True, eq=False)
class Outcome:
    """A study and its data.

    Attributes
    ----------
    study
        What was run.
    curves
        Each curve with the regret of its runs, in the study's order.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> outcome = run_study(shipped_study("adap-constant", quick=True).resized(runs=2))
    >>> list(outcome.summary().columns)[:5]
    ['instance', 'epsilon', 'beta', 'policy', 'round']
    """

    study: Study
    curves: tuple[CurveData, ...]

    def __repr__(self) -> str:
        study = self.study
        return f"<Outcome of {study.name}: {len(self.curves)} curves, seed {study.seed}>"

    def _repr_html_(self) -> str:
        from hush.studies.report.tables import difference_table, regret_table

        tables = (regret_table(self), difference_table(self))
        shown = "".join(each.html() for each in tables if each is not None)
        return Paragraph(self.study.title).html() + shown

    def find(self, policy: str, where: dict[str, Any] | None = None) -> list[CurveData]:
        """Return the curves of a policy at given swept values, in order."""
        return [
            each
            for each in self.curves
            if each.curve.name == policy and each.curve.lies(where or {})
        ]

    def _places(self, *curves: CurveData) -> dict[str, Any]:
        """Return the swept values that curves have, as cells of a table."""
        place = {axis: value for each in curves for axis, value in each.curve.place}
        cells = {axis: place.get(axis, "") for axis, _ in self.study.axes}
        return {key: str(v) if isinstance(v, tuple) else v for key, v in cells.items()}

    def summary(self, *, final: bool = False) -> pd.DataFrame:
        """Return mean regret, its 95 % interval and quantiles, a row per curve and checkpoint.

        With ``final``, at the horizon only.
        """
        require("a pandas table")
        import pandas as pd

        return pd.DataFrame(self.summary_rows(final=final))

    def summary_rows(self, *, final: bool = False) -> list[dict[str, Any]]:
        """Return the rows of the summary."""
        rows: list[dict[str, Any]] = []
        for each in self.curves:
            known = {**self._places(each), "policy": each.curve.name}
            points = each.curve.points[-1:] if final else each.curve.points
            columns = {
                name: np.broadcast_to(values, len(points)).tolist()
                for name, values in each.summary(final=final).items()
            }
            for point, *figures in zip(points, *columns.values(), strict=True):
                rows.append(known | {"round": point} | dict(zip(columns, figures, strict=True)))
        return rows

    def differences(self) -> pd.DataFrame:
        """Return each policy's regret less the baseline's at the horizon, with 95 % intervals."""
        require("a pandas table")
        import pandas as pd

        return pd.DataFrame(self.difference_rows())

    def difference_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the differences."""
        rows: list[dict[str, Any]] = []
        for each in self.curves:
            if each.curve.name == self.study.baseline or not self.study.baseline:
                continue
            for base in self.find(self.study.baseline, dict(each.curve.place)):
                kind, gap = less(each, base)
                rows.append(
                    {
                        **self._places(base, each),
                        "policy": each.curve.name,
                        "baseline": self.study.baseline,
                        "of": KINDS[kind],
                        "difference": gap.value,
                        "low": gap.low,
                        "high": gap.high,
                    }
                )
        return rows

    @cached_property
    def runs_csv(self) -> str:
        """Every run's regret as CSV: a row per run, a column per checkpoint.

        Where checkpoints differ between curves, at the horizon only.
        """
        shared = len({each.curve.points for each in self.curves}) == 1
        heads = [f"round {point}" for point in self.curves[0].curve.points] if shared else ["final"]
        lines = [",".join([*(axis for axis, _ in self.study.axes), "policy", "run", *heads])]
        for each in self.curves:
            place = [str(value) for value in self._places(each).values()]
            start = ",".join(_quoted(cell) for cell in [*place, each.curve.name])
            data = each.regret if shared else each.regret[:, -1:]
            form = ",".join(["%.10g"] * data.shape[1])
            lines += [f"{start},{run},{form % tuple(row)}" for run, row in enumerate(data.tolist())]
        return "\n".join(lines) + "\n"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the data to ten digits: no clock, path or machine is in it."""
        return hashlib.sha256(self.runs_csv.encode()).hexdigest()

    def about(self) -> str:
        """Return JSON that says what the data are: version, seed, parameters, digest."""
        curves = [
            {
                "name": each.curve.name,
                "place": dict(each.curve.place),
                "policy": each.curve.policy.to_dict(),
                "means": each.curve.env.means.tolist(),
                "horizon": each.curve.horizon,
                "runs": each.curve.runs,
            }
            for each in self.curves
        ]
        about = {
            "study": self.study.name,
            "title": self.study.title,
            "hush": hush.__version__,
            "seed": self.study.seed,
            "sha256": self.digest,
            "curves": curves,
        }
        return json.dumps(about, indent=1, allow_nan=False) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(c in cell for c in ',"\n') else cell
