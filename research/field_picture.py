"""The picture of docs/field.md: our figures relative to published ones, and what explains them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hush.output.pictures import COLOURS, empty_figure
from hush.studies.report.comparisons import AGREES, REALISED, UNKNOWN, Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_field"]

GOOD, BAD, BLUE, GREY, BAND = COLOURS[2], COLOURS[1], COLOURS[0], "#a8a8a8", "#dfe6ea"
TICKS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
LOWEST, HIGHEST = 0.09, 6.0


def draw_field(compared: Sequence[Comparison]) -> Figure:
    """Draw a row for each published figure that can be compared, below the name of its source.

    A dot is ours relative to what is published, green where both agree; ticks are other readings of
    the source, blue where they agree. The band is how far ours may be.
    """
    rows = [each for each in compared if each.verdict != UNKNOWN and not each.published.most]
    titles = list(dict.fromkeys(each.title for each in rows))
    height = len(rows) + len(titles)
    figure = empty_figure(9.6, 1.3 + 0.27 * height)
    axes = figure.subplots()
    place = height
    for title in titles:
        place -= 1
        _text(axes, place, title, weight="bold")
        for each in rows:
            if each.title == title:
                place -= 1
                _text(axes, place, f"{each.place}:  {each.theirs}")
                _row(axes, place, each)
    _frame(axes, height)
    return figure


def _text(axes: Axes, place: int, text: str, weight: str = "normal") -> None:
    shown = text.replace("epsilon", "\N{GREEK SMALL LETTER EPSILON}")
    shown = shown.replace("rho", "\N{GREEK SMALL LETTER RHO}")
    axes.text(
        -0.02, place, shown, transform=axes.get_yaxis_transform(), ha="right", va="center",
        fontsize=9, fontweight=weight,
    )  # fmt: skip


def _frame(axes: Axes, height: int) -> None:
    axes.axvline(1.0, color="black", linewidth=0.8, zorder=1)
    axes.set_xscale("log")
    axes.set_xlim(LOWEST, HIGHEST)
    axes.set_xticks(TICKS)
    axes.set_xticklabels([f"{each:g}" for each in TICKS], fontsize=9)
    axes.minorticks_off()
    axes.set_yticks([])
    axes.set_ylim(-0.7, height - 0.3)
    axes.set_xlabel("ours / published", fontsize=10)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    _legend(axes)


def _row(axes: Axes, place: int, each: Comparison) -> None:
    published = each.published.value or 1.0
    share = each.allowed / published
    axes.plot(
        [max(1.0 - share, LOWEST), min(1.0 + share, HIGHEST)], [place, place],
        color=BAND, linewidth=10, solid_capstyle="butt", zorder=0,
    )  # fmt: skip
    for attempt in each.attempts:
        if attempt.name == REALISED:
            continue  # the same figure, with a wider band
        axes.plot(
            attempt.ours.mean / published, place, "|", color=BLUE if attempt.agrees else GREY,
            markersize=11, markeredgewidth=2.2 if attempt.agrees else 1.1,
            zorder=3 + attempt.agrees,
        )  # fmt: skip
    colour = GOOD if each.verdict == AGREES else BAD
    axes.plot(each.ours.mean / published, place, "o", color=colour, markersize=6.5, zorder=5)


def _legend(axes: Axes) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def mark(shape: str, colour: str, text: str, width: float = 1.0) -> Line2D:
        return Line2D(
            [], [], marker=shape, linestyle="", color=colour, label=text, markersize=8,
            markeredgewidth=width,
        )  # fmt: skip

    handles = [
        mark("o", GOOD, "ours agrees"),
        mark("o", BAD, "ours differs"),
        mark("|", BLUE, "another reading agrees", 2.2),
        mark("|", GREY, "another reading differs"),
        Patch(color=BAND, label="allowed"),
    ]
    axes.figure.legend(
        handles=handles, loc="outside upper center", ncols=5, fontsize=9, frameon=False,
        handletextpad=0.4, columnspacing=1.6,
    )  # fmt: skip
