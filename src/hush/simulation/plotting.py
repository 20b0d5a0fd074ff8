"""Pictures of regret: means and bands against time, and bounds with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hush.output.pictures import COLOURS, DASHES, label_ends
from hush.simulation.result import Result
from hush.simulation.summary import interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Guide", "Line", "draw", "tidy", "time_panel"]


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
    from matplotlib.figure import Figure

    width = 5.4 * len(panels) if len(panels) > 1 else 7.4
    figure = Figure(figsize=(width, 4.3 * len(times)), layout="constrained")
    grid = figure.subplots(len(times), len(panels), squeeze=False)
    names = list(dict.fromkeys(name for _, result in panels for name in short_labels(result)))
    for row, time in zip(grid, times, strict=True):
        for axes, (title, result) in zip(row, panels, strict=True):
            _panel(axes, result, names, time, guides)
            axes.set_title(title, fontsize=11)
    return figure


def short_labels(result: Result) -> list[str]:
    """Return short labels: parameters shared by all policies are left out."""
    shared = {each["epsilon"] for each in result.parameters if "epsilon" in each}
    text = f"epsilon={shared.pop():g}" if len(shared) == 1 else "epsilon"
    return [
        label.replace(f"({text})", "").replace(f"({text}, ", "(").removesuffix("()")
        for label in result.policies
    ]


@dataclass(frozen=True)
class Line:
    """One policy's regret against time: run x checkpoint, and how it is drawn."""

    name: str
    rounds: NDArray[np.float64]
    regret: NDArray[np.float64]
    colour: str
    dash: Any = "-"

    @property
    def end(self) -> tuple[float, str, str]:
        """Its last mean, name and colour."""
        return float(self.regret[:, -1].mean()), self.name, self.colour


def time_panel(axes: Axes, lines: Sequence[Line], *, time: str, log_regret: bool = False) -> None:
    """Draw mean regret with its 95 % band against time; names are written at the ends later."""
    longest = np.ones(1)
    for line in lines:
        mean, half, _ = interval(line.regret.T)
        axes.plot(line.rounds, mean, color=line.colour, linestyle=line.dash, linewidth=1.8)
        if np.isfinite(half).all():
            axes.fill_between(
                line.rounds, mean - half, mean + half, color=line.colour, alpha=0.18, linewidth=0
            )
        longest = max(longest, line.rounds, key=lambda rounds: float(rounds[-1]))
    axes.set_xscale(time)
    if longest.size > 1:
        axes.set_xlim(longest[0], longest[-1])
    if log_regret:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_xlabel("round" + (" (log scale)" if time == "log" else ""))
    axes.set_ylabel("mean regret" + (" (log scale)" if log_regret else ""))


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
        lines.append(Line(name, rounds, regret, COLOURS[style % len(COLOURS)], dash))
    time_panel(axes, lines, time=time, log_regret=bool(guides))
    ends = [line.end for line in lines]
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
