"""``hush reproduce``: the paper's experiments and our own studies, in one report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import completions, shared_options
from hush.cli.answering import Answer
from hush.cli.study_steps import print_claims, run_and_report, shown_command, studies_document
from hush.studies import SHIPPED, shipped_study
from hush.studies.report.families import count_verdicts

__all__ = ["reproduce"]


def reproduce(
    full: Annotated[
        bool, typer.Option("--full", help="1,000 runs of each curve and all sizes.")
    ] = False,
    study: Annotated[
        list[str] | None,
        typer.Option(
            help="One study only, by name. May be repeated.",
            autocompletion=completions.one_of(SHIPPED),
        ),
    ] = None,
    runs: shared_options.StudyRuns = None,
    seed: shared_options.StudySeed = None,
    out: shared_options.OutFolder = Path("results"),
    workers: shared_options.Workers = None,
    scheduler: shared_options.Scheduler = None,
    cache: shared_options.Cache = None,
) -> Answer:
    """Run the paper's experiments and our studies; leave a report, figures and data in a folder.

    Without --full: 100 runs of each private curve of the paper's figures, which has 20, and fewer
    runs and smaller sizes beyond them. Finished parts are kept in a cache: an interrupted run goes
    on where it stopped.
    """
    studies = [
        shipped_study(name, quick=not full).resized(runs=runs, seed=seed)
        for name in study or SHIPPED
    ]
    words = ["hush reproduce", *(["--full"] if full else [])]
    words += [f"--study {name}" for name in study or []]
    outcomes, findings = run_and_report(
        studies,
        title="Differentially private online learning: the paper reproduced",
        command=shown_command(words, runs, seed),
        out=out,
        workers=workers,
        scheduler=scheduler,
        cache=cache,
    )

    def show() -> None:
        print_claims(findings, out)
        typer.echo(count_verdicts(findings))

    return Answer(studies_document(outcomes, findings, out), show)
