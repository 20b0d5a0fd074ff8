"""``hush study``: a study of our own, with its figure and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli.tables import print_rows
from hush.errors import choice, whole
from hush.studies.noise_aware_ts import Scale, draw_study, run_study, study_tables

__all__ = ["study"]

STUDIES = ("noise-aware-ts",)


def study(
    name: Annotated[str, typer.Argument(help="Which one: noise-aware-ts.")],
    out: Annotated[Path, typer.Option(help="Folder for data, figure and tables.")] = Path(
        "results/noise-aware-ts"
    ),
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 7,
    quick: Annotated[bool, typer.Option(help="A few runs only, to see that it works.")] = False,
) -> None:
    """Run a study; parts whose files are in the folder already are not run again."""
    choice("study", name, STUDIES)
    scale = Scale.quick() if quick else Scale()
    tables = run_study(out, scale, whole("--seed", seed, least=0))
    for title, table in study_tables(tables).items():
        rows = [tuple(map(str, row)) for row in table.itertuples(index=False)]
        print_rows(title, tuple(table.columns), rows)
    paths = [out / f"study.{suffix}" for suffix in ("svg", "png")]
    draw_study(tables, paths)
    for path in paths:
        typer.echo(f"wrote {path}")
