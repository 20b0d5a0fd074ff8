"""The tables and the picture of the study of NoiseAwareTS."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hush.output.numbers import with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_study", "study_tables"]


def study_tables(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables that a reader wants to see."""
    choices = _ratios(tables["choose"], "choice")
    ratio = tables["unseen"]["ratio"]
    points = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
    spread = pd.DataFrame(
        {
            "quantile of instances": ["least", "5 %", "25 %", "median", "75 %", "95 %", "most"],
            "regret relative to DPKLUCB's": [f"{np.quantile(ratio, p):.2f}" for p in points],
        }
    )
    below = tables["bound"].copy()
    below["horizon"] = below["horizon"].map("{:.0e}".format)
    for column, form in (("mean", "{:,.0f}"), ("bound", "{:,.0f}"), ("ratio", "{:.2f}")):
        below[column] = below[column].map(form.format)
    dropped = _ratios(tables["early"], "releases")
    return {
        "choices": choices,
        "early": dropped,
        "cells": cells_table(tables["cells"]),
        "unseen": spread,
        "bound": below,
    }


def cells_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's cells: regret with its interval, and how bad runs get."""
    measured = cells.copy()
    measured["regret, 99 %"] = [
        f"{kind} {with_interval(value, low, high, 1)}"
        for kind, value, low, high in cells[["kind", "regret", "low", "high"]].to_numpy().tolist()
    ]
    for column in ("median", "q999", "worst"):
        measured[column] = measured[column].map("{:,.0f}".format)
    measured["runs"] = measured["runs"].map("{:,}".format)
    return measured[
        ["setting", "epsilon", "policy", "runs", "regret, 99 %", "median", "q999", "worst"]
    ].rename(columns={"q999": "99.9 %"})


def _ratios(table: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the geometric mean of the ratios to the default, with its 95 % interval."""
    grouped = np.log(table["ratio"]).groupby(table[what], sort=False)
    half = 1.96 * grouped.std() / np.sqrt(grouped.size())
    return pd.DataFrame(
        {
            what: list(grouped.groups),
            "regret relative to the default's": [
                f"{math.exp(mean):.3f} ({math.exp(mean - h):.3f} to {math.exp(mean + h):.3f})"
                for mean, h in zip(grouped.mean(), half, strict=True)
            ],
        }
    )


def draw_study(tables: dict[str, pd.DataFrame]) -> Figure:
    """Draw what was tried, and the ratios on unseen instances."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS

    figure = Figure(figsize=(10.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    chosen = tables["choose"]
    names = list(dict.fromkeys(chosen["choice"]))
    for place, name in enumerate(reversed(names)):
        ratios = chosen.loc[chosen["choice"] == name, "ratio"]
        logs = np.log(ratios)
        half = 1.96 * logs.std() / math.sqrt(len(logs))
        mean = math.exp(logs.mean())
        left.plot(ratios, [place] * len(ratios), ".", color="#cccccc", markersize=4)
        ends = [math.exp(logs.mean() - half), math.exp(logs.mean() + half)]
        left.plot(ends, [place, place], color=COLOURS[0], linewidth=2)
        left.plot([mean], [place], "o", color=COLOURS[0], markersize=5)
    left.set_yticks(range(len(names)), list(reversed(names)))
    left.axvline(1.0, color="#888888", linewidth=0.8)
    left.set_xscale("log")
    left.set_xlim(0.6, 2.2)
    left.set_xticks([0.7, 1.0, 1.4, 2.0], ["0.7", "1", "1.4", "2"])
    left.minorticks_off()
    left.set_xlabel("regret relative to the default's, per random instance and on average")
    ratio = np.sort(tables["unseen"]["ratio"])
    share = (np.arange(ratio.size) + 0.5) / ratio.size
    right.plot(ratio, share, color=COLOURS[1], linewidth=2)
    median = float(np.median(ratio))
    right.plot([median], [0.5], "o", color=COLOURS[1])
    right.annotate(
        f"median {median:.2f}", (median, 0.5), xytext=(8, -4), textcoords="offset points"
    )
    right.axvline(1.0, color="#888888", linewidth=0.8)
    right.set_xlabel(f"regret relative to DPKLUCB's, {ratio.size} unseen instances")
    right.set_ylabel("share of instances")
    for axes in (left, right):
        axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    return figure
