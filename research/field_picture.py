"""The picture of docs/field.md: every published figure relative to ours, and what explains it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hush.output.pictures import COLOURS, empty_figure
from hush.studies.report.published import AGREES, UNKNOWN, Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_field"]

GOOD, BAD, BLUE, GREY = COLOURS[2], COLOURS[1], COLOURS[0], "#9a9a9a"


def draw_field(compared: Sequence[Comparison]) -> Figure:
    """Draw a row for each published figure that can be compared.

    A filled dot is ours relative to what is published, green where both agree; ticks are other
    readings of the source, blue where they agree. The band is how far ours may be.
    """
    rows = [each for each in compared if each.verdict != UNKNOWN and not each.published.most]
    figure = empty_figure(9.6, 1.5 + 0.3 * len(rows))
    axes = figure.subplots()
    for place, each in enumerate(reversed(rows)):
        _row(axes, place, each)
    axes.axvline(1.0, color="black", linewidth=0.9, zorder=1)
    axes.set_xscale("log")
    axes.set_xlim(0.1, 10.0)
    axes.set_xticks([0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0])
    axes.set_xticklabels(["0.1", "0.2", "0.5", "as published", "2", "5", "10"], fontsize=9)
    axes.minorticks_off()
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels([_label(each) for each in reversed(rows)], fontsize=9)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("ours relative to what is published", fontsize=10)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    _legend(axes)
    return figure


def _label(each: Comparison) -> str:
    return f"{each.title}: {each.setting}, {each.theirs}"


def _row(axes: Axes, place: int, each: Comparison) -> None:
    published = each.published.value or 1.0
    low = max(1.0 - each.allowed / published, 0.1)
    axes.plot(
        [low, 1.0 + each.allowed / published], [place, place],
        color="#d8d8d8", linewidth=9, solid_capstyle="butt", zorder=0,
    )  # fmt: skip
    for attempt in each.attempts:
        colour = BLUE if attempt.agrees else GREY
        axes.plot(
            attempt.ours.mean / published, place, "|", color=colour, markersize=10,
            markeredgewidth=1.8 if attempt.agrees else 1.0, zorder=2 + attempt.agrees,
        )  # fmt: skip
    colour = GOOD if each.verdict == AGREES else BAD
    axes.plot(each.ours.mean / published, place, "o", color=colour, markersize=7, zorder=5)


def _legend(axes: Axes) -> None:
    from matplotlib.lines import Line2D

    def mark(shape: str, colour: str, text: str) -> Line2D:
        return Line2D([], [], marker=shape, linestyle="", color=colour, label=text, markersize=8)

    handles = [
        mark("o", GOOD, "agrees"),
        mark("o", BAD, "differs"),
        mark("|", BLUE, "another reading, which agrees"),
        mark("|", GREY, "another reading, which does not"),
        Line2D([], [], color="#d8d8d8", linewidth=9, label="allowed"),
    ]
    axes.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5, fontsize=9,
        frameon=False,
    )  # fmt: skip
