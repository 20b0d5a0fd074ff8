"""A study's tables, as a reader wants to see them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hush.output.document import TableOf
from hush.simulation.result import interval
from hush.studies.definition.study import readable
from hush.studies.outcome import CurveData, Outcome
from hush.studies.report.claims import Finding
from hush.studies.report.estimates import Estimate

__all__ = ["claims_table", "difference_table", "regret_table", "short_claims_table"]

MOST_COLUMNS = 10


def shown(value: float) -> str:
    """Return a number with the digits a reader needs.

    >>> shown(1234.56), shown(12.345), shown(0.123456)
    ('1,235', '12.3', '0.123')
    """
    if not np.isfinite(value):
        return "?"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def plus_minus(mean: float, half: float) -> str:
    """Return a mean and the half-width of its interval, with as many digits as that allows.

    >>> plus_minus(1234.56, 7.8), plus_minus(-3.568, 8.43), plus_minus(8303.0, 1e-13)
    ('1,235 ± 8', '-3.6 ± 8.4', '8,303 ± 0')
    """
    if not np.isfinite(half):
        return f"{shown(mean)} ± ?"
    if half <= 1e-9 * abs(mean):  # all runs alike, but for rounding
        return f"{shown(mean)} ± 0"
    digits = 1 if abs(mean) >= 100 else 2
    decimals = max(0, digits - 1 - math.floor(math.log10(half)))
    return f"{mean:,.{decimals}f} ± {half:,.{decimals}f}"


def regret_table(outcome: Outcome) -> TableOf:
    """Return mean regret at the horizon with its 95 % interval: policies down, places across."""

    def cell(each: CurveData) -> str:
        mean, half, _ = interval(each.final[None, :])
        return plus_minus(mean[0], half[0])

    rows = {name: {p: cell(e) for p, e in _cells(outcome, name)} for name in outcome.study.policies}
    return _grid(outcome, rows, f"mean regret ± 95 %{_runs(outcome)}")


def _runs(outcome: Outcome) -> str:
    counts = sorted({each.curve.runs for each in outcome.curves})
    return f", {' or '.join(f'{count:,}' for count in counts)} runs"


def difference_table(outcome: Outcome) -> TableOf | None:
    """Return regret less the baseline's with its 95 % interval; None without a baseline."""
    base = outcome.study.baseline
    if not base or len(outcome.study.policies) < 2:
        return None
    rows: dict[str, dict[Any, str]] = {}
    for name in outcome.study.policies:
        if name == base:
            continue
        for place, each in _cells(outcome, name):
            other = outcome.find(base, dict(place))[0]
            gap = Estimate.of(each, each.final) - Estimate.of(other, other.final)
            low, _ = gap.interval(0.95)
            rows.setdefault(name, {})[place] = plus_minus(gap.value, gap.value - low)
    return _grid(outcome, rows, f"regret less that of {base} ± 95 %")


def _cells(outcome: Outcome, name: str) -> list[tuple[Any, CurveData]]:
    """Return the curves of a policy at every place of the study."""
    axes = outcome.study.axes
    found = []
    for chosen in itertools.product(*(values for _, values in axes)):
        place = tuple(zip((axis for axis, _ in axes), chosen, strict=True))
        found += [(place, each) for each in outcome.find(name, dict(place))[:1]]
    return found


def _grid(outcome: Outcome, rows: dict[str, dict[Any, str]], corner: str) -> TableOf:
    """Lay cells out with places across; with too many of them, the first axes go down."""
    axes = outcome.study.axes
    down = 0
    while down < len(axes) - 1 and np.prod([len(v) for _, v in axes[down:]]) > MOST_COLUMNS:
        down += 1
    if axes and len(axes[-1][1]) > MOST_COLUMNS:
        down = len(axes)
    across = list(itertools.product(*(values for _, values in axes[down:])))
    names = [axis for axis, _ in axes]
    heads = [_label(names[down:], chosen) or "regret" for chosen in across]
    lines = []
    for above in itertools.product(*(values for _, values in axes[:down])):
        for name, cells in rows.items():
            places = [tuple(zip(names, (*above, *chosen), strict=True)) for chosen in across]
            label = _label(names[:down], above)
            found = [cells.get(place, "") for place in places]
            lines.append((f"{name}, {label}" if label else name, *found))
    return TableOf((corner, *heads), tuple(lines))


def _label(names: Sequence[str], values: Sequence[Any]) -> str:
    pairs = zip(names, values, strict=True)
    return ", ".join(f"{name} {readable(value)}" for name, value in pairs)


def claims_table(findings: Sequence[Finding]) -> TableOf:
    """Return the claims with their verdicts and figures."""
    rows = [
        (each.verdict, each.claim.text, each.claim.source, each.figures, each.study)
        for each in findings
    ]
    columns = ("verdict", "claim", "where it is from", "figures (95 % interval)", "study")
    return TableOf(columns, tuple(rows), numbers=False, marked=0)


def short_claims_table(findings: Sequence[Finding]) -> TableOf:
    """Return the claims of one study with their verdicts and figures."""
    rows = tuple((each.verdict, each.claim.text, each.figures) for each in findings)
    columns = ("verdict", "claim", "figures (95 % interval)")
    return TableOf(columns, rows, numbers=False, marked=0)
