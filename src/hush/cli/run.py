"""``hush run``: your own studies, from TOML files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import shared_options
from hush.cli.answering import Answer
from hush.cli.study_steps import (
    print_claims,
    print_outcome,
    run_and_report,
    shown_command,
    studies_document,
)
from hush.studies import load_study

__all__ = ["run"]


def run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Studies: TOML files.")],
    quick: Annotated[bool, typer.Option(help="The smaller sizes of the [quick] tables.")] = False,
    runs: shared_options.StudyRuns = None,
    seed: shared_options.StudySeed = None,
    out: shared_options.OutFolder = Path("results"),
    workers: shared_options.Workers = None,
    scheduler: shared_options.Scheduler = None,
    cache: shared_options.Cache = None,
) -> Answer:
    """Run studies from TOML files and write a report; finished parts are not run again.

    Example: hush run my-study.toml --out results
    """
    studies = [load_study(file, quick=quick).resized(runs=runs, seed=seed) for file in files]
    words = ["hush run", *(file.name for file in files), *(["--quick"] if quick else [])]
    outcomes, findings = run_and_report(
        studies,
        title=studies[0].title,
        command=shown_command(words, runs, seed),
        out=out,
        workers=workers,
        scheduler=scheduler,
        cache=cache,
    )

    def show() -> None:
        for outcome in outcomes:
            print_outcome(outcome, outcome.study.title)
        print_claims(findings, out)

    return Answer(studies_document(outcomes, findings, out), show)
