"""The command and its verbs."""

from __future__ import annotations

import sys
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperGroup

from hush import __version__
from hush.cli.audit import audit
from hush.cli.bounds import bounds
from hush.cli.compare import compare
from hush.cli.policies import policies
from hush.cli.reproduce import reproduce
from hush.cli.run import run
from hush.cli.simulate import simulate
from hush.cli.study import study
from hush.errors import HushError

__all__ = ["app"]


class _Group(TyperGroup):
    """Turns Hush's own errors and interrupts into one line, instead of a traceback."""

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401  its type is private to typer
        """Run a verb."""
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        try:
            return super().invoke(ctx)
        except HushError as error:
            console.print(f"[red]error:[/red] {escape(str(error))}")
            sys.exit(2)
        except KeyboardInterrupt:
            console.print("interrupted; no half-written file is left")
            sys.exit(130)


app = typer.Typer(
    name="hush",
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Differentially private online learning: simulate, compare, audit, reproduce.",
)
app.command()(policies)
app.command()(simulate)
app.command()(audit)
app.command()(compare)
app.command()(run)
app.command()(reproduce)
app.command()(bounds)
app.command()(study)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"hush {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version_flag: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Differentially private online learning: simulate, compare, audit, reproduce."""
