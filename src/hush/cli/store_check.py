"""``hush store check``: whether a store is in order."""

from __future__ import annotations

import typer

from hush.cli import shared_options
from hush.live import check as looked_over

__all__ = ["check"]


def check(
    store: shared_options.PublicStore,
    private: shared_options.PrivateStore = None,
    secret: shared_options.Secret = None,
) -> None:
    """Look over both stores: chains, tables, counts, heads, the master secret. Changes nothing.

    Example: hush store check experiments.db
    """
    found = looked_over(store, private=private, secret=secret)
    for each in found:
        typer.echo(each)
    if found:
        raise typer.Exit(1)
    typer.echo("in order: both chains, all tables, every count, and the master secret")
