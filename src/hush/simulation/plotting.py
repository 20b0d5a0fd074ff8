"""Pictures of regret: readable in print and by the colour-blind, with labels at the lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hush.simulation.files import replaced
from hush.simulation.result import Result, interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Guide", "draw", "label_ends", "save_figure", "spread"]

# Okabe and Ito's palette, without its yellow, which is faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))


@dataclass(frozen=True)
class Guide:
    """A curve to draw beside a policy's regret: a bound, at the result's checkpoints."""

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


def _panel(
    axes: Axes, result: Result, names: list[str], time: str, guides: Sequence[Guide]
) -> None:
    rounds = result.checkpoints.astype(np.float64)
    ends = []
    for position, name in enumerate(short_labels(result)):
        style = names.index(name)
        colour = COLOURS[style % len(COLOURS)]
        mean, half, _ = interval(result.regret[position].T)
        # Dashes tell bounds from regret where there are bounds.
        dash = "-" if guides else DASHES[style % len(DASHES)]
        axes.plot(rounds, mean, color=colour, linestyle=dash, linewidth=1.8)
        if result.runs > 1:
            axes.fill_between(
                rounds, mean - half, mean + half, color=colour, alpha=0.18, linewidth=0
            )
        ends.append((float(mean[-1]), name, colour))
    for same in _distinct(guides):
        guide = same[0]
        label, colour = guide.name, "#555555"
        if len(same) == 1 or result.regret.shape[0] == 1:
            name = short_labels(result)[guide.position]
            label, colour = f"{name}: {label}", COLOURS[names.index(name) % len(COLOURS)]
        _guide(axes, rounds, guide, colour)
        ends.append((float(guide.values[-1]), label, colour))
    if time == "log":
        axes.set_xscale("log")
    axes.set_xlim(rounds[0], rounds[-1])
    if guides:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_xlabel("round" + (" (log scale)" if time == "log" else ""))
    axes.set_ylabel("mean regret" + (" (log scale)" if guides else ""))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    label_ends(axes, ends)


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


def _height(axes: Axes, value: float) -> float:
    """Return where a value stands on the vertical axis, from 0 to 1."""
    low, top = axes.get_ylim()
    if axes.get_yscale() == "log":
        return float(np.log(max(value, low) / low) / np.log(top / low))
    return (value - low) / (top - low)


def label_ends(axes: Axes, ends: list[tuple[float, str, str]], *, values: bool = True) -> None:
    """Write each line's name at its end, and its last value, apart where they would overlap."""
    from matplotlib.collections import LineCollection

    ordered = sorted(ends)
    at = [_height(axes, value) for value, _, _ in ordered]
    heights = spread(at, 0.055)
    for height, (value, name, colour) in zip(heights, ordered, strict=True):
        shown = f"{value:,.0f}" if value >= 10.0 else f"{value:.2g}"
        text = f"{name} {shown}" if values else name
        axes.text(
            1.03, height, text, transform=axes.transAxes, color=colour, fontsize=8.5, va="center"
        )
    # One collection: the arrows of annotations take longer to draw than all the rest.
    leaders = LineCollection(
        [[(1.0, start), (1.026, end)] for start, end in zip(at, heights, strict=True)],
        colors=[colour for _, _, colour in ordered],
        linewidths=0.6,
        transform=axes.transAxes,
        clip_on=False,
    )
    axes.add_collection(leaders, autolim=False)


def spread(wanted: Sequence[float], least: float) -> list[float]:
    """Move sorted heights as little as possible so that neighbours are ``least`` apart.

    Without the spacing they must not fall, which is a regression that pools those who do. What
    would stand above the top is moved down.

    >>> [round(each, 3) for each in spread([0.2, 0.5, 0.5], 0.1)]
    [0.2, 0.45, 0.55]
    """
    pools: list[list[float]] = []
    for place, height in enumerate(wanted):
        pools.append([height - place * least])
        while len(pools) > 1 and _mean(pools[-2]) > _mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    flat = [_mean(pool) for pool in pools for _ in pool]
    heights = [each + place * least for place, each in enumerate(flat)]
    top = 1.0
    for place in reversed(range(len(heights))):
        heights[place] = min(heights[place], top)
        top = heights[place] - least
    return heights


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure, whole or not at all, with nothing in it that changes from day to day."""
    from matplotlib import rc_context

    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with replaced(path) as temporary, rc_context({"svg.hashsalt": "hush"}):
        figure.savefig(temporary, dpi=150, metadata=dated.get(path.suffix.lower()))
