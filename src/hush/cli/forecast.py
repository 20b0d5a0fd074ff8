"""``hush forecast``: what privacy will cost a live experiment, before it is started."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import completions, shared_options, specs
from hush.cli.answering import Answer
from hush.cli.terminal_rows import print_rows
from hush.forecasting import forecast as foretell

__all__ = ["forecast"]

Rates = Annotated[str, typer.Option(help="Guessed mean rewards of the arms, such as .03,.036.")]
PerDay = Annotated[float, typer.Option(help="Decisions a day, over all arms.")]
Promise = Annotated[float, typer.Option(help="The promise to every person.")]
Bound = Annotated[int, typer.Option(help="How many of a person's decisions are learnt from.")]
Window = Annotated[str, typer.Option(help="How long a reward is waited for, such as 15m or 1d.")]
Days = Annotated[int, typer.Option(help="For how long it is to run.")]
Learnt = Annotated[float, typer.Option(help="The share within the bound of their person.")]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        help="A policy; repeat it. All, if left out.",
        autocompletion=completions.policies,
    ),
]
Promises = Annotated[str | None, typer.Option(help="Other promises to look at, such as .5,2.")]
Seed = Annotated[int | None, typer.Option(help="Seed; drawn and printed if left out.")]
Picture = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="The picture: .svg, .png or .pdf.")
]


def forecast(
    rates: Rates,
    per_day: PerDay,
    person_epsilon: Promise,
    person_bound: Bound = 1,
    window: Window = "1d",
    days: Days = 14,
    learnt: Learnt = 1.0,
    policy: Names = None,
    epsilons: Promises = None,
    runs: shared_options.Runs = 30,
    seed: Seed = None,
    workers: shared_options.Workers = None,
    plot: Picture = None,
) -> Answer:
    """Say what privacy will cost, and when an experiment will know what: before it is started.

    Example: hush forecast --rates .030,.036,.033 --per-day 20000 --person-epsilon 1
    --person-bound 4 --window 1d
    """
    if plot is not None:
        shared_options.require_suffix([plot], shared_options.PICTURES, "--plot")
    ahead = foretell(
        specs.numbers("--rates", rates),
        per_day=per_day,
        person_epsilon=person_epsilon,
        person_bound=person_bound,
        window=window,
        days=days,
        learnt=learnt,
        policies=policy or None,
        epsilons=None if epsilons is None else specs.numbers("--epsilons", epsilons),
        runs=runs,
        seed=seed,
        workers=workers,
    )

    def show() -> None:
        print_rows(ahead.title, ahead.columns, ahead.rows)
        typer.echo(ahead.words)

    def write() -> list[Path]:
        if plot is None:
            return []
        ahead.plot(plot)
        return [plot]

    return Answer(ahead.to_dict(), show, write)
