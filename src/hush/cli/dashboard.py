"""``hush dashboard``: pages about live experiments, from the public store alone."""

from __future__ import annotations

from typing import Annotated

import typer

from hush.cli.answering import Answer, tell
from hush.cli.shared_options import PublicStore
from hush.service.serving import show

__all__ = ["dashboard"]


def dashboard(
    place: PublicStore,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for a free one.")] = 8001,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front has TLS and lets people in.")
    ] = False,
) -> None:
    """Show live experiments in a browser, read-only. The private store is not needed.

    Example: hush dashboard experiments.db
    """

    def ready(address: str) -> None:
        page = f"{address}/dashboard"
        said = f"The dashboard is at {page}; Ctrl-C stops it."
        tell(
            Answer({"address": address, "dashboard": page}, lambda: typer.echo(said)), runs_on=True
        )

    show(place, host=host, port=port, behind_proxy=behind_proxy, ready=ready)
