"""Pictures of best-arm identification: how many samples runs took, policy by policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hush.output.pictures import COLOURS, empty_figure
from hush.simulation.identification_result import Identification
from hush.simulation.plotting import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_samples"]


def draw_samples(panels: Sequence[tuple[str, Identification]]) -> Figure:
    """Draw panels side by side: a line per policy from 5 to 95 % of its runs, on a log scale."""
    rows = max(len(found.policies) for _, found in panels)
    figure = empty_figure(5.6 * len(panels) + 1.4, 1.5 + 0.42 * rows)
    grid = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (title, found) in zip(grid, panels, strict=True):
        _panel(axes, found)
        axes.set_title(title, fontsize=11)
    return figure


def _panel(axes: Axes, found: Identification) -> None:
    names = short_names(found.policies, found.parameters)
    for place, samples in enumerate(found.samples):
        height, colour = len(names) - 1 - place, COLOURS[place % len(COLOURS)]
        low, middle, high = np.quantile(samples, (0.05, 0.5, 0.95))
        axes.plot([low, high], [height, height], color=colour, linewidth=2.5)
        axes.plot([middle], [height], "o", color=colour, markersize=6)
        axes.plot([samples.mean()], [height], "|", color=colour, markersize=15, markeredgewidth=1.6)
        bound = found.bound(place)
        if bound > 0.0:
            axes.plot([bound], [height], "<", color="#666666", markersize=5)
        text = f"{samples.mean():,.0f}"
        given_up = int(found.undecided[place])
        if given_up:
            text += f", {100.0 * given_up / found.runs:.2g} % undecided"
        where = (max(high, samples.mean()), height)
        axes.annotate(text, where, (8, -3), textcoords="offset points", fontsize=8.5)
    axes.set_yticks(range(len(names)), list(reversed(names)))
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 2.5)
    axes.set_xlabel("samples: 5 to 95 %, median (dot), mean (bar); lower bound (triangle)")
    axes.grid(visible=True, axis="x", color="#eeeeee", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
