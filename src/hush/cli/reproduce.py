"""``hush reproduce``: the paper's experiments, our own, and other people's, in one report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import completions, shared_options
from hush.cli.answering import Answer
from hush.cli.study_steps import (
    print_claims,
    print_published,
    run_and_report,
    shown_command,
    studies_document,
)
from hush.studies import PAPERS, SHIPPED, shipped_study
from hush.studies.report.comparisons import compare_published
from hush.studies.report.families import count_verdicts

__all__ = ["reproduce"]

TITLES = (
    "Differentially private online learning: the paper reproduced",
    "Differentially private online learning: the field reproduced",
)


def reproduce(
    full: Annotated[
        bool, typer.Option("--full", help="1,000 runs of each curve and all sizes.")
    ] = False,
    papers: Annotated[
        bool, typer.Option("--papers", help="Other people's experiments instead.")
    ] = False,
    study: Annotated[
        list[str] | None,
        typer.Option(
            help="One study only, by name. May be repeated.",
            autocompletion=completions.one_of((*SHIPPED, *PAPERS)),
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

    With --papers: a study for each paper whose experiments can be read, each published figure
    beside ours with a verdict, and what was tried where they differ.
    """
    studies = [
        shipped_study(name, quick=not full).resized(runs=runs, seed=seed)
        for name in study or (PAPERS if papers else SHIPPED)
    ]
    words = ["hush reproduce", *(["--papers"] if papers else []), *(["--full"] if full else [])]
    words += [f"--study {name}" for name in study or []]
    outcomes, findings = run_and_report(
        studies,
        title=TITLES[papers],
        command=shown_command(words, runs, seed),
        out=out,
        workers=workers,
        scheduler=scheduler,
        cache=cache,
    )

    compared = [each for outcome in outcomes for each in compare_published(outcome)]

    def show() -> None:
        print_published(compared)
        print_claims(findings, out)
        typer.echo(count_verdicts(findings))

    return Answer(studies_document(outcomes, findings, out), show)
