"""``hush simulate``: policies on an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import completions, shared_options, specs
from hush.cli.answering import Answer
from hush.cli.summaries import result_document, saved
from hush.cli.terminal_tables import lateness, print_summary
from hush.environments import ADVERSARIES
from hush.simulation import simulate as run

__all__ = ["simulate"]

Seed = Annotated[int | None, typer.Option(help="Seed; drawn and printed if left out.")]
Engine = Annotated[
    str,
    typer.Option(
        help="auto, leap or rounds.",
        autocompletion=completions.one_of(["auto", "leap", "rounds"]),
    ),
]
Discrete = Annotated[bool, typer.Option(help="The discrete noise that is deployed.")]
Adversary = Annotated[
    str | None,
    typer.Option(
        help="Rewards fixed in advance: alternating, fair-coins or constrained.",
        autocompletion=completions.one_of(ADVERSARIES),
    ),
]
Out = Annotated[
    list[Path] | None,
    typer.Option(help="Save to a file: .svg .png .pdf (figure), .csv, .npz. May be repeated."),
]


def simulate(
    policies: shared_options.Specs,
    means: shared_options.Means = None,
    instance: shared_options.Instance = None,
    adversary: Adversary = None,
    epsilon: shared_options.Epsilon = None,
    rho: shared_options.Rho = None,
    horizon: shared_options.Horizon = "1e5",
    runs: shared_options.Runs = 20,
    seed: Seed = None,
    engine: Engine = "auto",
    discrete: Discrete = False,
    delay: shared_options.Delay = "0",
    workers: shared_options.Workers = None,
    out: Out = None,
) -> Answer:
    """Simulate policies on Bernoulli arms, or against an adversary, and print their regret.

    Example: hush simulate LazyDPTS AnytimeLazyUCB --instance S1 --epsilon 0.5 --horizon 1e6
    """
    shared_options.require_result_files(out or [])
    rounds = specs.whole_number("--horizon", horizon)
    result = run(
        [specs.policy(text, epsilon, rho) for text in policies],
        specs.fixed_or_drawn(means, instance, adversary, rounds),
        horizon=rounds,
        runs=runs,
        seed=seed,
        engine=engine,
        discrete=discrete,
        delay=specs.whole_number("--delay", delay),
        workers=workers,
    )
    late = lateness(result.delay)
    title = f"regret after {result.horizon:,} rounds{late}, seed {result.seed}"
    return Answer(
        result_document(result),
        lambda: print_summary(title, result),
        lambda: saved(result, out or []),
    )
