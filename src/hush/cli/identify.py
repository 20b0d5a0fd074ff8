"""``hush identify``: policies until they name the best arm."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from hush.cli import shared_options, specs
from hush.cli.answering import Answer
from hush.cli.summaries import identification_document, saved
from hush.cli.terminal_tables import print_rows
from hush.output.numbers import shown
from hush.simulation import Identification
from hush.simulation import identify as find
from hush.simulation.plotting import short_names
from hush.simulation.summary import typical

__all__ = ["identify"]

Confidence = Annotated[float, typer.Option(help="The chance that a named arm is to be a best one.")]
Most = Annotated[str, typer.Option(help="Samples after which a run is given up, such as 1e6.")]
Seed = Annotated[int | None, typer.Option(help="Seed; drawn and printed if left out.")]
Discrete = Annotated[bool, typer.Option(help="The discrete noise that is deployed.")]
Out = Annotated[
    list[Path] | None,
    typer.Option(help="Save to a file: .svg .png .pdf (figure), .csv, .npz. May be repeated."),
]
COLUMNS = ("policy", "samples (95 % interval)", "q95", "worst", "wrong", "upper limit", "undecided")


def identify(
    policies: shared_options.Specs,
    means: shared_options.Means = None,
    instance: shared_options.Instance = None,
    epsilon: shared_options.Epsilon = None,
    rho: shared_options.Rho = None,
    confidence: Confidence = 0.95,
    runs: shared_options.Runs = 100,
    seed: Seed = None,
    most: Most = "1e7",
    discrete: Discrete = False,
    workers: shared_options.Workers = None,
    out: Out = None,
) -> Answer:
    """Play policies until they name the best arm; print samples, errors and the lower bound.

    Example: hush identify NoiseAwareBAI DPTT --instance S1 --epsilon 1 --confidence 0.99
    """
    shared_options.require_result_files(out or [])
    found = find(
        [specs.policy(text, epsilon, rho) for text in policies],
        specs.environment(means, instance),
        confidence=confidence,
        runs=runs,
        seed=seed,
        most=specs.whole_number("--most", most),
        discrete=discrete,
        workers=workers,
    )
    return Answer(
        identification_document(found), lambda: _print(found), lambda: saved(found, out or [])
    )


def _print(found: Identification) -> None:
    table: list[Any] = list(found.summary().itertuples(index=False))
    names = short_names(found.policies, found.parameters)
    rows = [
        (
            name,
            typical(samples.astype(float), float(found.most)).text(),
            shown(row.q95),
            shown(row.worst),
            f"{row.error:.2%}",
            f"{row.error_upper:.2%}",
            f"{row.undecided:.2%}",
            "none" if math.isnan(row.bound) else shown(row.bound),
        )
        for name, samples, row in zip(names, found.samples, table, strict=True)
    ]
    title = f"the best arm at confidence {found.confidence:g}, {found.runs} runs, seed {found.seed}"
    print_rows(title, (*COLUMNS, "lower bound"), rows)
    typer.echo(
        "upper limit: of the chance to be wrong, with 99 % confidence. lower bound: on the mean of "
        "any policy\nof this epsilon that has this confidence on every instance."
    )
