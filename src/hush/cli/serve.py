"""``hush serve``: a store of live experiments over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from hush.cli.answering import Answer, tell
from hush.cli.shared_options import PrivateStore, PublicStore, Secret
from hush.live.durations import milliseconds
from hush.service.core import Settings
from hush.service.serving import Place, first_token
from hush.service.serving import serve as run

__all__ = ["serve"]


def serve(
    place: PublicStore,
    private: PrivateStore = None,
    secret: Secret = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for a free one.")] = 8000,
    workers: Annotated[int, typer.Option(help="Processes that share the work.")] = 1,
    tick: Annotated[str, typer.Option(help="Time between settlements.")] = "5s",
    decisions: Annotated[
        float, typer.Option(help="Decisions a second of a token and worker; 0 for no limit.")
    ] = 10_000.0,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front has TLS.")
    ] = False,
) -> None:
    """Serve a store of live experiments over HTTP, and settle it. A new store is made if need be.

    Example: hush serve experiments.db
    """
    settings = Settings(
        tick=milliseconds("tick", tick) / 1_000,
        decisions=decisions or None,
        workers=workers,
        tls=behind_proxy,
    )
    where = Place(place, private, secret)

    def ready(address: str) -> None:
        token = first_token(where)
        page = f"{address}/dashboard"
        document = {"address": address, "dashboard": page, "workers": workers, "token": token}

        def show() -> None:
            if token is not None:
                typer.echo(f"An admin token, shown this once: {token}")
            many = "1 worker" if workers == 1 else f"{workers} workers"
            typer.echo(
                f"Serving {address} with {many}; Ctrl-C stops it.\nThe dashboard is at {page}."
            )

        tell(Answer(document, show), runs_on=True)

    run(where, settings, host=host, port=port, behind_proxy=behind_proxy, ready=ready)
