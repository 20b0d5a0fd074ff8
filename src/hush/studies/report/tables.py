"""A study's tables, as a reader wants to see them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hush.output.document import TableOf
from hush.output.numbers import readable, shown, with_interval
from hush.studies.definition.study import Curve
from hush.studies.outcome import CurveData, Outcome, less
from hush.studies.report.claims import Finding
from hush.studies.yardsticks import yardstick, yardstick_label

__all__ = [
    "claims_table",
    "difference_table",
    "regret_table",
    "relative_table",
    "short_claims_table",
]

MOST_COLUMNS = 10
MEDIAN = "median "
Rows = dict[str, dict[Any, str]]  # by policy and place


def regret_table(outcome: Outcome) -> TableOf:
    """Return regret at the horizon with its 95 % interval: policies down, places across.

    It is the mean where runs tell it; else the median, with the share of runs above three medians.
    """
    corner = "expected regret, exact"
    counts = sorted({each.curve.runs for each in outcome.curves if not each.curve.exact})
    if counts:
        what = "samples" if outcome.curves[0].curve.confidence else "regret"
        corner = f"{what} (95 % interval), {' or '.join(f'{count:,}' for count in counts)} runs"
    return _grid(outcome, _typical(outcome, lambda _: 1.0), corner)


def relative_table(outcome: Outcome, name: str) -> TableOf:
    """Return regret at the horizon divided by a yardstick."""
    rows = _typical(outcome, lambda curve: yardstick(name, curve))
    return _grid(outcome, rows, f"regret relative to {yardstick_label(name)}")


def _typical(outcome: Outcome, unit: Callable[[Curve], float]) -> Rows:
    """Return the cells of every policy: regret in a unit, with its interval if it has one."""
    return {
        name: {p: e.typical().text(unit(e.curve)) for p, e in _cells(outcome, name)}
        for name in outcome.study.policies
    }


def difference_table(outcome: Outcome) -> TableOf | None:
    """Return regret less the baseline's with its 95 % interval; None without a baseline."""
    base = outcome.study.baseline
    if not base or len(outcome.study.policies) < 2:
        return None
    rows: Rows = {}
    for name in outcome.study.policies:
        if name == base:
            continue
        for place, each in _cells(outcome, name):
            other = outcome.find(base, dict(place))[0]
            kind, gap = less(each, other)
            text = with_interval(gap.value, gap.low, gap.high)
            text = {"exact": shown(gap.value), "median": MEDIAN + text}.get(kind, text)
            rows.setdefault(name, {})[place] = text
    exact = all(each.curve.exact for each in outcome.curves)
    return _grid(outcome, rows, f"regret less that of {base}{'' if exact else ' (95 % interval)'}")


def _cells(outcome: Outcome, name: str) -> list[tuple[Any, CurveData]]:
    """Return the curves of a policy at every place of the study."""
    axes = outcome.study.axes
    found = []
    for chosen in itertools.product(*(values for _, values in axes)):
        place = tuple(zip((axis for axis, _ in axes), chosen, strict=True))
        found += [(place, each) for each in outcome.find(name, dict(place))[:1]]
    return found


def _grid(outcome: Outcome, rows: Rows, corner: str) -> TableOf:
    """Lay cells out with places across; with too many of them, the first axes go down."""
    rows, corner = _told_once(rows, corner)
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


def _told_once(rows: Rows, corner: str) -> tuple[Rows, str]:
    """Say "median" in the corner where every cell would."""
    cells = [cell for row in rows.values() for cell in row.values()]
    if not cells or not all(cell.startswith(MEDIAN) for cell in cells):
        return rows, corner
    short = {
        name: {p: c.removeprefix(MEDIAN) for p, c in row.items()} for name, row in rows.items()
    }
    return short, MEDIAN + corner


def _label(names: Sequence[str], values: Sequence[Any]) -> str:
    pairs = zip(names, values, strict=True)
    return ", ".join(f"{name} {readable(value)}" for name, value in pairs)


def claims_table(findings: Sequence[Finding]) -> TableOf:
    """Return the claims with their verdicts and figures."""
    rows = [
        (each.verdict, _with_reason(each), each.claim.source, each.figures, each.study)
        for each in findings
    ]
    columns = ("verdict", "claim", "where it is from", "figures (95 % interval)", "study")
    return TableOf(columns, tuple(rows), numbers=False, marked=0)


def _with_reason(finding: Finding) -> str:
    reason = finding.claim.because
    return f"{finding.claim.text} (Margin: {reason}.)" if reason else finding.claim.text


def short_claims_table(findings: Sequence[Finding]) -> TableOf:
    """Return the claims of one study with their verdicts and figures."""
    rows = tuple((each.verdict, each.claim.text, each.figures) for each in findings)
    columns = ("verdict", "claim", "figures (95 % interval)")
    return TableOf(columns, rows, numbers=False, marked=0)
