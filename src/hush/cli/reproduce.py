"""``hush reproduce``: the paper's two settings with the policies that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from hush.cli.tables import print_summary
from hush.environments import INSTANCES
from hush.errors import whole
from hush.policies import AnytimeLazyUCB, LazyDPTS, Policy, ThompsonSampling
from hush.simulation import Result
from hush.simulation import simulate as run
from hush.simulation.files import replaced
from hush.simulation.plotting import draw, save_figure

__all__ = ["reproduce"]

EPSILONS = (0.25, 0.5, 1.0)
SETTINGS = {"S1": "figure-1", "S2": "figure-2"}


def reproduce(
    runs: Annotated[int, typer.Option(help="Runs per curve; the paper has 20.")] = 20,
    horizon: Annotated[int, typer.Option(help="Rounds; the paper has 1,000,000.")] = 10**6,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 2024,
    out: Annotated[Path, typer.Option(help="Folder for figures and data.")] = Path("results"),
    workers: Annotated[int | None, typer.Option(help="Threads; all cores if left out.")] = None,
) -> None:
    """Run the paper's two settings and leave figures and a CSV of all runs in a folder."""
    runs = whole("--runs", runs, least=1)
    tables = []
    for name, stem in SETTINGS.items():
        private: list[Policy] = [cls(e) for e in EPSILONS for cls in (AnytimeLazyUCB, LazyDPTS)]
        peer = ThompsonSampling()
        whole_result = run(
            [*private, peer],
            INSTANCES[name](),
            horizon=horizon,
            runs=runs,
            seed=seed,
            workers=workers,
        )
        panels = []
        for epsilon in EPSILONS:
            labels = [AnytimeLazyUCB(epsilon).label, LazyDPTS(epsilon).label, peer.label]
            result = whole_result.select(labels)
            print_summary(f"{name}, epsilon = {epsilon:g}, {horizon:,} rounds, {runs} runs", result)
            panels.append((f"{name}, epsilon = {epsilon:g}", result))
            tables.append(_table(name, epsilon, result))
        figure = draw(panels, times=["linear", "log"])
        for suffix in ("svg", "png"):
            path = out / f"{stem}.{suffix}"
            save_figure(figure, path)
            typer.echo(f"wrote {path}")
    path = out / "regret.csv"
    with replaced(path) as temporary:
        pd.concat(tables).to_csv(temporary, index=False)
    typer.echo(f"wrote {path}")


def _table(name: str, epsilon: float, result: Result) -> pd.DataFrame:
    table = result.to_pandas()
    table.insert(0, "setting", name)
    table.insert(1, "epsilon", epsilon)
    return table
