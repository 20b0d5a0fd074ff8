"""``hush store migrate``: a store's schema, brought up to date."""

from __future__ import annotations

import typer

from hush.cli import shared_options
from hush.live import migrate as migrated
from hush.live.opening import private_address

__all__ = ["migrate"]


def migrate(store: shared_options.PublicStore, private: shared_options.PrivateStore = None) -> None:
    """Bring the schemas of both stores up to date. Stop everything that uses them before.

    Example: hush store migrate experiments.db
    """
    hidden = private_address(store) if private is None else private
    for name, address in (("private", hidden), ("public", store)):
        before, after = migrated(address)
        done = "is up to date" if before == after else f"went from {before} to {after}"
        typer.echo(f"the {name} store {done}")
