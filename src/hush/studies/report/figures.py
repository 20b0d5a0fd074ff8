"""Pictures of a study: against time, against a swept value, or a dot for each policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hush.errors import is_number
from hush.output.numbers import readable
from hush.output.pictures import COLOURS, DASHES, empty_figure, label_ends
from hush.simulation.plotting import (
    Line,
    line_ends,
    named_kind,
    regret_label,
    tidy,
    time_panel,
)
from hush.studies.definition.study import Plot
from hush.studies.outcome import Cell, CurveData, Outcome, alike
from hush.studies.yardsticks import yardstick, yardstick_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_plot"]

NAMES = {
    "arms": "number of arms",
    "brackets": "brackets of doubling gaps",
    "crowd": "actions in each bracket",
    "horizon": "horizon T",
}
MOST_ACROSS = 3
Floats = NDArray[np.float64]


def draw_plot(outcome: Outcome, plot: Plot) -> Figure:
    """Draw one of a study's plots: means with 95 % bands, names at the lines.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> outcome = run_study(shipped_study("adap-constant", quick=True).resized(runs=2))
    >>> len(draw_plot(outcome, outcome.study.plots[0]).axes)
    3
    """
    if plot.kind == "dots":
        figure = empty_figure(8.6, 0.6 + 0.34 * len(plot.policies))
        _dots(figure.subplots(), outcome, plot)
        return _settled(figure)
    values = outcome.study.values(plot.panels) or (None,)
    across = 2 if len(values) == 4 else min(len(values), MOST_ACROSS)
    lines = -(-len(values) // across)
    scales = plot.scales if plot.kind == "time" else ("",)
    width = 5.4 * across if across > 1 else 7.4
    figure = empty_figure(width, 4.3 * lines * len(scales))
    grid = figure.subplots(lines * len(scales), across, squeeze=False).ravel()
    for place, axes in enumerate(grid):
        row, column = divmod(place, across)
        number = row // len(scales) * across + column
        if number >= len(values):
            axes.set_axis_off()
            continue
        where = dict(plot.where)
        if values[number] is not None:
            where[plot.panels] = values[number]
            shown = f"{NAMES.get(plot.panels, plot.panels)} = {readable(values[number])}"
            axes.set_title(shown, fontsize=11)
        if plot.kind == "time":
            _time(axes, outcome, plot, where, scales[row % len(scales)])
        else:
            _sweep(axes, outcome, plot, where)
        tidy(axes)
    return _settled(figure)


def _settled(figure: Figure) -> Figure:
    """Lay the figure out once, so that saving it in several formats does not do it again."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _style(plot: Plot, name: str, number: int) -> tuple[str, Any]:
    """Return colour and dashes of a policy's lines; a lone policy has others for each line."""
    place = plot.policies.index(name) if len(plot.policies) > 1 else number
    return COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]


def _rest(each: CurveData, skip: Sequence[str]) -> str:
    """Return the swept values that tell a curve from others of its name in the same panel."""
    shown = [f"{axis} {readable(value)}" for axis, value in each.curve.place if axis not in skip]
    return f" ({', '.join(shown)})" if shown else ""


def _time(axes: Axes, outcome: Outcome, plot: Plot, where: dict[str, Any], scale: str) -> None:
    lines = [
        Line.of(
            name + _rest(each, list(where)),
            np.array(each.curve.points, dtype=np.float64),
            each.regret,
            float(each.curve.env.gaps.max()),
            _style(plot, name, number),
            exact=each.curve.exact,
        )
        for name in plot.policies
        for number, each in enumerate(outcome.find(name, where))
    ]
    time_panel(axes, lines, time=scale)
    label_ends(axes, line_ends(lines))


def _sweep(axes: Axes, outcome: Outcome, plot: Plot, where: dict[str, Any]) -> None:
    values = outcome.study.values(plot.against)
    numbers = all(is_number(value) for value in values)
    x = np.array(values if numbers else range(len(values)), dtype=np.float64)
    horizontal, vertical = plot.scales if numbers else ("linear", plot.scales[1])
    lines = _swept(outcome, plot, where)
    for line in lines:
        low = np.maximum(line.low, 1e-3 * line.values)
        marker = "o" if line.moves else ""
        axes.plot(
            x[line.at], line.values, color=line.style[0], linestyle=line.style[1], linewidth=1.6,
            marker=marker, markersize=3.5,
        )  # fmt: skip
        if line.kind != "exact" and np.isfinite(line.high).all():
            axes.fill_between(
                x[line.at], low, line.high, color=line.style[0], alpha=0.18, linewidth=0
            )
    axes.set_xscale(horizontal)
    axes.set_yscale(vertical)
    axes.set_xlim(x[0], x[-1])
    if vertical == "linear":
        axes.set_ylim(bottom=0.0)
    if not numbers:
        axes.set_xticks(x, [str(value) for value in values])
    elif horizontal == "log" and len(x) <= 8:
        axes.set_xticks(x, [_tick(value) for value in values])
        axes.minorticks_off()
    label = NAMES.get(plot.against, plot.against)
    axes.set_xlabel(label + (" (log scale)" if horizontal == "log" else ""))
    kinds = [line.kind for line in lines]
    axes.set_ylabel(_regret_label(plot, kinds) + (" (log scale)" if vertical == "log" else ""))
    ends = [(float(e.values[-1]), named_kind(e.name, e.kind, kinds), e.style[0]) for e in lines]
    label_ends(axes, ends)


@dataclass(frozen=True)
class Swept:
    """A line of a sweep: a value with its interval at some of the swept values."""

    name: str
    kind: str
    at: list[int]
    values: Floats
    low: Floats
    high: Floats
    style: tuple[str, Any]
    moves: bool


def _swept(outcome: Outcome, plot: Plot, where: dict[str, Any]) -> list[Swept]:
    """Return the lines of a sweep, each made of means, or of medians where one mean is unknown."""
    values = outcome.study.values(plot.against)
    found = []
    for name in plot.policies:
        for number, (rest, line) in enumerate(_lines(outcome, plot, name, where).items()):
            at = [k for k, value in enumerate(values) if value in line]
            curves = [line[values[k]] for k in at]
            kind, measured = alike([Cell(each) for each in curves])
            units = [
                yardstick(plot.relative_to, each.curve) if plot.relative_to else 1.0
                for each in curves
            ]
            scaled = [each.divided_by(unit) for each, unit in zip(measured, units, strict=True)]
            middle, low, high = np.array([(each.value, each.low, each.high) for each in scaled]).T
            moves = len(set(map(id, curves))) > 1
            style = _style(plot, name, number)
            found.append(Swept(name + rest, kind, at, middle, low, high, style, moves))
    return found


def _regret_label(plot: Plot, kinds: Sequence[str]) -> str:
    if plot.relative_to:
        return f"regret relative to {yardstick_label(plot.relative_to)}"
    return regret_label(kinds)


def _tick(value: object) -> str:
    """Return the label of a tick, its power of ten raised."""
    digits, mark, power = readable(value).partition("^")
    factor = digits.replace(" ", r"\cdot ")
    return f"${factor}^{{{power}}}$" if mark else digits


def _lines(
    outcome: Outcome, plot: Plot, name: str, where: dict[str, Any]
) -> dict[str, dict[Any, CurveData]]:
    """Return the lines of a policy: each a curve at every swept value, by what tells them apart."""
    found: dict[str, dict[Any, CurveData]] = {}
    for each in outcome.find(name, where):
        place = dict(each.curve.place)
        line = found.setdefault(_rest(each, [plot.against, *where]), {})
        own = [place[plot.against]] if plot.against in place else None
        for value in own or outcome.study.values(plot.against):
            line[value] = each
    return found


def _dots(axes: Axes, outcome: Outcome, plot: Plot) -> None:
    """Draw a row per policy: the mean with its interval, and the middle 90 % of runs."""
    rows = [(name, each) for name in plot.policies for each in outcome.find(name, dict(plot.where))]
    found = [each.typical() for _, each in rows]
    kinds = [each.kind for each in found]
    for height, ((name, each), one) in enumerate(reversed(list(zip(rows, found, strict=True)))):
        colour = COLOURS[0] if each.curve.policy.guarantee.private else COLOURS[1]
        low, high = np.quantile(each.final, [0.05, 0.95])
        axes.plot([low, high], [height, height], color=colour, linewidth=1.0, alpha=0.5)
        if np.isfinite(one.high):
            ends = [max(one.low, 1e-3 * one.value), one.high]
            axes.plot(ends, [height, height], color=colour, linewidth=4.0, solid_capstyle="butt")
        axes.plot([one.value], [height], "o", color=colour, markersize=5)
        label = named_kind(name + _rest(each, list(dict(plot.where))), one.kind, kinds)
        text = f"{label}  {one.value:,.0f}"
        axes.annotate(
            text, (1.01, height), xycoords=("axes fraction", "data"), color=colour,
            fontsize=8.5, va="center",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yticks([])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    label = regret_label(kinds)
    axes.set_xlabel(f"{label}, log scale, 95 % interval; thin line 5 % to 95 % of runs")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
