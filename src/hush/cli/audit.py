"""``hush audit``: attack the privacy of one policy, of all, or of the planted bugs."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from hush.auditing import METHODS, AuditReport
from hush.auditing import audit as attack
from hush.auditing.report import SUFFIXES
from hush.cli import specs
from hush.cli.audit_page import cost_table, draw_losses
from hush.cli.pages import fill, markdown_table, require_places
from hush.cli.tables import print_rows
from hush.errors import ParameterError, choice, whole
from hush.output.progress import progress_bar
from hush.policies import REGISTERED, RNMFTNL, Policy
from hush.testing.planted import PLANTED

__all__ = ["audit"]

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="POLICY", help="A name, NAME:parameter=value,..., or module:Class of your own."
    ),
]
Epsilon = Annotated[float, typer.Option(help="The policy's epsilon.")]
Method = Annotated[
    list[str] | None, typer.Option(help=f"One of {', '.join(METHODS)}; may be repeated.")
]
Claim = Annotated[float | None, typer.Option(help="The epsilon to attack, if another.")]
Neighbours = Annotated[str, typer.Option(help="replace or add-remove.")]
Arms = Annotated[int, typer.Option(help="How many arms.")]
Samples = Annotated[int, typer.Option(help="Runs on each table of the statistical method.")]
Noise = Annotated[str, typer.Option(help="Noise of the statistical method: seeded or secure.")]
Seed = Annotated[int, typer.Option(help="Seed of tables and samples.")]
Every = Annotated[bool, typer.Option("--all", help="Audit every registered policy.")]
Planted = Annotated[bool, typer.Option(help="Audit policies with a known bug each.")]
Workers = Annotated[int | None, typer.Option(help="Processes; all cores if left out.")]
Out = Annotated[
    list[Path] | None, typer.Option(help="Save the report: .html, .json or .txt. May be repeated.")
]
Page = Annotated[Path | None, typer.Option(help="Fill in a Markdown page with the tables.")]


def audit(
    policy: Name = None,
    epsilon: Epsilon = 1.0,
    method: Method = None,
    claim: Claim = None,
    neighbours: Neighbours = "replace",
    arms: Arms = 3,
    samples: Samples = 10_000,
    noise: Noise = "seeded",
    seed: Seed = 7,
    every: Every = False,
    planted: Planted = False,
    workers: Workers = None,
    out: Out = None,
    page: Page = None,
) -> None:
    """Attack a policy's privacy guarantee; exit with 1 if it is violated.

    Example: hush audit RNMFTNL.as_printed --epsilon 1 --out report.html
    """
    for path in out or []:
        if path.suffix.lower() not in SUFFIXES:
            raise ParameterError(f"--out {path}: the suffix must be one of {' '.join(SUFFIXES)}")
    options: dict[str, Any] = {
        "n_arms": arms,
        "claim": claim,
        "neighbours": neighbours,
        "methods": tuple(choice("method", m, METHODS) for m in method or METHODS),
        "samples": samples,
        "noise": noise,
        "seed": seed,
    }
    if sum((policy is not None, every, planted)) != 1:
        raise ParameterError("give one policy to audit, or --all, or --planted")
    if policy is not None:
        if page is not None:
            raise ParameterError("--page is for --all and --planted")
        _one(specs.policy(policy, epsilon), options, out or [])
        return
    if out:
        raise ParameterError("--out is for one policy; --all and --planted take --page")
    if page is not None:
        require_places(page, ("all", "as-printed", "cost") if every else ("planted",))
    count = (os.cpu_count() or 1) if workers is None else whole("--workers", workers, least=1)
    violated = (_all if every else _planted)(epsilon, options, count, page)
    if violated:
        raise typer.Exit(1)


def _one(policy: Policy, options: dict[str, Any], out: Sequence[Path]) -> None:
    with progress_bar("auditing", 100, None) as advance:
        report = attack(policy, progress=lambda share: advance(round(100 * share)), **options)
    typer.echo(str(report))
    for path in out:
        report.save(path)
        typer.echo(f"wrote {path}")
    if report.verdict == "violated":
        raise typer.Exit(1)


def _run(policy: Policy, options: dict[str, Any]) -> AuditReport:
    return attack(policy, **options)


def _many(
    title: str, work: Sequence[tuple[Policy, dict[str, Any]]], workers: int
) -> list[AuditReport]:
    """Audit side by side, in processes of their own."""
    reports: dict[int, AuditReport] = {}
    context = multiprocessing.get_context("spawn")
    with (
        progress_bar(title, len(work), None) as advance,
        ProcessPoolExecutor(min(workers, len(work)), mp_context=context) as pool,
    ):
        waiting = {pool.submit(_run, *each): place for place, each in enumerate(work)}
        for done in as_completed(waiting):
            reports[waiting[done]] = done.result()
            advance(1)
    return [reports[place] for place in range(len(work))]


def _all(epsilon: float, options: dict[str, Any], workers: int, page: Path | None) -> bool:
    policies = [_make(cls, epsilon) for cls in REGISTERED]
    printed = RNMFTNL.as_printed(epsilon)
    work = [(each, options) for each in policies]
    work += [(printed, {**options, "neighbours": each}) for each in ("replace", "add-remove")]
    reports = _many("auditing all", work, workers)
    registered, known = reports[: len(policies)], reports[len(policies) :]
    rows = [_row(each) for each in registered]
    known_rows = [_row(each, f"RNMFTNL.as_printed, {each.neighbours}") for each in known]
    claim = registered[0].claim_text
    print_rows(f"every registered policy, {claim}", COLUMNS, rows, numbers=False)
    print_rows("RNM-FTNL as printed", COLUMNS, known_rows, numbers=False)
    typer.echo(
        "replay, exact: worst loss computed; seen: loss proven by samples at 99 % confidence"
    )
    if page is not None:
        picture = page.parent / "images" / "audit-rnm.svg"
        parts = {
            "all": markdown_table(COLUMNS, rows),
            "as-printed": markdown_table(COLUMNS, known_rows),
            "cost": cost_table(),
        }
        fill(page, parts)
        draw_losses(picture)
        typer.echo(f"wrote {page} and {picture}")
    return any(each.verdict == "violated" for each in registered)


COLUMNS = ("policy", "verdict", "replay", "exact", "seen", "noise", "s")


def _make(cls: type[Policy], epsilon: float) -> Policy:
    private = any(each.name == "epsilon" for each in fields(cls))
    return cls.from_parameters({"epsilon": epsilon} if private else {})


def _row(report: AuditReport, name: str | None = None) -> tuple[str, ...]:
    by_method = {finding.method: finding for finding in report.findings}
    cells = []
    for method in METHODS:
        finding = by_method.get(method)
        if finding is None:
            cells.append("-")
        elif method == "noise" or finding.loss is None:
            cells.append({"consistent": "passed"}.get(finding.status, finding.status))
        else:
            cells.append(f"{finding.loss:.4g}")
    return (
        name or report.policy.partition("(")[0],
        report.verdict,
        *cells,
        f"{report.seconds:.0f}",
    )


def _planted(epsilon: float, options: dict[str, Any], workers: int, page: Path | None) -> bool:
    policies = [cls.from_parameters({"epsilon": epsilon}) for cls in PLANTED.values()]
    options = {**options, "methods": tuple(m for m in options["methods"] if m != "noise")}
    reports = _many("auditing planted bugs", [(each, options) for each in policies], workers)
    columns = ("bug", "verdict", "caught by", "replay", "exact", "seen")
    rows = []
    for bug, report in zip(PLANTED, reports, strict=True):
        caught = [f.method for f in report.findings if f.status == "violated"]
        losses = _row(report, bug)[2:5]
        rows.append((bug, report.verdict, ", ".join(caught) or "nothing", *losses))
    print_rows("planted bugs", columns, rows, numbers=False)
    if page is not None:
        fill(page, {"planted": markdown_table(columns, rows)})
        typer.echo(f"wrote {page}")
    return any(report.verdict == "violated" for report in reports)
