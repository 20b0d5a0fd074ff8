"""``hush store``: the two databases of live experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush import live
from hush.cli.experiment_stores import PrivateStore, Secret, StorePlace
from hush.live.opening import private_address

__all__ = ["store"]

store = typer.Typer(
    name="store",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The two databases of live experiments: check, back up, migrate them.",
)


@store.command("check")
def check(place: StorePlace, private: PrivateStore = None, secret: Secret = None) -> None:
    """Look over both stores: chains, tables, counts, heads, the master secret. Changes nothing.

    Example: hush store check experiments.db
    """
    found = live.check(place, private=private, secret=secret)
    for each in found:
        typer.echo(each)
    if found:
        raise typer.Exit(1)
    typer.echo("in order: both chains, all tables, every count, and the master secret")


@store.command("backup")
def backup(
    place: StorePlace, to: Annotated[Path, typer.Argument(help="The file to make.")]
) -> None:
    """Copy the public store into a new SQLite file while others use it. Never a private store.

    Example: hush store backup experiments.db monday.db
    """
    made = live.backup(place, to)
    typer.echo(f"written: {made}; the private store is in no backup")


@store.command("migrate")
def migrate(place: StorePlace, private: PrivateStore = None) -> None:
    """Bring the schemas of both stores up to date. Stop everything that uses them before.

    Example: hush store migrate experiments.db
    """
    hidden = private_address(place) if private is None else private
    for name, address in (("private", hidden), ("public", place)):
        before, after = live.migrate(address)
        done = "is up to date" if before == after else f"went from {before} to {after}"
        typer.echo(f"the {name} store {done}")
