"""The command and its verbs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperGroup

from hush import __version__
from hush.errors import HushError, MissingExtraError
from hush.extras import NEEDS, require

__all__ = ["app"]


# Each verb is a function of its own name in a module of its own name, or a group of several.
VERBS = (
    "policies",
    "simulate",
    "compare",
    "identify",
    "forecast",
    "audit",
    "bounds",
    "reproduce",
    "run",
    "experiment",
    "store",
    "serve",
    "dashboard",
    "token",
)


def _loaded(verb: str) -> Any:  # noqa: ANN401
    """Load a verb without what only others import; one that lacks its extra says so."""
    options = {}
    try:
        if f"hush {verb}" in NEEDS:
            require(f"hush {verb}")
        found = getattr(import_module(f"hush.cli.{verb}"), verb)
    except MissingExtraError as error:
        found = _lacking(error)
        options = {"ignore_unknown_options": True, "allow_extra_args": True}
    if not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command(verb, context_settings=options)(found)
        found = single
    return typer.main.get_command(found)


def _lacking(error: MissingExtraError) -> Callable[[], None]:
    def lacking() -> None:
        raise error

    lacking.__doc__ = f"Not installed: {error}."
    return lacking


class _Group(TyperGroup):
    """Loads a verb when it is called, and turns Hush's own errors and interrupts into one line."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002
        """Return the verbs, in order."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002
        """Return a verb, or None."""
        if cmd_name not in VERBS:
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _loaded(cmd_name)
        return self.commands[cmd_name]

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
    help="Differentially private online learning: simulate, compare, audit, run live experiments.",
)


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
    """Differentially private online learning: simulate, compare, audit, run live experiments."""
