"""Pictures of a study: against time, against a swept value, or a dot for each policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hush.errors import is_number
from hush.output.numbers import readable
from hush.output.pictures import COLOURS, DASHES, label_ends
from hush.simulation.plotting import Line, tidy, time_panel
from hush.studies.definition.study import Plot
from hush.studies.outcome import CurveData, Outcome
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
End = tuple[float, str, str]


def draw_plot(outcome: Outcome, plot: Plot) -> Figure:
    """Draw one of a study's plots: means with 95 % bands, names at the lines.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> outcome = run_study(shipped_study("adap-constant", quick=True).resized(runs=2))
    >>> len(draw_plot(outcome, outcome.study.plots[0]).axes)
    3
    """
    from matplotlib.figure import Figure

    if plot.kind == "dots":
        figure = Figure(figsize=(8.6, 0.6 + 0.34 * len(plot.policies)), layout="constrained")
        _dots(figure.subplots(), outcome, plot)
        return _settled(figure)
    values = outcome.study.values(plot.panels) or (None,)
    across = 2 if len(values) == 4 else min(len(values), MOST_ACROSS)
    lines = -(-len(values) // across)
    scales = plot.scales if plot.kind == "time" else ("",)
    width = 5.4 * across if across > 1 else 7.4
    figure = Figure(figsize=(width, 4.3 * lines * len(scales)), layout="constrained")
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
        Line(
            name + _rest(each, list(where)),
            np.array(each.curve.points, dtype=np.float64),
            each.regret,
            *_style(plot, name, number),
        )
        for name in plot.policies
        for number, each in enumerate(outcome.find(name, where))
    ]
    time_panel(axes, lines, time=scale)
    axes.set_ylabel(_regret_label(outcome, plot))
    label_ends(axes, [line.end for line in lines])


def _sweep(axes: Axes, outcome: Outcome, plot: Plot, where: dict[str, Any]) -> None:
    values = outcome.study.values(plot.against)
    numbers = all(is_number(value) for value in values)
    x = np.array(values if numbers else range(len(values)), dtype=np.float64)
    horizontal, vertical = plot.scales if numbers else ("linear", plot.scales[1])
    ends: list[End] = []
    for name in plot.policies:
        for number, (rest, line) in enumerate(_lines(outcome, plot, name, where).items()):
            colour, dash = _style(plot, name, number)
            at = np.array([x[k] for k, value in enumerate(values) if value in line])
            mean, half = np.array([_final(line[v], plot) for v in values if v in line]).T
            marker = "o" if len(set(map(id, line.values()))) > 1 else ""
            axes.plot(
                at, mean, color=colour, linestyle=dash, linewidth=1.6, marker=marker, markersize=3.5
            )
            exact = all(each.curve.exact for each in line.values())
            if not exact and np.isfinite(half).all():
                low = np.maximum(mean - half, 1e-3 * mean)
                axes.fill_between(at, low, mean + half, color=colour, alpha=0.18, linewidth=0)
            ends.append((float(mean[-1]), name + rest, colour))
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
    axes.set_ylabel(_regret_label(outcome, plot) + (" (log scale)" if vertical == "log" else ""))
    label_ends(axes, ends)


def _final(each: CurveData, plot: Plot) -> tuple[float, float]:
    """Return regret at the horizon and the half-width of its interval, in the plot's unit."""
    mean, half, _ = each.interval(each.final[:, None])
    unit = yardstick(plot.relative_to, each.curve) if plot.relative_to else 1.0
    return mean[0] / unit, half[0] / unit


def _regret_label(outcome: Outcome, plot: Plot) -> str:
    if plot.relative_to:
        return f"regret relative to {yardstick_label(plot.relative_to)}"
    exact = all(each.curve.exact for each in outcome.curves)
    return "expected regret" if exact else "mean regret"


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
    for height, (name, each) in enumerate(reversed(rows)):
        colour = COLOURS[0] if each.curve.policy.guarantee.private else COLOURS[1]
        low, high = np.quantile(each.final, [0.05, 0.95])
        mean, half, _ = each.interval(each.final[:, None])
        axes.plot([low, high], [height, height], color=colour, linewidth=1.0, alpha=0.5)
        axes.plot(
            [max(mean[0] - half[0], 1e-3 * mean[0]), mean[0] + half[0]], [height, height],
            color=colour, linewidth=4.0, solid_capstyle="butt",
        )  # fmt: skip
        axes.plot(mean, [height], "o", color=colour, markersize=5)
        text = f"{name + _rest(each, list(dict(plot.where)))}  {mean[0]:,.0f}"
        axes.annotate(
            text, (1.01, height), xycoords=("axes fraction", "data"), color=colour,
            fontsize=8.5, va="center",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yticks([])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("regret (log scale): mean with 95 % interval, thin line 5 % to 95 % of runs")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
