"""``hush store backup``: a copy of the public store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import shared_options
from hush.live import backup as copied

__all__ = ["backup"]

To = Annotated[Path, typer.Argument(help="The file to make.")]


def backup(store: shared_options.PublicStore, to: To) -> None:
    """Copy the public store into a new SQLite file while others use it. Never a private store.

    Example: hush store backup experiments.db monday.db
    """
    made = copied(store, to)
    typer.echo(f"written: {made}; the private store is in no backup")
