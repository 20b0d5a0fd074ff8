"""``hush run``: a study of one's own, from a TOML file."""

from __future__ import annotations

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
    print_table,
)
from hush.studies import load_study, run_studies
from hush.studies.report.tables import difference_table, regret_table
from hush.studies.report.write import write_report

__all__ = ["run"]


def run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Studies: TOML files.")],
    quick: Annotated[bool, typer.Option(help="The smaller sizes of the [quick] tables.")] = False,
    runs: Runs = None,
    seed: Seed = None,
    out: Annotated[Path, typer.Option(help="Folder for report and data.")] = Path("results"),
    workers: Workers = None,
    scheduler: Scheduler = None,
    cache: Cache = None,
) -> None:
    """Run studies from TOML files and write a report; finished parts are not run again.

    Example: hush run my-study.toml --out results
    """
    studies = [load_study(file, quick=quick).resized(runs=runs, seed=seed) for file in files]
    with chosen_executor(scheduler, workers) as executor:
        outcomes = run_studies(
            studies, cache=cache or out / "cache", executor=executor, workers=workers
        )
    words = ["hush run", *(file.name for file in files), *(["--quick"] if quick else [])]
    words += [f"--runs {runs}"] * (runs is not None) + [f"--seed {seed}"] * (seed is not None)
    findings = write_report(outcomes, out, title=studies[0].title, command=" ".join(words))
    for outcome in outcomes:
        typer.echo(outcome.study.title)
        print_table(regret_table(outcome))
        differences = difference_table(outcome)
        if differences is not None:
            print_table(differences)
    if findings:
        print_claims(findings)
    typer.echo(f"wrote {out / 'report.html'}, report.md, figures, data and tables.tex")
