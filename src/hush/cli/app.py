"""The command and its verbs."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from hush import __version__
from hush.cli.answering import answering, begin, fail
from hush.errors import HushError, MissingExtraError
from hush.extras import NEEDS, require

__all__ = ["VERBS", "app"]


# Each verb is a function of its own name in a module of its own name, or a group of several.
VERBS = (
    "policies",
    "simulate",
    "compare",
    "identify",
    "forecast",
    "replay",
    "audit",
    "bounds",
    "reproduce",
    "run",
    "study",
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
    for each in found.registered_commands:
        if each.callback is not None:
            each.callback = answering(inspect.unwrap(each.callback))  # a group may be loaded again
    return typer.main.get_command(found)


def _lacking(error: MissingExtraError) -> Callable[[], None]:
    def lacking() -> None:
        raise error

    lacking.__doc__ = f"Not installed: {error}."
    return lacking


class _Group(TyperGroup):
    """Loads a verb when it is called; errors that are no bugs, and interrupts, are one line."""

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

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:  # noqa: ANN401
        """Complete a verb without loading all of them."""
        loaded, self.commands = self.commands, {each: TyperCommand(each) for each in VERBS}
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self.commands = loaded

    def main(self, args: Sequence[str] | None = None, *given: Any, **options: Any) -> Any:  # noqa: ANN401
        """Run the command; with ``--json`` a misuse is told as JSON, too."""
        words = sys.argv[1:] if args is None else list(args)
        begin(as_json="--json" in words)
        if "--json" not in words or not options.get("standalone_mode", True):
            return super().main(args, *given, **options)
        options["standalone_mode"] = False
        try:
            sys.exit(super().main(args, *given, **options) or 0)
        except Exception as error:
            misuse: Any = error  # what the parser raises; its class is private to typer
            if not hasattr(misuse, "format_message"):
                raise
            sys.exit(fail("UsageError", misuse.format_message(), misuse.exit_code))

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401  its type is private to typer
        """Run a verb."""
        try:
            return super().invoke(ctx)
        except HushError as error:
            sys.exit(fail(type(error).__name__, str(error), 2))
        except OSError as error:
            if error.filename is None:  # no file of the user's: a closed pipe, for example
                raise
            sys.exit(fail("OSError", f"{error.filename}: {error.strerror}", 2))
        except KeyboardInterrupt:
            said = "interrupted; no half-written file is left"
            sys.exit(fail("KeyboardInterrupt", said, 130, word=""))


app = typer.Typer(
    name="hush",
    cls=_Group,
    no_args_is_help=True,
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
