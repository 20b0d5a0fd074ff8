"""The command and its verbs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer
from rich.console import Console
from typer.core import TyperGroup

from hush import __version__
from hush.cli.policies import policies
from hush.cli.reproduce import reproduce
from hush.cli.simulate import simulate
from hush.errors import HushError

__all__ = ["app"]


class _Group(TyperGroup):
    """Turns Hush's own errors into one line and exit code 2, instead of a traceback."""

    def main(self, args: Sequence[str] | None = None, **extra: object) -> object:  # type: ignore[override]
        try:
            return super().main(list(args) if args is not None else None, **extra)  # type: ignore[arg-type]
        except HushError as error:
            Console(stderr=True, highlight=False).print(
                f"[red]error:[/red] {error}", soft_wrap=True
            )
            sys.exit(2)
        except KeyboardInterrupt:
            Console(stderr=True).print("interrupted; no half-written file is left")
            sys.exit(130)


app = typer.Typer(
    name="hush",
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Differentially private online learning: simulate, compare, reproduce.",
)
app.command()(policies)
app.command()(simulate)
app.command()(reproduce)


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
    """Differentially private online learning: simulate, compare, reproduce."""
