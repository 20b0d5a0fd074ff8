"""The tables and the picture of the study of learners' intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd
from scipy.special import betaincinv

from hush.output.document import TableOf

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "LEVEL",
    "clopper_pearson",
    "coverage_table",
    "draw_widths",
    "policies_table",
    "widths_table",
]

CONFIDENCES = (0.9, 0.99)
LEVEL = 0.95  # of the widths
SHOWN = (127, 1023, 8191, 65_535, 1_048_575)
WHICH = {"best": "the best arm", "last": "the last arm", "all": "any arm"}


def clopper_pearson(hits: int, tries: int, error: float) -> tuple[float, float]:
    """Return the exact interval of a chance.

    >>> [round(end, 4) for end in clopper_pearson(0, 10, 0.05)]
    [0.0, 0.3085]
    """
    low = float(betaincinv(hits, tries - hits + 1, error / 2)) if hits else 0.0
    high = float(betaincinv(hits + 1, tries - hits, 1 - error / 2)) if hits < tries else 1.0
    return low, high


def coverage_table(data: pd.DataFrame) -> TableOf:
    """Return the share of runs in which an interval ever missed, with a 99 % interval."""
    rows = []
    for name, found in data.groupby("policy", sort=False):
        for confidence in CONFIDENCES:
            cells = []
            for which in WHICH:
                missed = int((found[which] <= math.log1p(-confidence)).sum())
                low, high = clopper_pearson(missed, len(found), 0.01)
                share = 100.0 * missed / len(found)
                cells.append(f"{share:.2f} % ({100 * low:.2f} to {100 * high:.2f})")
            rows.append((f"`{name}`", f"{confidence:g}", *cells))
    return TableOf(("policy", "confidence", *WHICH.values()), tuple(rows), numbers=False)


def policies_table(data: pd.DataFrame) -> TableOf:
    """Return how wide the best arm's interval is at the end of a run, relative to exact sums."""
    known = data.dropna(subset=["width"])
    known = known.assign(ratio=known["width"] / known["plain"])
    rows = []
    for name, found in known.groupby("policy", sort=False):
        low, middle, high = found["ratio"].quantile([0.05, 0.5, 0.95])
        rows.append(
            (
                f"`{name}`",
                f"{found['width'].median():.4f}",
                f"{found['plain'].median():.4f}",
                f"{middle:.2f} ({low:.2f} to {high:.2f})",
            )
        )
    columns = ("policy", "width", "of exact sums", "ratio (5 % to 95 % of runs)")
    return TableOf(columns, tuple(rows), numbers=False)


def widths_table(data: pd.DataFrame) -> TableOf:
    """Return median widths after some numbers of rewards."""
    middle = data.groupby(["mean", "rewards", "epsilon"])[["width", "plain", "once"]].median()
    epsilons = sorted(set(data["epsilon"]), reverse=True)
    rows = []
    for mean in dict.fromkeys(data["mean"]):
        for rewards in [n for n in SHOWN if n in set(data["rewards"])]:
            found = middle.loc[mean, rewards]
            once, plain = found.iloc[0][["once", "plain"]]
            noisy = [found.loc[epsilon, "width"] for epsilon in epsilons]
            cells = (f"{width:.4f} ({width / plain:.2f})" for width in noisy)
            rows.append((f"{mean:g}", f"{rewards:,}", f"{once:.4f}", f"{plain:.4f}", *cells))
    private = (f"epsilon {epsilon:g}" for epsilon in epsilons)
    columns = ("mean", "rewards", "looked at once", "exact sums", *private)
    return TableOf(columns, tuple(rows), numbers=False)


def draw_widths(data: pd.DataFrame) -> Figure:
    """Draw median widths against the number of rewards, a panel for each mean."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS, label_ends

    means = list(dict.fromkeys(data["mean"]))
    epsilons = sorted(set(data["epsilon"]))
    figure = Figure(figsize=(11.0, 4.2), layout="constrained")
    ends: dict[float, list[tuple[float, str, str]]] = {mean: [] for mean in means}
    for axes, mean in zip(figure.subplots(1, len(means), sharey=True), means, strict=True):
        found = data[data["mean"] == mean]
        private = found.groupby(["epsilon", "rewards"])["width"].median()
        plain, once = (found.groupby("rewards")[name].median() for name in ("plain", "once"))
        curves = [(f"epsilon {epsilon:g}", private.loc[epsilon], "o-") for epsilon in epsilons]
        curves += [("exact sums", plain, "s-"), ("exact, once", once, "--")]
        colours = (*COLOURS[:3], COLOURS[6], "#777777")
        for colour, (name, curve, style) in zip(colours, curves, strict=True):
            axes.plot(curve.index, curve, style, color=colour, markersize=3)
            ends[mean].append((float(curve.iloc[-1]), name, colour))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(1, curve.index[-1])
        axes.set_title(f"mean {mean:g}", fontsize=10, loc="left")
        axes.set_xlabel("released rewards of the arm")
        axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    for axes, mean in zip(figure.axes, means, strict=True):  # by now they know their common scale
        label_ends(axes, ends[mean], values=False)
    figure.axes[0].set_ylabel(f"median width of the {100 * LEVEL:g} % interval")
    return figure
