"""The tables and the picture of the study of the conjecture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_study", "study_tables"]

Tables = dict[str, pd.DataFrame]
RATE = "regret relative to ln K / min(Dmin, eps)"
SHARE = "regret relative to the paper's bound"
COINS = "regret relative to the bound for coins"


def study_tables(tables: Tables) -> Tables:
    """Return the tables that a reader wants to see, as text."""
    grouped = np.log(tables["growth"]["ratio"]).groupby(tables["growth"]["growth"])
    growth = pd.DataFrame(
        {
            "growth": [f"{each:g}" for each in grouped.groups],
            "regret relative to growth 2, on average": np.exp(grouped.mean()).map("{:.3f}".format),
            "least": np.exp(grouped.min()).map("{:.3f}".format),
            "most": np.exp(grouped.max()).map("{:.3f}".format),
        }
    )
    return {
        "rates": _rates_table(tables),
        "brackets": _brackets_table(tables),
        "growth": growth,
        "privacy": pd.concat(
            [_costs(part).assign(setting=name) for name, part in _settings(tables)]
        ),
        "figures": _figures(tables),
    }


def _figures(tables: Tables) -> pd.DataFrame:
    """Return the figures that the page's text quotes, in one row."""
    rates, brackets = tables["rates"], tables["brackets"]
    true = rates[rates["calibration"] == "replace"]
    few = true["actions"] <= 16
    single = brackets[(brackets["calibration"] == "replace") & (brackets["crowd"] == 1)]
    first, last = single.iloc[0], single.iloc[-1]
    means = np.log(tables["growth"]["ratio"]).groupby(tables["growth"]["growth"]).mean()
    printed = rates[rates["calibration"] == "as printed"]["to rate"].max()
    row = {
        "cells": str(len(rates)),
        "actions": f"{true['actions'].max():,}",
        "gap": f"2^{math.log2(rates['gap'].min()):.0f}",
        "worst": f"{true['to rate'].max():.2f}",
        "printed": f"{printed:.2f}",
        "few": f"{true[few]['to rate'].max():.2f}",
        "many": f"{true[~few]['to rate'].max():.2f}",
        "share": f"{100 * rates['to bound'].max():.1f} %",
        "coins": f"{100 * rates['to coins'].min():.0f} to {100 * rates['to coins'].max():.0f} %",
        "least": f"{first['brackets']:.0f}",
        "most": f"{last['brackets']:.0f}",
        "rate_first": f"{first['to rate']:.2f}",
        "rate_last": f"{last['to rate']:.2f}",
        "share_first": f"{first['to bound']:.5f}",
        "share_last": f"{last['to bound']:.5f}",
        "best": f"{means.idxmin():g}",
        "gain": f"{100 * (1 - math.exp(means.min())):.0f} %",
    }
    return pd.DataFrame([row])


def _rates_table(tables: Tables) -> pd.DataFrame:
    """Return regret relative to rate and bound, by family and number of actions."""
    rates = [
        {
            "family": family,
            "calibration": calibration,
            "actions K": f"{low:,}" if low == high else f"{low:,} to {high:,}",
            "cells": str(len(part)),
            RATE: _range(part["to rate"]),
            SHARE: _range(part["to bound"]),
            COINS: _range(part["to coins"]),
        }
        for (family, calibration), whole in tables["rates"].groupby(
            ["family", "calibration"], sort=False
        )
        for part in _thirds(whole)
        for low, high in [(part["actions"].min(), part["actions"].max())]
    ]
    return pd.DataFrame(rates)


def _brackets_table(tables: Tables) -> pd.DataFrame:
    """Return regret relative to rate and bound, by the number of brackets."""
    brackets = tables["brackets"]
    return pd.DataFrame(
        {
            "brackets": brackets["brackets"].astype(str),
            "actions in each": brackets["crowd"].astype(str),
            "calibration": brackets["calibration"],
            "regret": brackets["regret 2^40"].map("{:,.0f}".format),
            RATE: brackets["to rate"].map("{:.3f}".format),
            SHARE: brackets["to bound"].map("{:.5f}".format),
            COINS: brackets["to coins"].map("{:.3f}".format),
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


def draw_study(tables: Tables) -> Figure:
    """Draw the four parts, one panel each."""
    from matplotlib.figure import Figure

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
    axes.set_title("Regret relative to the rate ln K / min(Dmin, eps)")
    label_ends(axes, ends)


def _draw_brackets(axes: Axes, table: pd.DataFrame) -> None:
    from matplotlib.ticker import MaxNLocator

    from hush.output.pictures import label_ends

    table = table[table["calibration"] == "replace"]
    ends = []
    for number, (crowd, part) in enumerate(table.groupby("crowd", sort=False)):
        regret = part["regret 2^40"] * part["epsilon"]
        curves = (
            ("paper's bound", regret / part["to bound"], "--"),
            ("bound for coins", regret / part["to coins"], "-."),
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
    axes.set_title("Where rate and the paper's bound differ most")
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
    axes.set_ylabel("regret relative to growth 2 (log scale)")
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
