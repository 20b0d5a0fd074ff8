"""``hush policies``: what there is, and how it compares."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated

import typer

from hush.cli import specs
from hush.cli.comparison import comparison_page
from hush.cli.tables import print_rows
from hush.errors import whole
from hush.output.files import replaced
from hush.policies import REGISTERED, Policy

__all__ = ["policies"]

Page = Annotated[
    Path | None, typer.Option(help="Measure them all and write a page that compares them (.md).")
]
Horizon = Annotated[str, typer.Option(help="For --page: rounds.")]
Runs = Annotated[int, typer.Option(help="For --page: runs of policies that leap.")]
SlowRuns = Annotated[int, typer.Option(help="For --page: runs of those that learn every round.")]
TailRuns = Annotated[int, typer.Option(help="For --page: runs for the tails of two policies.")]
Seed = Annotated[int, typer.Option(help="For --page: seed.")]


def policies(
    page: Page = None,
    horizon: Horizon = "1e6",
    runs: Runs = 1000,
    slow_runs: SlowRuns = 20,
    tail_runs: TailRuns = 10_000,
    seed: Seed = 7,
) -> None:
    """List every policy: feedback, parameters with their defaults, and what it is.

    With --page, also measure all of them on the paper's settings; that takes some minutes.
    """
    if page is None:
        rows = [
            (cls.__name__, cls.feedback, parameters(cls), cls.summary)
            for cls in sorted(REGISTERED, key=lambda each: each.__name__.lower())
        ]
        columns = ("policy", "feedback", "parameters", "what it is")
        print_rows(f"{len(rows)} policies", columns, rows, numbers=False)
        return
    text = comparison_page(
        horizon=specs.whole_number("--horizon", horizon),
        runs=whole("--runs", runs, least=2),
        slow_runs=whole("--slow-runs", slow_runs, least=2),
        tail_runs=whole("--tail-runs", tail_runs, least=2),
        seed=whole("--seed", seed, least=0),
    )
    with replaced(page) as temporary:
        temporary.write_text(text, encoding="utf-8")
    typer.echo(f"wrote {page}")


def parameters(cls: type[Policy]) -> str:
    """Return a policy's parameters with their defaults, as one line."""
    shown = [
        each.name if each.default is MISSING else f"{each.name}={each.default!r}"
        for each in fields(cls)
        if each.init
    ]
    return ", ".join(shown) or "none"
