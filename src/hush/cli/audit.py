"""``hush audit``: attack the privacy of one policy, of all, or of the planted bugs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hush.auditing import METHODS
from hush.auditing import audit as attack
from hush.auditing.report import SUFFIXES
from hush.auditing.side_by_side import (
    audit_planted,
    audit_printed,
    audit_registered,
    bugs_table,
    reports_table,
)
from hush.cli import specs
from hush.cli.shared_options import require_suffix
from hush.cli.terminal_tables import print_table
from hush.errors import ParameterError, choice, whole
from hush.output.progress import progress_bar
from hush.policies import Policy

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
) -> None:
    """Attack a policy's privacy guarantee; exit with 1 if it is violated.

    Example: hush audit RNMFTNL.as_printed --epsilon 1 --out report.html
    """
    require_suffix(out or [], SUFFIXES)
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
        violated = _one(specs.policy(policy, epsilon), options, out or [])
    else:
        if out:
            raise ParameterError("--out is for one policy")
        count = (os.cpu_count() or 1) if workers is None else whole("--workers", workers, least=1)
        violated = (_all if every else _planted)(epsilon, options, count)
    if violated:
        raise typer.Exit(1)


def _one(policy: Policy, options: dict[str, Any], out: Sequence[Path]) -> bool:
    with progress_bar("auditing", 100, None) as advance:
        report = attack(policy, progress=lambda share: advance(round(100 * share)), **options)
    typer.echo(str(report))
    for path in out:
        report.save(path)
        typer.echo(f"wrote {path}")
    return report.verdict == "violated"


def _all(epsilon: float, options: dict[str, Any], workers: int) -> bool:
    registered = audit_registered(epsilon, options, workers)
    printed = audit_printed(epsilon, options, workers)
    print_table(
        reports_table(registered), title=f"every registered policy, {registered[0].claim_text}"
    )
    names = [f"RNMFTNL.as_printed, {each.neighbours}" for each in printed]
    print_table(reports_table(printed, names), title="RNM-FTNL as printed")
    typer.echo(
        "replay, exact: worst loss computed; seen: loss proven by samples at 99 % confidence"
    )
    return any(each.verdict == "violated" for each in registered)


def _planted(epsilon: float, options: dict[str, Any], workers: int) -> bool:
    reports = audit_planted(epsilon, options, workers)
    print_table(bugs_table(reports), title="planted bugs")
    return any(report.verdict == "violated" for report in reports.values())
