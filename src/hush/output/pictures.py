"""How Hush's pictures look: readable in print and by the colour-blind, with labels at the lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hush.extras import require
from hush.output.files import replaced

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hush.output.shown_figure import ShownFigure

__all__ = ["COLOURS", "DASHES", "empty_figure", "label_ends", "save_figure", "spread"]

# Okabe and Ito's palette, without its yellow, which is faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))


def empty_figure(width: float, height: float) -> ShownFigure:
    """Return a figure to draw on, so many inches large, that a notebook shows.

    >>> empty_figure(4.0, 3.0).get_size_inches().tolist()
    [4.0, 3.0]
    """
    require("a picture")
    from hush.output.shown_figure import ShownFigure

    return ShownFigure(figsize=(width, height), layout="constrained")


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
