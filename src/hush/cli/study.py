"""``hush study``: a study of our own, with its figure and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from hush.cli.pages import fill, markdown_table, require_places
from hush.cli.tables import print_rows
from hush.errors import choice, whole
from hush.output.files import replaced
from hush.studies import conjecture, conjecture_page
from hush.studies.noise_aware_ts import Scale, draw_study, run_study, study_tables

__all__ = ["study"]

STUDIES = ("conjecture", "noise-aware-ts")


def study(
    name: Annotated[str, typer.Argument(help="Which one: conjecture or noise-aware-ts.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for data, figure and tables; results/NAME.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 7,
    quick: Annotated[bool, typer.Option(help="A few runs only, to see that it works.")] = False,
    page: Annotated[
        Path | None, typer.Option(help="Also write the study's page (.md) and picture.")
    ] = None,
) -> None:
    """Run a study; parts whose files are in the folder already are not run again."""
    choice("study", name, STUDIES)
    folder = out or Path("results") / name
    seed = whole("--seed", seed, least=0)
    paths = [folder / f"study.{suffix}" for suffix in ("svg", "png")]
    if name == "conjecture":
        _conjecture(folder, paths, seed, quick, page)
        return
    if page is not None:
        require_places(page, ("choices", "early", "cells", "unseen", "bound"))
    tables = run_study(folder, Scale.quick() if quick else Scale(), seed)
    shown = study_tables(tables)
    _show(shown)
    if page is not None:
        paths = [*paths, page.parent / "images" / "noise-aware-ts.svg"]
        fill(page, {title: _markdown(table) for title, table in shown.items()})
        typer.echo(f"wrote {page}")
    draw_study(tables, paths)
    _wrote(paths)


def _markdown(table: pd.DataFrame) -> str:
    rows = [tuple(map(str, row)) for row in table.itertuples(index=False)]
    return markdown_table(tuple(map(str, table.columns)), rows)


def _conjecture(folder: Path, paths: list[Path], seed: int, quick: bool, page: Path | None) -> None:
    scale = conjecture.Scale.quick() if quick else conjecture.Scale()
    tables = conjecture.run_study(folder, scale, seed)
    _show(conjecture_page.study_tables(tables))
    if page is not None:
        picture = Path("images") / "conjecture.svg"
        paths = [*paths, page.parent / picture]
        command = "hush study conjecture" + (" --quick" if quick else "") + f" --page {page}"
        with replaced(page) as temporary:
            text = conjecture_page.page(tables, command, picture.as_posix())
            temporary.write_text(text, encoding="utf-8")
        typer.echo(f"wrote {page}")
    conjecture_page.draw_study(tables, paths)
    _wrote(paths)


def _show(tables: dict[str, pd.DataFrame]) -> None:
    for title, table in tables.items():
        rows = [tuple(map(str, row)) for row in table.itertuples(index=False)]
        print_rows(title, tuple(map(str, table.columns)), rows)


def _wrote(paths: list[Path]) -> None:
    for path in paths:
        typer.echo(f"wrote {path}")
