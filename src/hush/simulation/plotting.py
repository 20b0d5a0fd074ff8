"""Pictures of regret: means and bands against time, and bounds with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hush.output.pictures import COLOURS, DASHES, empty_figure, label_ends
from hush.simulation.result import Result
from hush.simulation.summary import mean_interval, median_interval, typical

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Guide",
    "Line",
    "draw",
    "line_ends",
    "named_kind",
    "regret_label",
    "tidy",
    "time_panel",
]


@dataclass(frozen=True)
class Guide:
    """A curve to draw with a policy's regret: a bound, at the result's checkpoints."""

    position: int
    name: str
    upper: bool
    values: NDArray[np.float64]


def draw(
    panels: Sequence[tuple[str, Result]],
    *,
    times: Sequence[str] = ("log",),
    guides: Sequence[Guide] = (),
) -> Figure:
    """Draw panels side by side, a row per time scale; with guides, regret on a log scale."""
    width = 5.4 * len(panels) if len(panels) > 1 else 7.4
    figure = empty_figure(width, 4.3 * len(times))
    grid = figure.subplots(len(times), len(panels), squeeze=False)
    names = list(dict.fromkeys(name for _, result in panels for name in short_labels(result)))
    for row, time in zip(grid, times, strict=True):
        for axes, (title, result) in zip(row, panels, strict=True):
            _panel(axes, result, names, time, guides)
            axes.set_title(title, fontsize=11)
    return figure


def short_labels(result: Result) -> list[str]:
    """Return short labels: parameters shared by all policies are left out."""
    return short_names(result.policies, result.parameters)


def short_names(labels: Sequence[str], parameters: Sequence[dict[str, Any]]) -> list[str]:
    """Return labels without an epsilon that all policies share.

    >>> short_names(["A(epsilon=1)", "B(epsilon=1, c=2)"], [{"epsilon": 1.0}, {"epsilon": 1.0}])
    ['A', 'B(c=2)']
    """
    shared = {each["epsilon"] for each in parameters if "epsilon" in each}
    text = f"epsilon={shared.pop():g}" if len(shared) == 1 else "epsilon"
    return [
        label.replace(f"({text})", "").replace(f"({text}, ", "(").removesuffix("()")
        for label in labels
    ]


@dataclass(frozen=True)
class Line:
    """One policy's regret against time: a value and its interval at each checkpoint."""

    name: str
    kind: str
    rounds: NDArray[np.float64]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    colour: str
    dash: Any = "-"

    @classmethod
    def of(
        cls,
        name: str,
        rounds: NDArray[np.float64],
        regret: NDArray[np.float64],
        gap: float,
        style: tuple[str, Any],
        *,
        exact: bool = False,
        least_gap: float = 0.0,
    ) -> Line:
        """Return means with their intervals, or medians where runs do not tell the last mean."""
        if exact:
            return cls(name, "exact", rounds, regret[0], regret[0], regret[0], *style)
        most, least = gap * rounds, least_gap * rounds
        kind = typical(regret[:, -1], float(most[-1]), least=float(least[-1])).kind
        means = mean_interval(regret.T, most, least=least)
        values, low, high = means if kind == "mean" else median_interval(regret.T)
        return cls(name, kind, rounds, values, low, high, *style)


def regret_label(kinds: Iterable[str]) -> str:
    """Return what is drawn: means, medians, or both.

    >>> regret_label(["mean", "mean"]), regret_label(["median"])
    ('mean regret', 'median regret')
    >>> regret_label(["mean", "median"])
    'mean regret (median where named)'
    """
    found = set(kinds) - {"exact"}
    if not found:
        return "expected regret"
    return f"{found.pop()} regret" if len(found) == 1 else "mean regret (median where named)"


def named_kind(name: str, kind: str, kinds: Iterable[str]) -> str:
    """Return a line's name, with what it is where others are something else.

    >>> named_kind("A", "median", ["mean", "median"]), named_kind("A", "median", ["median"])
    ('A, median', 'A')
    """
    return f"{name}, median" if kind == "median" and "mean" in kinds else name


def time_panel(axes: Axes, lines: Sequence[Line], *, time: str, log_regret: bool = False) -> None:
    """Draw regret with its 95 % band against time; names are written at the ends later."""
    longest = np.ones(1)
    for line in lines:
        axes.plot(line.rounds, line.values, color=line.colour, linestyle=line.dash, linewidth=1.8)
        if np.isfinite(line.high).all():
            axes.fill_between(
                line.rounds, line.low, line.high, color=line.colour, alpha=0.18, linewidth=0
            )
        longest = max(longest, line.rounds, key=lambda rounds: float(rounds[-1]))
    axes.set_xscale(time)
    if longest.size > 1:
        axes.set_xlim(longest[0], longest[-1])
    if log_regret:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=min(0.0, *(float(line.values.min()) for line in lines)))
    axes.set_xlabel("round" + (" (log scale)" if time == "log" else ""))
    label = regret_label(line.kind for line in lines)
    axes.set_ylabel(label + (" (log scale)" if log_regret else ""))


def line_ends(lines: Sequence[Line]) -> list[tuple[float, str, str]]:
    """Return the lines' last values, names and colours."""
    kinds = [line.kind for line in lines]
    ends = [(float(line.values[-1]), line) for line in lines]
    return [(end, named_kind(line.name, line.kind, kinds), line.colour) for end, line in ends]


def tidy(axes: Axes) -> None:
    """Leave out the frame's right and top, and draw a grid behind everything."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def _panel(
    axes: Axes, result: Result, names: list[str], time: str, guides: Sequence[Guide]
) -> None:
    rounds = result.checkpoints.astype(np.float64)
    lines = []
    for name, regret in zip(short_labels(result), result.regret, strict=True):
        style = names.index(name)
        # Dashes tell bounds from regret where there are bounds.
        dash = "-" if guides else DASHES[style % len(DASHES)]
        drawn = COLOURS[style % len(COLOURS)], dash
        gap, least = result.largest_gap, result.least_gap
        lines.append(Line.of(name, rounds, regret, gap, drawn, least_gap=least))
    time_panel(axes, lines, time=time, log_regret=bool(guides))
    ends = line_ends(lines)
    for same in _distinct(guides):
        guide = same[0]
        label, colour = guide.name, "#555555"
        if len(same) == 1 or len(lines) == 1:
            line = lines[guide.position]
            label, colour = f"{line.name}: {label}", line.colour
        _guide(axes, rounds, guide, colour)
        ends.append((float(guide.values[-1]), label, colour))
    label_ends(axes, ends)
    tidy(axes)


def _distinct(guides: Sequence[Guide]) -> list[list[Guide]]:
    """Put guides together that are one curve under one name, such as a bound on all policies."""
    found: dict[tuple[str, bytes], list[Guide]] = {}
    for guide in guides:
        found.setdefault((guide.name, guide.values.tobytes()), []).append(guide)
    return list(found.values())


def _guide(axes: Axes, rounds: NDArray[np.float64], guide: Guide, colour: str) -> None:
    """Draw a bound: an upper one dashed, a lower one dotted. Nothing is drawn where it is 0."""
    shown = np.where(guide.values > 0.0, guide.values, np.nan)
    dash: Any = (0, (6, 3)) if guide.upper else (0, (1, 2))
    axes.plot(rounds, shown, color=colour, linestyle=dash, linewidth=1.1)
