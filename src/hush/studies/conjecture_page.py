"""The tables, the picture and the page of the study of the conjecture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "brackets_table",
    "draw_rates_and_brackets",
    "draw_study",
    "page",
    "rates_table",
    "study_tables",
]

Tables = dict[str, pd.DataFrame]
RATE = "regret beside ln K / min(Dmin, eps)"
SHARE = "regret beside the proven bound"


def study_tables(tables: Tables) -> Tables:
    """Return the tables that a reader wants to see, as text."""
    grouped = np.log(tables["growth"]["ratio"]).groupby(tables["growth"]["growth"])
    growth = pd.DataFrame(
        {
            "growth": [f"{each:g}" for each in grouped.groups],
            "regret beside growth 2, on average": np.exp(grouped.mean()).map("{:.3f}".format),
            "least": np.exp(grouped.min()).map("{:.3f}".format),
            "most": np.exp(grouped.max()).map("{:.3f}".format),
        }
    )
    return {
        "rates": rates_table(tables),
        "brackets": brackets_table(tables),
        "growth": growth,
        **{f"privacy, {name}": _costs(part) for name, part in _settings(tables)},
    }


def rates_table(tables: Tables) -> pd.DataFrame:
    """Return regret beside rate and bound, by family and number of actions."""
    rates = [
        {
            "family": family,
            "calibration": calibration,
            "actions K": f"{low:,}" if low == high else f"{low:,} to {high:,}",
            "cells": str(len(part)),
            RATE: _range(part["to rate"]),
            SHARE: _range(part["to bound"]),
        }
        for (family, calibration), whole in tables["rates"].groupby(
            ["family", "calibration"], sort=False
        )
        for part in _thirds(whole)
        for low, high in [(part["actions"].min(), part["actions"].max())]
    ]
    return pd.DataFrame(rates)


def brackets_table(tables: Tables) -> pd.DataFrame:
    """Return regret beside rate and bound, by the number of brackets."""
    brackets = tables["brackets"]
    return pd.DataFrame(
        {
            "brackets": brackets["brackets"].astype(str),
            "actions in each": brackets["crowd"].astype(str),
            "calibration": brackets["calibration"],
            "regret": brackets["regret 2^40"].map("{:,.0f}".format),
            RATE: brackets["to rate"].map("{:.3f}".format),
            SHARE: brackets["to bound"].map("{:.5f}".format),
        }
    )


def _settings(tables: Tables) -> list[tuple[str, pd.DataFrame]]:
    return [(str(name), part) for name, part in tables["privacy"].groupby("setting", sort=False)]


def _thirds(part: pd.DataFrame) -> list[pd.DataFrame]:
    """Split by the number of actions: up to 16, up to 100, more."""
    limits = ((0, 16), (16, 100), (100, math.inf))
    split = [part[(part["actions"] > low) & (part["actions"] <= high)] for low, high in limits]
    return [each for each in split if len(each)]


def _range(values: pd.Series[float]) -> str:
    return f"{values.min():.2g} to {values.max():.2g}"


def _costs(part: pd.DataFrame) -> pd.DataFrame:
    wide = part.pivot_table(index="policy", columns="epsilon", values="regret", sort=False)
    text = wide.map(lambda value: f"{value:,.0f}" if value >= 100 else f"{value:.1f}")
    text.columns = pd.Index([f"eps {each:g}" for each in wide.columns])
    return text.reset_index()


def draw_study(tables: Tables, paths: Sequence[Path]) -> None:
    """Draw the four parts, one panel each."""
    from matplotlib.figure import Figure

    from hush.output.pictures import save_figure

    figure = Figure(figsize=(12.6, 9.4), layout="constrained")
    (rates, brackets), (growth, privacy) = figure.subplots(2, 2)
    _draw_rates(rates, tables["rates"])
    _draw_brackets(brackets, tables["brackets"])
    _draw_growth(growth, tables["growth"])
    _draw_privacy(privacy, *_settings(tables)[0])
    for axes in (rates, brackets, growth, privacy):
        axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.title.set_fontsize(11)
    for path in paths:
        save_figure(figure, path)


def draw_rates_and_brackets(tables: Tables) -> Figure:
    """Draw the two parts that the conjecture is about."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.6, 4.7), layout="constrained")
    rates, brackets = figure.subplots(1, 2)
    _draw_rates(rates, tables["rates"])
    _draw_brackets(brackets, tables["brackets"])
    sizes = tables["rates"].query("family == 'equal'")["actions"].unique()
    rates.set_xticks(sizes, [str(size) for size in sizes])
    rates.minorticks_off()
    for axes in (rates, brackets):
        axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.title.set_fontsize(11)
    return figure


End = tuple[float, str, str]


def _line(axes: Axes, x: Any, y: Any, name: str, number: int, dash: str = "-") -> End:  # noqa: ANN401
    """Draw a line; return its last value, its name and its colour."""
    from hush.output.pictures import COLOURS

    colour = COLOURS[number % len(COLOURS)]
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    axes.plot(x, y, dash, color=colour, linewidth=1.7, marker="o", markersize=3)
    axes.set_xlim(right=x[-1])
    return float(y[-1]), name, colour


def _family(name: str) -> str:
    return "packing" if name == "packing" else f"{name} gaps"


def _draw_rates(axes: Axes, table: pd.DataFrame) -> None:
    from hush.output.pictures import label_ends

    table = table[table["calibration"] == "replace"]
    # The doubling family has a few actions less than asked for, where its crowds are even.
    sizes = np.sort(table[table["family"] == "equal"]["actions"].unique())
    wanted = sizes[np.minimum(np.searchsorted(sizes, table["actions"]), sizes.size - 1)]
    ends = []
    for number, (family, part) in enumerate(table.groupby("family", sort=False)):
        worst = part["to rate"].groupby(wanted[table["family"] == family]).max()
        ends.append(_line(axes, worst.index, worst, _family(str(family)), number))
    axes.set_xscale("log")
    axes.set_xlim(sizes[0], sizes[-1])
    axes.set_ylim(0.0, 1.1 * max(value for value, _, _ in ends))
    axes.set_xlabel("actions K (log scale)")
    axes.set_ylabel("worst ratio over gaps and epsilons")
    axes.set_title("Regret beside the conjectured rate ln K / min(Dmin, eps)")
    label_ends(axes, ends)


def _draw_brackets(axes: Axes, table: pd.DataFrame) -> None:
    from matplotlib.ticker import MaxNLocator

    from hush.output.pictures import label_ends

    table = table[table["calibration"] == "replace"]
    ends = []
    for number, (crowd, part) in enumerate(table.groupby("crowd", sort=False)):
        regret = part["regret 2^40"] * part["epsilon"]
        curves = (
            ("proven bound", regret / part["to bound"], "--"),
            ("regret", regret, "-"),
            ("ln K", np.log(part["actions"]), ":"),
        )
        for name, values, dash in curves:
            label = f"{name}, {crowd} in each"
            ends.append(_line(axes, part["brackets"], values, label, number, dash))
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("brackets of doubling gaps, eps = Dmin")
    axes.set_ylabel("times eps (log scale)")
    axes.set_title("Where rate and proven bound differ most")
    label_ends(axes, ends)


def _draw_growth(axes: Axes, table: pd.DataFrame) -> None:
    from hush.output.pictures import COLOURS, label_ends

    ends = []
    for number, (family, part) in enumerate(table.groupby("family", sort=False)):
        logs = np.log(part["ratio"]).groupby(part["growth"])
        x, mean = np.array(list(logs.groups)), np.exp(logs.mean())
        low, high = np.exp(logs.min()), np.exp(logs.max())
        axes.fill_between(x, low, high, color=COLOURS[number], alpha=0.10, linewidth=0)
        ends.append(_line(axes, x, mean, _family(str(family)), number))
    axes.axhline(1.0, color="#888888", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_yticks([0.9, 1.0, 1.2, 1.5, 2.0], ["0.9", "1", "1.2", "1.5", "2"])
    axes.minorticks_off()
    axes.set_xlabel("growth: ratio of successive epochs")
    axes.set_ylabel("regret beside growth 2 (log scale)")
    axes.set_title("Epochs: mean and range over instances")
    label_ends(axes, ends, values=False)


def _draw_privacy(axes: Axes, setting: str, table: pd.DataFrame) -> None:
    from hush.output.pictures import COLOURS, label_ends

    ends = []
    for number, (name, part) in enumerate(table.groupby("policy", sort=False)):
        dash = "-" if number < len(COLOURS) else "--"
        part = part.sort_values("epsilon", ascending=False)  # noqa: PLW2901  towards less epsilon
        ends.append(_line(axes, part["epsilon"], part["regret"], str(name), number, dash))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(table["epsilon"].max(), table["epsilon"].min())
    axes.set_xlabel("epsilon (less to the right, log scale)")
    axes.set_ylabel("regret after 2^20 rounds (log scale)")
    axes.set_title(f"The cost of privacy: {setting}")
    label_ends(axes, ends)


def page(tables: Tables, command: str, picture: str) -> str:
    """Return the study's page; every number in it comes from the tables."""
    shown = study_tables(tables)
    rates, brackets = tables["rates"], tables["brackets"]
    true = rates[rates["calibration"] == "replace"]
    few, many = (true[_crowd(true, few)]["to rate"].max() for few in (True, False))
    single = brackets[(brackets["calibration"] == "replace") & (brackets["crowd"] == 1)]
    first, last = single.iloc[0], single.iloc[-1]
    means = np.log(tables["growth"]["ratio"]).groupby(tables["growth"]["growth"]).mean()
    return _PAGE.format(
        command=command,
        picture=picture,
        cells=len(rates),
        rates=_markdown(shown["rates"]),
        brackets=_markdown(shown["brackets"]),
        growth=_markdown(shown["growth"]),
        privacy="\n\n".join(
            f"### {name.removeprefix('privacy, ')}\n\n{_markdown(table)}"
            for name, table in shown.items()
            if name.startswith("privacy")
        ),
        actions=f"{true['actions'].max():,}",
        gap=f"2^{math.log2(rates['gap'].min()):.0f}",
        worst=f"{true['to rate'].max():.2f}",
        printed=f"{rates[rates['calibration'] == 'as printed']['to rate'].max():.2f}",
        few=f"{few:.2f}",
        many=f"{many:.2f}",
        share=f"{100 * rates['to bound'].max():.1f} %",
        most=f"{last['brackets']:.0f}",
        least=f"{first['brackets']:.0f}",
        rate_first=f"{first['to rate']:.2f}",
        rate_last=f"{last['to rate']:.2f}",
        share_first=f"{first['to bound']:.5f}",
        share_last=f"{last['to bound']:.5f}",
        best=f"{means.idxmin():g}",
        gain=f"{100 * (1 - math.exp(means.min())):.0f} %",
    )


def _crowd(table: pd.DataFrame, few: bool) -> pd.Series[bool]:
    return table["actions"] <= 16 if few else table["actions"] > 16


def _markdown(table: pd.DataFrame) -> str:
    rows = ["| " + " | ".join(map(str, table.columns)) + " |", "|" + "---|" * table.shape[1]]
    rows += ["| " + " | ".join(map(str, row)) + " |" for row in table.itertuples(index=False)]
    return "\n".join(rows)


_PAGE = """# The conjecture, looked at with exact regret

This page, its tables and its picture are written by

```console
$ {command}
```

The paper proves that RNM-FTNL's regret is at most a sum over *brackets* of gaps, `256 (1 + ln |J|)
/ min(D, eps)` each. It conjectures that `ln K / min(Dmin, eps)` is the right rate, even where gaps
double from action to action, which is where the proven bound is largest beside it. Regret is
computed here, not simulated ([how](theory.md)), at horizons up to 2^40, for two calibrations of
`RNMFTNL`: *replace* is the default (exponential noise of scale `2/eps`), *as printed* the paper's
(Laplace noise of scale `1/eps`, which is `2 eps`-private when a vector is replaced).

![Ratios to the rate, the doubling-gap instance, growth of epochs, cost of privacy]({picture})

## What it says

In all {cells} cells regret stays within a small factor of the conjectured rate: at most {worst}
times `ln K / min(Dmin, eps)` in the replace calibration and {printed} times as printed. Its
largest value in the replace calibration is {few} up to 16 actions and {many} up to {actions}. On
the doubling-gap instance with eps no larger than any gap, the ratio to the rate goes from
{rate_first} with {least} bracket to {rate_last} with {most}, while the ratio to the proven bound
falls from {share_first} to {share_last}. The bound adds up over brackets; regret grows with `ln
K` only. A heuristic reason: in an epoch of n rounds the actions with gaps below `1/(n eps)`
cannot be told from the best one and share the plays, and the others are rarely chosen. Such an
epoch costs about `1/eps` divided by the number of actions still in the race; that number falls
from epoch to epoch, and the sum of its inverses is `ln K`.

This supports the conjecture for this algorithm on these instances, and proves nothing. The
instances have independent coins, gaps of at least {gap}, and come from three families; a harder
family may exist. What is certain is that the proven constants leave much room: regret is nowhere
above {share} of the proven bound. Of the ratios of successive epochs tried, {best} is best on
average, with {gain} less regret than the printed 2.

## Regret beside the rate and the bound

A *cell* is one instance and one epsilon; ranges are over all cells of a row.

{rates}

## The doubling-gap instance

{brackets}

## Growth of the epochs

Gaps are shifted within a factor of 2, so that no ratio fits them by luck.

{growth}

## The cost of privacy

Regret after 2^20 rounds, exact for all policies but `ShrinkingDartboard`, which is simulated.

{privacy}
"""
