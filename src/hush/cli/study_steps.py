"""What verbs that run studies do alike: run them, write the report, print the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from hush.cli.summaries import outcome_document
from hush.cli.terminal_tables import print_rows, print_table
from hush.errors import ParameterError
from hush.studies import Finding, Outcome, Study, dask_executor, run_studies
from hush.studies.report.comparison_tables import comparison_document, count_comparisons
from hush.studies.report.comparisons import Comparison, compare_published
from hush.studies.report.tables import difference_table, regret_table
from hush.studies.report.write import write_report

__all__ = [
    "print_claims",
    "print_outcome",
    "print_published",
    "run_and_report",
    "shown_command",
    "studies_document",
]


def run_and_report(
    studies: Sequence[Study],
    *,
    title: str,
    command: str,
    out: Path,
    workers: int | None,
    scheduler: str | None,
    cache: Path | None,
) -> tuple[list[Outcome], list[Finding]]:
    """Run studies in threads or on a cluster, and leave report and data in a folder."""
    with _executor(scheduler, workers) as executor:
        outcomes = run_studies(
            studies, cache=cache or out / "cache", executor=executor, workers=workers
        )
    findings = write_report(outcomes, out, title=title, command=command)
    return outcomes, findings


@contextmanager
def _executor(scheduler: str | None, workers: int | None) -> Iterator[Executor | None]:
    """Give the executor of a Dask cluster, or none, which means threads."""
    if scheduler is None:
        yield None
        return
    if workers is not None:
        raise ParameterError("--workers is for threads here; a Dask cluster has its own workers")
    with dask_executor(scheduler) as executor:
        yield executor


def shown_command(words: Sequence[str], runs: int | None, seed: int | None) -> str:
    """Return the command that makes the same report again.

    >>> shown_command(["hush reproduce", "--full"], None, 3)
    'hush reproduce --full --seed 3'
    """
    sizes = {"--runs": runs, "--seed": seed}
    return " ".join(
        [*words, *(f"{key} {value}" for key, value in sizes.items() if value is not None)]
    )


def print_outcome(outcome: Outcome, title: str) -> None:
    """Print regret, and differences to the baseline where there is one."""
    typer.echo(title)
    print_table(regret_table(outcome))
    differences = difference_table(outcome)
    if differences is not None:
        print_table(differences)


def studies_document(
    outcomes: Sequence[Outcome], findings: Sequence[Finding], out: Path
) -> dict[str, Any]:
    """Return studies, claims and published figures with verdicts, and where the report is."""
    return {
        "studies": [outcome_document(each) for each in outcomes],
        "claims": [
            {"study": each.study, "claim": each.claim.text, "verdict": each.verdict}
            for each in findings
        ],
        "published": [
            comparison_document(each) for outcome in outcomes for each in compare_published(outcome)
        ],
        "report": out / "report.html",
    }


def print_published(compared: Sequence[Comparison]) -> None:
    """Print published figures beside ours, if there are any."""
    if compared:
        rows = [
            (each.verdict, f"{each.title}: {each.setting}", each.theirs, each.text)
            for each in compared
        ]
        print_rows("published", ("verdict", "setting", "published", "here"), rows, numbers=False)
        typer.echo(count_comparisons(compared))


def print_claims(findings: Sequence[Finding], out: Path) -> None:
    """Print claims with their verdicts, and where the report is."""
    if findings:
        rows = [(each.verdict, each.claim.text, each.study) for each in findings]
        print_rows("claims", ("verdict", "claim", "study"), rows, numbers=False)
    typer.echo(f"wrote {out / 'report.html'}, report.md, figures, data and tables.tex")
