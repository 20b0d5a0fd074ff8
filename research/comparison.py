"""The page that compares all policies: what each promises, and what each measures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hush.environments import PAPER_SETTINGS
from hush.output.document import TableOf, markdown_table
from hush.policies import (
    DPIMED,
    DPKLUCB,
    DPTT,
    REGISTERED,
    AdaPTT,
    AdaPTTStar,
    MedianElimination,
    NoiseAwareBAI,
    Policy,
    PrivateSequentialHalving,
)
from hush.policies.listing import anytime
from hush.policies.lookup import policy_at
from hush.privacy import PERSON
from hush.simulation import simulate
from hush.simulation.summary import typical
from hush.theory.all_bounds import bound_line
from research.pages import Page, Tables, complete, stored, wrapped
from research.resumable import run_parts
from research.some_policies import Classes, about_some, among

__all__ = ["COMPARED", "PAGE", "make_policy", "measure", "private", "promises"]

EPSILONS = (0.25, 0.5, 1.0)
TAILED: tuple[type[DPKLUCB | DPIMED], ...] = (DPKLUCB, DPIMED)
# They look for the best arm, whatever that costs on the way: docs/identification.md compares them.
FINDERS = {
    NoiseAwareBAI, DPTT, AdaPTT, AdaPTTStar, PrivateSequentialHalving, MedianElimination,
}  # fmt: skip
COMPARED = [cls for cls in REGISTERED if cls not in FINDERS]
TAIL_ALPHAS = (1.1, 2.0)
TAIL_FACTOR = 10
HEADS = tuple(f"{setting}, eps {epsilon:g}" for setting in PAPER_SETTINGS for epsilon in EPSILONS)
Row = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    horizon: int = 10**6
    runs: int = 10_000
    slow_runs: int = 20
    tail_runs: int = 10_000

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls(400, 3, 2, 20)


def promises(_tables: Tables | None = None) -> str:
    """Return the table of what each policy promises: guarantee, horizon, noise, regret bound."""
    rows = tuple(
        (
            f"[`{cls.__name__}`]({cls.reference})",
            cls.feedback,
            _guarantee(cls),
            anytime(cls),
            cls.noise_law,
            bound_line(make_policy(cls, 1.0)),
        )
        for cls in REGISTERED
    )
    columns = ("policy", "feedback", "guarantee", "anytime", "noise", "regret bound")
    return markdown_table(TableOf(columns, rows, numbers=False))


def make_policy(cls: type[Policy], epsilon: float) -> Policy:
    """Return a policy with its default parameters, at an epsilon, or the rho that it implies."""
    return policy_at(cls, epsilon)


def private(cls: type[Policy]) -> bool:
    """Tell whether a policy has an epsilon, or a rho."""
    return any(each.name in ("epsilon", "rho") for each in fields(cls))


def _guarantee(cls: type[Policy]) -> str:
    guarantee = make_policy(cls, 1.0).guarantee
    if not guarantee.private:
        return "infinity: not private"
    loss = "eps" if guarantee.rho is None else "rho"
    trust = "" if guarantee.trust == "central" else f", {guarantee.trust} trust"
    unit = ", a person" if guarantee.unit == PERSON else ""
    return f"{loss}, {guarantee.neighbours}{unit}{trust}"


def measure(
    folder: Path, *, quick: bool, seed: int, policies: Classes = None
) -> tuple[dict[str, TableOf], None]:
    """Measure every policy, or some, on the paper's settings; return the tables to show."""
    scale = Scale.quick() if quick else Scale()
    classes, tailed = among(policies, COMPARED), among(policies, TAILED)
    parts = {
        "regret": partial(_regret, classes, scale, seed),
        "tails": partial(_tails, tailed, scale, seed),
    }
    totals = {
        "regret": sum(len(_policies(cls)) for cls in classes) * len(PAPER_SETTINGS),
        "tails": len(tailed) * len(TAIL_ALPHAS) * len(PAPER_SETTINGS) * len(EPSILONS),
    }
    if not tailed:
        del parts["tails"]
    sizes = {**asdict(scale), "seed": seed}
    data = run_parts(folder, parts, totals, {**sizes, **about_some(policies)})
    tables = {"sizes": TableOf(tuple(sizes), (tuple(str(value) for value in sizes.values()),))}
    if tailed:
        tables["tails"] = _tails_table(data["tails"])
    for feedback in ("bandit", "full"):
        found = data["regret"].query("feedback == @feedback")
        if len(found):
            tables[feedback] = _regret_table(found)
    return tables, None


def _policies(cls: type[Policy]) -> list[Policy]:
    """Return a policy at each epsilon, or one where it has none."""
    return [make_policy(cls, epsilon) for epsilon in EPSILONS[: 3 if private(cls) else 1]]


def _regret(classes: list[type[Policy]], scale: Scale, seed: int) -> Iterator[Row]:
    """Measure mean regret: policies that leap have more runs than those that do not."""
    for cls in classes:
        tried = simulate(
            _policies(cls)[0], PAPER_SETTINGS["S1"](), horizon=10, runs=1, progress=False
        )
        engine = tried.engines[0]
        for setting, make_env in PAPER_SETTINGS.items():
            result = simulate(
                _policies(cls),
                make_env(),
                horizon=scale.horizon,
                runs=scale.runs if engine == "leap" else scale.slow_runs,
                seed=seed,
                checkpoints=[scale.horizon],
                progress=False,
            )
            most = result.largest_gap * scale.horizon
            for values in result.regret[:, :, -1]:
                found = typical(values, most)
                yield {
                    "policy": cls.__name__,
                    "feedback": cls.feedback,
                    "setting": setting,
                    "regret": found.text(),
                    "engine": engine,
                }


def _regret_table(data: pd.DataFrame) -> TableOf:
    rows = []
    for name, found in data.groupby("policy", sort=False):
        cells: list[str] = []
        for _, part in found.groupby("setting", sort=False):
            shown = part["regret"].tolist()
            cells += shown if len(shown) > 1 else [f"{shown[0]} (no eps)", "", ""]
        rows.append((f"`{name}`", *cells, str(found["engine"].iloc[0])))
    return TableOf(("policy", *HEADS, "engine"), tuple(rows), numbers=False)


def _tails(classes: list[type[DPKLUCB | DPIMED]], scale: Scale, seed: int) -> Iterator[Row]:
    """Measure how often a run has many times the median regret."""
    for cls in classes:
        for alpha in TAIL_ALPHAS:
            for setting, make_env in PAPER_SETTINGS.items():
                result = simulate(
                    [cls(epsilon, alpha=alpha) for epsilon in EPSILONS],
                    make_env(),
                    horizon=scale.horizon,
                    runs=scale.tail_runs,
                    seed=seed,
                    checkpoints=[scale.horizon],
                    progress=False,
                )
                for epsilon, values in zip(EPSILONS, result.regret[:, :, -1], strict=True):
                    median = float(np.median(values))
                    yield {
                        "policy": cls.__name__,
                        "alpha": alpha,
                        "setting": setting,
                        "epsilon": epsilon,
                        "share": float((values > TAIL_FACTOR * median).mean()),
                        "median": median,
                        "worst": values.max(),
                    }


def _tails_table(data: pd.DataFrame) -> TableOf:
    rows = []
    for (name, alpha), found in data.groupby(["policy", "alpha"], sort=False):
        cells = [
            f"{100 * share:.2f} % (median {median:,.0f}, worst {worst:,.0f})"
            for share, median, worst in found[["share", "median", "worst"]].to_numpy().tolist()
        ]
        rows.append((f"`{name}`", f"{alpha:g}", *cells))
    return TableOf(("policy", "alpha", *HEADS), tuple(rows), numbers=False)


MEASURED = """
Regret with its 95 % interval after {horizon:,} rounds on the paper's two settings: the mean, or the
median with the share of runs above three medians where runs are too few for the mean
([why](intervals.md)). S1 has means .75, .625, .5, .375, .25, and S2 has .5, .4, .4, .4, .4.
Policies that leap have {runs:,} runs, those that learn every round {slow_runs:,}; the seed is
{seed}. All parameters but epsilon are the defaults. A policy without figures has not been measured
yet; those that look for the best arm have [a page of their own](identification.md).
"""


def _sizes(tables: Tables) -> dict[str, int]:
    table = tables["sizes"]
    return {name: int(value) for name, value in zip(table.columns, table.rows[0], strict=True)}


def _every(feedback: str, tables: Tables) -> str:
    """Show a table with a row for every registered policy, measured or not."""
    names = [f"`{cls.__name__}`" for cls in COMPARED if cls.feedback == feedback]
    return markdown_table(complete(tables[feedback], names))


PAGE = Page(
    "comparison",
    {
        "promises": promises,
        "measured": lambda tables: wrapped(MEASURED.format(**_sizes(tables))),
        "bandit": partial(_every, "bandit"),
        "full": partial(_every, "full"),
        "tails": stored("tails"),
    },
)
