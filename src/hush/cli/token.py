"""``hush token``: access tokens for a service on a store of live experiments."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hush import live
from hush.cli import completions
from hush.cli.answering import Answer
from hush.cli.experiment_stores import By, opened
from hush.cli.shared_options import PrivateStore, PublicStore, Secret
from hush.cli.terminal_rows import print_rows
from hush.live.granting import EVERY, SCOPES
from hush.output.numbers import counted

__all__ = ["token"]

token = typer.Typer(
    name="token",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Access tokens for a service on live experiments: make, list and revoke them.",
)

COLUMNS = ("token", "scopes", "experiments", "test", "expires", "state", "note")

Scope = Annotated[
    list[str],
    typer.Option(
        "--scope",
        help=f"One of {', '.join(SCOPES)}; repeat it.",
        autocompletion=completions.one_of(SCOPES),
    ),
]
Experiment = Annotated[
    list[str] | None, typer.Option("--experiment", help="An experiment's name; all if left out.")
]
Expires = Annotated[str | None, typer.Option(help="For how long it is good, such as 90d.")]
Note = Annotated[str, typer.Option(help="What it is for; anyone may see it.")]
Test = Annotated[bool, typer.Option("--test", help="For rehearsals.")]
TokenId = Annotated[str, typer.Argument(metavar="ID", help="The token's id, as list shows it.")]


@token.command("create")
def create(
    store: PublicStore,
    scope: Scope,
    experiment: Experiment = None,
    expires: Expires = None,
    note: Note = "",
    test: Test = False,
    private: PrivateStore = None,
    secret: Secret = None,
    by: By = "",
) -> Answer:
    """Make a token and print it, for the only time.

    Example: hush token create experiments.db --scope decide --scope reward --experiment checkout
    --expires 90d --note "web shop"
    """
    with opened(store, private, secret) as place:
        text = place.tokens.create(
            scope, experiments=experiment or EVERY, expires=expires, test=test, note=note, by=by
        )
    typer.echo("This is the only time that the token is shown; keep it as a password.", err=True)
    return Answer({"token": text}, lambda: typer.echo(text))


@token.command("list")
def list_(store: PublicStore, private: PrivateStore = None, secret: Secret = None) -> Answer:
    """Print every token of a store, oldest first; never a secret.

    Example: hush token list experiments.db
    """
    with opened(store, private, secret) as place:
        known = [(each, place.tokens.state(each)) for each in place.tokens.all()]
    rows = [_row(each, state) for each, state in known]
    document = {"tokens": [_document(each, state) for each, state in known]}
    title = counted(len(rows), "token", "tokens")
    return Answer(document, lambda: print_rows(title, COLUMNS, rows, numbers=False))


def _document(each: live.Token, state: str) -> dict[str, Any]:
    return {
        "id": each.id,
        "scopes": each.scopes,
        "experiments": each.experiments,
        "test": each.test,
        "expires": each.expires,
        "state": state,
        "note": each.note,
    }


def _row(each: live.Token, state: str) -> list[str]:
    return [
        each.id,
        ", ".join(each.scopes),
        ", ".join(each.experiments),
        "test" if each.test else "",
        "never" if each.expires is None else f"{each.expires:%Y-%m-%d %H:%M} UTC",
        state,
        each.note,
    ]


@token.command("revoke")
def revoke(
    store: PublicStore,
    name: TokenId,
    private: PrivateStore = None,
    secret: Secret = None,
    by: By = "",
) -> Answer:
    """Let a token be worth nothing from now on, for good.

    Example: hush token revoke experiments.db 5f0c2a9b41d7 --by Ada
    """
    with opened(store, private, secret) as place:
        place.tokens.revoke(name, by=by)
    return Answer({"id": name, "state": "revoked"}, lambda: typer.echo(f"{name} is revoked"))
