"""Options and steps that verbs which run studies share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hush.cli.tables import print_rows
from hush.errors import ParameterError
from hush.output.document import TableOf
from hush.studies.execution import dask_executor
from hush.studies.report.claims import Finding

__all__ = ["Cache", "Runs", "Scheduler", "Seed", "Workers", "chosen_executor", "print_claims"]

Runs = Annotated[int | None, typer.Option(help="Runs of each curve, instead of the study's own.")]
Seed = Annotated[int | None, typer.Option(help="Seed of all runs, instead of the study's own.")]
Workers = Annotated[int | None, typer.Option(help="Threads; all cores if left out.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://10.0.0.1:8786."),
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder of finished blocks; OUT/cache if left out."),
]


@contextmanager
def chosen_executor(scheduler: str | None, workers: int | None) -> Iterator[Executor | None]:
    """Give the executor of a Dask cluster, or none, which means threads."""
    if scheduler is None:
        yield None
        return
    if workers is not None:
        raise ParameterError("--workers is for threads here; a Dask cluster has its own workers")
    with dask_executor(scheduler) as executor:
        yield executor


def print_table(table: TableOf) -> None:
    """Print a table of a report."""
    print_rows("", table.columns, table.rows, numbers=table.numbers)


def print_claims(findings: Sequence[Finding]) -> None:
    """Print claims with their verdicts."""
    rows = [(each.verdict, each.claim.text, each.study) for each in findings]
    print_rows("claims", ("verdict", "claim", "study"), rows, numbers=False)
