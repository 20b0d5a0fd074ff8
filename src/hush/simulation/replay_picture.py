"""Pictures of replays: what policies earn in a round, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hush.output.pictures import COLOURS, empty_figure
from hush.simulation.plotting import short_names
from hush.simulation.replay_result import Replay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_replay"]


def draw_replay(found: Replay, title: str | None = None) -> Figure:
    """Draw an estimate and its interval for each policy, the first one on top."""
    names = short_names(found.policies, found.parameters)
    figure = empty_figure(7.4, 1.4 + 0.42 * len(names))
    axes = figure.subplots()
    for place in range(len(names)):
        height, colour = len(names) - 1 - place, COLOURS[place % len(COLOURS)]
        value, low, high = found.estimate(place)
        axes.plot([low, high], [height, height], color=colour, linewidth=2.5)
        axes.plot([value], [height], "o", color=colour, markersize=6)
        axes.annotate(
            f"{value:.3f}", (high, height), (8, -3), textcoords="offset points", fontsize=8.5
        )
    axes.set_yticks(range(len(names)), list(reversed(names)))
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.margins(x=0.12)
    axes.set_xlabel(f"reward in a round, of {found.rounds:,}; 95 % interval")
    axes.grid(visible=True, axis="x", color="#eeeeee", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if title:
        axes.set_title(title, fontsize=11)
    return figure
