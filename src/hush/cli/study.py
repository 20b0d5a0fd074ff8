"""``hush study``: the studies that come with Hush, and their files."""

from __future__ import annotations

import tomllib
from typing import Annotated

import typer

from hush.cli import completions
from hush.cli.answering import Answer
from hush.cli.terminal_tables import print_rows
from hush.studies import PAPERS, SHIPPED, shipped_text

__all__ = ["study"]


def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Print this study's file.",
            autocompletion=completions.one_of((*SHIPPED, *PAPERS)),
        ),
    ] = None,
) -> Answer:
    """List the studies that come with Hush, or print the file of one: a beginning for your own.

    Example: hush study horizon > my-study.toml, then: hush run my-study.toml
    """
    if name is not None:
        content = shipped_text(name)
        return Answer({"study": name, "toml": content}, lambda: typer.echo(content, nl=False))
    groups = {"hush reproduce": SHIPPED, "hush reproduce --papers": PAPERS}
    rows = [
        (each, runs_it, str(tomllib.loads(shipped_text(each))["title"]))
        for runs_it, names in groups.items()
        for each in names
    ]
    keys = ("study", "part_of", "title")
    document = {"studies": [dict(zip(keys, row, strict=True)) for row in rows]}
    columns = ("study", "part of", "title")
    title = f"{len(rows)} studies"
    return Answer(document, lambda: print_rows(title, columns, rows, numbers=False))
