"""``hush reproduce``: the paper's experiments and our own studies, in one report."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from hush.cli.running import (
    Cache,
    Runs,
    Scheduler,
    Seed,
    Workers,
    chosen_executor,
    print_claims,
)
from hush.studies import SHIPPED, run_studies, shipped_study
from hush.studies.conjecture_part import conjecture_parts
from hush.studies.elsewhere import call_elsewhere
from hush.studies.report.write import count_verdicts, write_report

__all__ = ["reproduce"]

CONJECTURE = "conjecture"


def reproduce(
    full: Annotated[
        bool, typer.Option("--full", help="1,000 runs of each curve and all sizes.")
    ] = False,
    study: Annotated[
        list[str] | None, typer.Option(help="One study only, by name. May be repeated.")
    ] = None,
    runs: Runs = None,
    seed: Seed = None,
    out: Annotated[Path, typer.Option(help="Folder for report and data.")] = Path("results"),
    workers: Workers = None,
    scheduler: Scheduler = None,
    cache: Cache = None,
) -> None:
    """Run the paper's experiments and our studies; leave a report, figures and data in a folder.

    Without --full: 100 runs of each private curve of the paper's figures, which has 20, and fewer
    runs and smaller sizes beyond them. Finished parts are kept in a cache: an interrupted run goes
    on where it stopped.
    """
    names = study or [*SHIPPED, CONJECTURE]
    studies = [
        shipped_study(name, quick=not full).resized(runs=runs, seed=seed)
        for name in names
        if name != CONJECTURE
    ]
    finished = cache or out / "cache"
    with ThreadPoolExecutor(1) as beside, chosen_executor(scheduler, workers) as executor:
        exact = (
            beside.submit(call_elsewhere, conjecture_parts, out) if CONJECTURE in names else None
        )
        outcomes = run_studies(studies, cache=finished, executor=executor, workers=workers)
        more = exact.result() if exact else []
    words = ["hush reproduce", *(["--full"] if full else [])]
    words += [f"--study {name}" for name in study or []]
    words += [f"--runs {runs}"] * (runs is not None) + [f"--seed {seed}"] * (seed is not None)
    findings = write_report(
        outcomes,
        out,
        title="Differentially private online learning: the paper reproduced",
        command=" ".join(words),
        more=more,
    )
    print_claims(findings)
    typer.echo(count_verdicts(findings))
    typer.echo(f"wrote {out / 'report.html'}, report.md, figures, data and tables.tex")
