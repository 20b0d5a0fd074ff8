"""The tables and the picture of the study of NoiseAwareIMED."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hush.output.numbers import with_interval
from research.confidence_tables import clopper_pearson

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_study", "study_tables", "unseen_ratios"]

POINTS = {
    "least": 0.0,
    "5 %": 0.05,
    "25 %": 0.25,
    "median": 0.5,
    "75 %": 0.75,
    "95 %": 0.95,
    "most": 1.0,
}
OURS, OLD, RIVAL = "NoiseAwareIMED", "NoiseAwareTS before", "DPKLUCB"


def study_tables(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables that a reader wants to see."""
    return {
        "choices": _choices(tables["choose"]),
        "cells": _cells(tables["cells"]),
        "unseen": _unseen(tables["unseen"]),
        "worst": _worst(tables["unseen"]),
        "bound": _bound(tables["bound"]),
        "corners": _corners(tables["corners"]),
    }


def _choices(table: pd.DataFrame) -> pd.DataFrame:
    """Return the geometric mean of the ratios to the default, with its 95 % interval."""
    grouped = np.log(table["ratio"]).groupby(table["choice"], sort=False)
    half = 1.96 * grouped.std() / np.sqrt(grouped.size())
    shown = [
        f"{math.exp(mean):.3f} ({math.exp(mean - h):.3f} to {math.exp(mean + h):.3f})"
        for mean, h in zip(grouped.mean(), half, strict=True)
    ]
    return pd.DataFrame(
        {"constants": list(grouped.groups), "regret relative to the default's": shown}
    )


def _cells(table: pd.DataFrame) -> pd.DataFrame:
    keys = ["setting", "epsilon"]
    old = table[table["policy"] == OLD].set_index(keys)
    rows = []
    for each in table.to_dict("records"):
        than = old.loc[(each["setting"], each["epsilon"])]
        rows.append(
            {
                "setting": each["setting"],
                "epsilon": each["epsilon"],
                "policy": each["policy"],
                "mean, 99 %": with_interval(each["mean"], each["low"], each["high"], 1),
                "relative to TS before": f"{each['mean'] / than['mean']:.3f}",
                "median": f"{each['median']:,.0f}",
                "99.9 %": with_interval(each["q999"], each["q999_low"], each["q999_high"], 0),
                "worst": f"{each['worst']:,.0f}",
                "to the bound": f"{each['to_bound']:.2f}",
            }
        )
    return pd.DataFrame(rows)


def unseen_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Return the ratios of the means: to each rival, and to the better of the two."""
    better = table[[OLD, RIVAL]].min(axis=1)
    return pd.DataFrame(
        {
            "to NoiseAwareTS before": _over(table[OURS], table[OLD]),
            "to DPKLUCB": _over(table[OURS], table[RIVAL]),
            "to the better of the two": _over(table[OURS], better),
            "NoiseAwareTS to itself before": _over(table["NoiseAwareTS"], table[OLD]),
        }
    )


def _over(ours: pd.Series[float], other: pd.Series[float]) -> pd.Series[float]:
    """Return ratios; where nobody has any regret, 1."""
    return (ours / other).where((ours > 0) | (other > 0), 1.0)


def _unseen(table: pd.DataFrame) -> pd.DataFrame:
    ratios = unseen_ratios(table)
    shown = {"quantile of instances": list(POINTS)}
    for name in map(str, ratios):
        shown[name] = [f"{np.quantile(ratios[name], point):.2f}" for point in POINTS.values()]
    spread = pd.DataFrame(shown)
    rows = [{"quantile of instances": "geometric mean"}]
    rows[0] |= {name: f"{np.exp(np.log(ratios[name]).mean()):.3f}" for name in map(str, ratios)}
    parts = {"share up to 1.1": ratios}
    parts |= {f"of seed {seed}": ratios[table["seed"] == seed] for seed in table["seed"].unique()}
    for part, found in parts.items():
        share = {name: f"{(found[name] <= 1.1).mean():.1%}" for name in map(str, found)}
        rows.append({"quantile of instances": part, **share})
    return pd.concat([spread, pd.DataFrame(rows)], ignore_index=True)


def _worst(table: pd.DataFrame) -> pd.DataFrame:
    shown = table.assign(ratio=unseen_ratios(table)["to the better of the two"])
    shown = shown.sort_values("ratio", ascending=False).head(8)
    return pd.DataFrame(
        {
            "means": shown["kind"],
            "arms": shown["arms"],
            "epsilon": shown["epsilon"].map("{:.3f}".format),
            "rounds": shown["horizon"].map("{:.1e}".format),
            OURS: shown[OURS].map("{:,.1f}".format),
            OLD: shown[OLD].map("{:,.1f}".format),
            RIVAL: shown[RIVAL].map("{:,.1f}".format),
            "to the better": shown["ratio"].map("{:.2f}".format),
        }
    )


def _bound(table: pd.DataFrame) -> pd.DataFrame:
    shown = table.copy()
    shown["horizon"] = shown["horizon"].map("{:.0e}".format)
    for column, form in (("mean", "{:,.0f}"), ("bound", "{:,.0f}"), ("ratio", "{:.2f}")):
        shown[column] = shown[column].map(form.format)
    return shown


def _corners(table: pd.DataFrame) -> pd.DataFrame:
    rows = []
    keys = ["corner", "means", "epsilon", "horizon"]
    for _, group in table.groupby(keys, sort=False):
        ours = group[group["policy"] == OURS].iloc[0]
        others = group[group["policy"] != OURS]
        best = others.sort_values("mean").iloc[0]
        means = str(ours["means"])
        low, high = clopper_pearson(int(ours["stuck"]), int(ours["runs"]), 0.01)
        rows.append(
            {
                "corner": ours["corner"],
                "means": means + (" ..." if means.count(" ") == 4 else ""),
                "epsilon": ours["epsilon"],
                **{
                    name: f"{group[group['policy'] == name].iloc[0]['mean']:,.1f}"
                    for name in (OURS, "NoiseAwareTS", OLD, RIVAL)
                },
                "best other": f"{best['policy']} {best['mean']:,.1f}",
                "ratio": f"{ours['mean'] / best['mean']:.2f}",
                "stuck runs": f"{ours['stuck']} of {ours['runs']:,}",
                "share, 99 %": f"{low:.4%} to {high:.4%}",
            }
        )
    return pd.DataFrame(rows)


def draw_study(tables: dict[str, pd.DataFrame]) -> Figure:
    """Draw the ratios on unseen instances, and the regret relative to the bound."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS

    figure = Figure(figsize=(10.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    ratios = unseen_ratios(tables["unseen"])
    for colour, name in zip(COLOURS, list(ratios)[:3], strict=False):
        ordered = np.sort(ratios[name])
        share = (np.arange(ordered.size) + 0.5) / ordered.size
        left.plot(ordered, share, color=colour, linewidth=2, label=name)
    left.axvline(1.0, color="#888888", linewidth=0.8)
    left.set_xscale("log")
    left.set_xticks([0.1, 0.2, 0.5, 1.0, 2.0], ["0.1", "0.2", "0.5", "1", "2"])
    left.minorticks_off()
    left.set_xlabel(f"regret relative to others', {len(ratios)} unseen instances")
    left.set_ylabel("share of instances")
    left.legend(frameon=False)
    reached = tables["bound"]
    for place, ((setting, epsilon), group) in enumerate(reached.groupby(["setting", "epsilon"])):
        style = "-" if setting == "S1" else "--"
        right.plot(
            group["horizon"],
            group["ratio"],
            style,
            marker="o",
            color=COLOURS[place % 3],
            label=f"{setting}, epsilon {epsilon:g}",
        )
    right.axhline(1.0, color="#888888", linewidth=0.8)
    right.set_xscale("log")
    right.set_xlabel("rounds")
    right.set_ylabel("regret relative to the bound times ln T")
    right.set_ylim(bottom=0.0)
    right.legend(frameon=False, ncol=2)
    for axes in (left, right):
        axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    return figure
