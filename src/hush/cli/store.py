"""``hush store``: the two databases of live experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush import live
from hush.cli.answering import Answer
from hush.cli.shared_options import PrivateStore, PublicStore, Secret
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
def check(place: PublicStore, private: PrivateStore = None, secret: Secret = None) -> Answer:
    """Look over both stores: chains, tables, counts, heads, the master secret. Changes nothing.

    Example: hush store check experiments.db
    """
    found = live.check(place, private=private, secret=secret)
    said = found or ["in order: both chains, all tables, every count, and the master secret"]
    document = {"in_order": not found, "problems": found}
    return Answer(document, lambda: typer.echo("\n".join(said)), code=1 if found else 0)


@store.command("backup")
def backup(
    place: PublicStore, to: Annotated[Path, typer.Argument(help="The file to make.")]
) -> Answer:
    """Copy the public store into a new SQLite file while others use it. Never a private store.

    Example: hush store backup experiments.db monday.db
    """
    made = live.backup(place, to)
    said = f"written: {made}; the private store is in no backup"
    return Answer({"backup": made}, lambda: typer.echo(said))


@store.command("migrate")
def migrate(place: PublicStore, private: PrivateStore = None) -> Answer:
    """Bring the schemas of both stores up to date. Stop everything that uses them before.

    Example: hush store migrate experiments.db
    """
    hidden = private_address(place) if private is None else private
    document, lines = {}, []
    for name, address in (("private", hidden), ("public", place)):
        before, after = live.migrate(address)
        done = "is up to date" if before == after else f"went from {before} to {after}"
        document[name] = {"before": before, "after": after}
        lines.append(f"the {name} store {done}")
    return Answer(document, lambda: typer.echo("\n".join(lines)))
