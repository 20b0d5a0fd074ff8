"""The tables and the picture of the study of best-arm identification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_study", "study_tables"]

MARKS = {
    "DPTT, heuristic": "s",
    "DPTT, stated": "D",
    "AdaPTTStar, heuristic": "v",
    "AdaPTTStar, stated": "^",
}


def study_tables(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables that a reader wants to see."""
    ours, rivals = tables["ours"], tables["rivals"]
    return {
        "instances": _instances(ours),
        "samples": _samples(ours, rivals),
        "rivals": _errors(rivals),
        "published": _published(tables["published"]),
        "others": _others(tables["others"]),
        "halving": _halving(tables["halving"]),
    }


def _rows(frame: pd.DataFrame) -> list[Any]:
    return list(frame.itertuples(index=False))


def _case(row: Any) -> str:  # noqa: ANN401  a row of a data frame
    return f"{row.instance}, eps {row.epsilon:g}"


def _instances(ours: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {
            "instance": _case(row),
            "arms": str(row.arms),
            "delta": f"{row.delta:g}",
            "runs": f"{row.runs:,}",
            "mean": f"{row.mean:,.0f}",
            "median": f"{row.median:,.0f}",
            "99.9 %": f"{row.q999:,.0f}",
            "worst": f"{row.worst:,.0f}",
            "wrong": str(row.wrong),
            "99 % limit": f"{row.limit:.3%}",
            "undecided": str(row.undecided),
        }
        for row in _rows(ours)
    ]
    return pd.DataFrame(rows)


def _samples(ours: pd.DataFrame, rivals: pd.DataFrame) -> pd.DataFrame:
    """Return mean samples side by side; a mean with undecided runs is too small, and says so."""
    rows = []
    for row in _rows(ours):
        shown = {
            "instance": _case(row),
            "lower bound": f"{row.bound:,.0f}",
            "NoiseAwareBAI": _mean(row),
        }
        here = rivals[(rivals["instance"] == row.instance) & (rivals["epsilon"] == row.epsilon)]
        for rival in _rows(here):
            shown[str(rival.policy)] = _mean(rival)
        rows.append(shown)
    return pd.DataFrame(rows)


def _mean(row: Any) -> str:  # noqa: ANN401
    text = f"{row.mean:,.0f}"
    return f"> {text}" if row.undecided else text


def _errors(rivals: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (instance, epsilon), here in rivals.groupby(["instance", "epsilon"], sort=False):
        first = _rows(here)[0]
        shown = {"instance": f"{instance}, eps {epsilon:g}", "delta": f"{first.delta:g}"}
        for row in _rows(here):
            text = f"{row.wrong}"
            if row.undecided:
                text += f", {row.undecided} undecided"
            shown[str(row.policy)] = text
        rows.append(shown)
    return pd.DataFrame(rows)


def _others(others: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {
            "policy": f"`{row.policy}`",
            "runs": str(row.runs),
            "mean samples": _mean(row),
            "median": f"{row.median:,.0f}",
            "wrong": str(row.wrong),
            "undecided": str(row.undecided),
        }
        for row in _rows(others)
    ]
    return pd.DataFrame(rows)


def _published(published: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for _, here in published.groupby("epsilon", sort=False):
        theirs, ours = _rows(here)
        rows.append(
            {
                "epsilon": f"{theirs.epsilon:g}",
                "lower bound": f"{theirs.bound:,.0f}",
                "DP-TT, published": f"{theirs.published:,.0f}",
                "`DPTT`, heuristic: mean": _mean(theirs),
                "its median": f"{theirs.median:,.0f}",
                "undecided": f"{theirs.undecided / theirs.runs:.0%}",
                "wrong": f"{theirs.wrong / theirs.runs:.0%}",
                "`NoiseAwareBAI`: mean": _mean(ours),
                "median": f"{ours.median:,.0f}",
                "worst": f"{ours.worst:,.0f}",
            }
        )
    return pd.DataFrame(rows)


def _halving(halving: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {
            "epsilon": f"{row.epsilon:g}",
            "budget": f"{row.budget:,}",
            "exact error": f"{row.exact:.3g}",
            "simulated": f"{row.wrong / row.runs:.3g}",
            "runs": f"{row.runs:,}",
        }
        for row in _rows(halving)
    ]
    return pd.DataFrame(rows)


def draw_study(tables: dict[str, pd.DataFrame]) -> Figure:
    """Draw mean samples on all instances, on a log scale."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS

    ours, rivals = tables["ours"], tables["rivals"]
    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    axes = figure.subplots()
    names = [_case(row) for row in _rows(ours)]
    height = {name: len(names) - 1 - place for place, name in enumerate(names)}
    colours = dict(zip(MARKS, COLOURS[1:], strict=False))
    for row in _rows(ours):
        at = height[_case(row)]
        axes.axhline(at, color="#eeeeee", linewidth=0.8, zorder=0)
        axes.plot([row.bound], [at], "<", color="#666666", markersize=6)
        axes.plot([row.mean], [at], "o", color=COLOURS[0], markersize=8)
    for row in _rows(rivals):
        name = str(row.policy)
        filled = "none" if row.undecided else colours[name]
        axes.plot(
            [row.mean],
            [height[_case(row)]],
            MARKS[name],
            color=colours[name],
            markerfacecolor=filled,
            markersize=6.5,
        )
    axes.plot([], [], "<", color="#666666", label="lower bound")
    axes.plot([], [], "o", color=COLOURS[0], label="NoiseAwareBAI")
    for name, mark in MARKS.items():
        axes.plot([], [], mark, color=colours[name], label=name)
    axes.plot([], [], "s", color="#666666", markerfacecolor="none", label="with undecided runs")
    axes.set_yticks(list(height.values()), list(height))
    axes.set_xscale("log")
    axes.set_xlabel("mean samples until an arm is named")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    axes.grid(visible=True, axis="x", color="#eeeeee", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
