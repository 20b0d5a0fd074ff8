"""Tables and the picture of the study on real outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hush.output.document import TableOf
from hush.output.numbers import shown, with_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_study", "study_tables"]

Frames = Mapping[str, pd.DataFrame]
NONE = "none"
DRAWN = ("NoiseAwareTS", "DPKLUCB", "LazyDPTS", "AnytimeLazyUCB")


def study_tables(frames: Frames) -> dict[str, TableOf]:
    """Return the tables of the page."""
    coins, persons = frames["coins"], frames["persons"]
    patients = int(coins["horizon"].min())
    small, long = coins[coins["horizon"] == patients], coins[coins["horizon"] > patients]
    return {
        "arms": _arms(frames["arms"]),
        "trial": _trial(frames["trial"]),
        "price": _by_epsilon(small, "mean", "error"),
        "worst": _by_epsilon(
            small[small["outcome"] == "event-free"], "worst treatment", "error of worst"
        ),
        "long": _by_epsilon(long, "mean", "error"),
        "persons": _persons(persons),
        "bounds": _bounds(persons[persons["epsilon"] == 1.0]),
        "coverage": _coverage(frames["coverage"]),
        "sizes": _sizes(frames),
    }


def _number(epsilon: float) -> str:
    return f"{epsilon:g}" if np.isfinite(epsilon) else NONE


def _error(value: float, error: float) -> str:
    if error < 1e-9:
        return shown(value)
    return f"{shown(value)} ± {f'{error:.0f}' if error >= 1.0 else f'{error:.1g}'}"


def _arms(frame: pd.DataFrame) -> TableOf:
    rows = [
        (row["log"], str(row["arm"]), f"{row['rows']:,}", f"{row['rate']:.3f}")
        for row in frame.to_dict("records")
    ]
    return TableOf(("log", "arm", "rows", "mean reward"), tuple(rows), numbers=False)


def _trial(frame: pd.DataFrame) -> TableOf:
    columns = (
        "policy", "epsilon", "event-free", "difference from the first",
        "given zidovudine alone",
    )  # fmt: skip
    rows: list[tuple[str, ...]] = []
    for row in frame.to_dict("records"):
        ends = row["difference"], row["difference low"], row["difference high"]
        rows.append(
            (
                f"`{row['policy']}`",
                _number(row["epsilon"]),
                with_interval(row["value"], row["low"], row["high"], decimals=3),
                "" if not rows else with_interval(*ends, decimals=3),
                f"{row['zidovudine alone']:.0%}",
            )
        )
    return TableOf(columns, tuple(rows), numbers=False)


def _by_epsilon(frame: pd.DataFrame, figure: str, error: str) -> TableOf:
    """Return a row for each outcome and policy, and a column for each epsilon."""
    several = frame["outcome"].nunique() > 1
    epsilons = sorted(each for each in frame["epsilon"].unique() if np.isfinite(each))
    rows = []
    for (outcome, policy), cells in frame.groupby(["outcome", "policy"], sort=False):
        found = {
            row["epsilon"]: _error(row[figure], row[error]) for row in cells.to_dict("records")
        }
        head = (str(outcome), f"`{policy}`") if several else (f"`{policy}`",)
        line = [found.get(each, "") for each in (*epsilons, np.inf)]
        rows.append((*head, *line))
    heads = ("outcome", "policy") if several else ("policy",)
    names = (*(f"eps {each:g}" for each in epsilons), "no privacy")
    return TableOf((*heads, *names), tuple(rows), numbers=False)


def _persons(frame: pd.DataFrame) -> TableOf:
    names = {"reward": "each reward", "cap of 5": "person, all rewards", "cap of 1": "person, one"}
    rows = []
    for (policy, epsilon), cells in frame.groupby(["policy", "epsilon"], sort=False):
        found = {
            row["promise"]: _error(row["mean"], row["error"]) for row in cells.to_dict("records")
        }
        rows.append((f"`{policy}`", f"{epsilon:g}", *(found[each] for each in names)))
    return TableOf(("policy", "epsilon", *names.values()), tuple(rows), numbers=False)


def _bounds(frame: pd.DataFrame) -> TableOf:
    caps = [*(f"cap of {bound}" for bound in (1, 2, 3, 5)), "cap of 1, in a row"]
    rows = []
    for policy, cells in frame.groupby("policy", sort=False):
        found = {
            row["promise"]: _error(row["mean"], row["error"]) for row in cells.to_dict("records")
        }
        rows.append((f"`{policy}`", *(found[each] for each in caps)))
    return TableOf(("policy", *caps), tuple(rows), numbers=False)


def _coverage(frame: pd.DataFrame) -> TableOf:
    columns = (
        "logs", "rows", "rounds", "figure", "truth", "bias, in standard errors", "held by",
        "mean width",
    )  # fmt: skip
    rows = []
    for (case, figure), cells in frame.groupby(["case", "figure"], sort=False):
        bias, error = _bias(cells)
        held = (cells["low"] <= cells["truth"]) & (cells["truth"] <= cells["high"])
        rows.append(
            (
                str(case),
                f"{cells['rows'].iloc[0]:,}",
                f"{cells['rounds'].iloc[0]:,}",
                figure if figure == "difference" else f"`{figure}`",
                f"{cells['truth'].iloc[0]:.4f}",
                f"{bias:+.4f}, {bias / error:+.1f}",
                f"{held.sum()} of {len(held)}",
                f"{(cells['high'] - cells['low']).mean():.3f}",
            )
        )
    return TableOf(columns, tuple(rows), numbers=False)


def _bias(cells: pd.DataFrame) -> tuple[float, float]:
    """Return the mean error of estimates from logs without luck, and its standard error.

    A log's rates are off by luck, and the estimate with them: by least squares, that is taken out.
    """
    off = (cells["value"] - cells["truth"]).to_numpy()
    luck = cells.filter(like="luck ").dropna(axis=1).to_numpy()
    terms = np.column_stack([np.ones(len(off)), luck])
    spare = len(off) - terms.shape[1]
    if spare < 1:
        return float(off.mean()), float("nan")
    fitted = np.linalg.lstsq(terms, off, rcond=None)[0]
    spread = float(((off - terms @ fitted) ** 2).sum()) / spare
    error = np.hypot(
        np.sqrt(spread * np.linalg.inv(terms.T @ terms)[0, 0]), cells["error of truth"].iloc[0]
    )
    return float(fitted[0]), float(error)


def _sizes(frames: Frames) -> TableOf:
    coins, persons = frames["coins"], frames["persons"]
    private = np.isfinite(coins["epsilon"])
    uniform = coins.drop_duplicates(["outcome", "horizon"]).to_dict("records")
    rows = [
        ("runs of a private policy on coins", f"{coins[private]['runs'].max():,}"),
        ("runs of the others", f"{coins[~private]['runs'].max():,}"),
        ("runs that follow persons", f"{persons['runs'].min():,}"),
        ("uniform play, RAND", shown(persons["uniform"].max())),
    ]
    rows += [
        (f"uniform play, {row['outcome']}, {row['horizon']:,} rounds", shown(row["uniform"]))
        for row in uniform
    ]
    return TableOf(("what", "figure"), tuple(rows), numbers=False)


def draw_study(frames: Frames) -> Figure:
    """Draw what privacy costs on the trial, and what a promise to persons costs on the other."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.6, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    coins = frames["coins"]
    patients = int(coins["horizon"].min())
    _draw_trial(left, coins[(coins["horizon"] == patients) & (coins["outcome"] == "event-free")])
    _draw_persons(right, frames["persons"])
    return figure


def _draw_trial(axes: Axes, frame: pd.DataFrame) -> None:
    from hush.output.pictures import COLOURS, label_ends

    private = frame[np.isfinite(frame["epsilon"])]
    ends = []
    for colour, name in zip(COLOURS, DRAWN, strict=False):
        cells = private[private["policy"] == name].sort_values("epsilon")
        worst = cells["worst treatment"].to_numpy()
        axes.plot(cells["epsilon"], worst, "o-", color=colour, markersize=4)
        ends.append((float(worst[-1]), name, colour))
    patients = int(frame["horizon"].iloc[0])
    open_ = float(frame[frame["policy"] == "ThompsonSampling"]["worst treatment"].iloc[0])
    for height, text in (
        (patients / 4.0, f"equal shares: {patients / 4.0:,.0f}"),
        (open_, f"Thompson sampling, no privacy: {open_:,.0f}"),
    ):
        axes.axhline(height, color="#666666", linewidth=1.0, linestyle=(0, (4, 3)))
        axes.annotate(
            text, (private["epsilon"].min(), height), (5, 4), textcoords="offset points",
            fontsize=8.5, color="#444444",
        )  # fmt: skip
    epsilons = sorted(private["epsilon"].unique())
    axes.set_xscale("log")
    axes.set_xticks(epsilons, [f"{each:g}" for each in epsilons])
    axes.minorticks_off()
    axes.set_xlim(epsilons[0] / 1.1, epsilons[-1] * 1.1)
    axes.set_ylim(0.0, 1.12 * patients / 4.0)
    axes.set_xlabel("epsilon")
    axes.set_ylabel("patients")
    axes.set_title(f"ACTG 175: given the worst of four treatments, of {patients:,}", fontsize=11)
    _tidy(axes)
    label_ends(axes, ends)


def _draw_persons(axes: Axes, frame: pd.DataFrame) -> None:
    from hush.output.pictures import COLOURS, label_ends

    cells = frame[frame["policy"] == "NoiseAwareTS"]
    ends = []
    for colour, (kind, name) in zip(
        COLOURS,
        (
            ("cap of 5", "a person: all rewards"),
            ("cap of 1", "a person: one reward"),
            ("reward", "each reward"),
        ),
        strict=False,
    ):
        line = cells[cells["promise"] == kind].sort_values("epsilon")
        axes.errorbar(
            line["epsilon"], line["mean"], 1.96 * line["error"], fmt="o-", color=colour,
            markersize=4, capsize=2,
        )  # fmt: skip
        ends.append((float(line["mean"].iloc[-1]), name, colour))
    epsilons = sorted(cells["epsilon"].unique())
    axes.set_xscale("log")
    axes.set_xticks(epsilons, [f"{each:g}" for each in epsilons])
    axes.minorticks_off()
    axes.set_xlim(epsilons[0] / 1.1, epsilons[-1] * 1.1)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("epsilon")
    axes.set_ylabel("mean regret")
    axes.set_title("RAND: regret of NoiseAwareTS by what epsilon is promised for", fontsize=11)
    _tidy(axes)
    label_ends(axes, ends)


def _tidy(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
