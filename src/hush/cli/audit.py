"""``hush audit``: attack the privacy of one policy, of all, or of the planted bugs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from hush.auditing import METHODS, AuditReport
from hush.auditing import audit as attack
from hush.auditing.report import SUFFIXES
from hush.auditing.side_by_side import (
    audit_planted,
    audit_printed,
    audit_registered,
    bugs_table,
    reports_table,
)
from hush.cli import completions, shared_options, specs
from hush.cli.answering import Answer
from hush.cli.terminal_tables import print_table
from hush.errors import ParameterError, choice, whole
from hush.output.progress import progress_bar
from hush.policies import Policy
from hush.privacy import NEIGHBOURS

__all__ = ["audit"]

PARTS = Path("results") / "audit-parts"
Found = tuple[list[AuditReport], Answer]

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="POLICY",
        help="A name, NAME:parameter=value,..., or module:Class of your own.",
        autocompletion=completions.policies,
    ),
]
Epsilon = Annotated[
    float | None, typer.Option(help="The policy's epsilon; 1 if left out, and no --rho given.")
]
Method = Annotated[
    list[str] | None,
    typer.Option(
        help=f"One of {', '.join(METHODS)}; may be repeated.",
        autocompletion=completions.one_of(METHODS),
    ),
]
Claim = Annotated[float | None, typer.Option(help="The epsilon or rho to attack, if another.")]
Neighbours = Annotated[
    str,
    typer.Option(
        help="replace, or add-remove: a round counts as zeros.",
        autocompletion=completions.one_of(NEIGHBOURS),
    ),
]
PersonBound = Annotated[
    int | None, typer.Option(help="In how many rounds the rewards are one person's.")
]
Arms = Annotated[int, typer.Option(help="How many arms.")]
Samples = Annotated[int, typer.Option(help="Runs on each table of the statistical method.")]
Noise = Annotated[str, typer.Option(help="Noise of the statistical method: seeded or secure.")]
Seed = Annotated[int, typer.Option(help="Seed of tables and samples.")]
Rounds = Annotated[int | None, typer.Option(help="Length of replayed tables.")]
First = Annotated[bool, typer.Option("--first", help="Stop at the first violation.")]
Require = Annotated[
    bool, typer.Option("--require-private", help="Exit with 1 if the policy is not private.")
]
Every = Annotated[
    bool,
    typer.Option("--all", help="Audit every registered policy; once interrupted, it goes on."),
]
Planted = Annotated[bool, typer.Option(help="Audit policies with a known bug each.")]
Workers = Annotated[int | None, typer.Option(help="Processes; all cores if left out.")]
Out = Annotated[
    list[Path] | None, typer.Option(help="Save the report: .html, .json or .txt. May be repeated.")
]


def audit(
    policy: Name = None,
    epsilon: Epsilon = None,
    rho: shared_options.Rho = None,
    method: Method = None,
    claim: Claim = None,
    neighbours: Neighbours = "replace",
    person_bound: PersonBound = None,
    arms: Arms = 3,
    samples: Samples = 4_000,
    noise: Noise = "seeded",
    seed: Seed = 7,
    rounds: Rounds = None,
    first: First = False,
    require_private: Require = False,
    every: Every = False,
    planted: Planted = False,
    workers: Workers = None,
    out: Out = None,
) -> Answer:
    """Attack a policy's privacy guarantee.

    Exits with 0 if it is proved or consistent, 1 if it is violated, 2 if that is inconclusive.

    Example: hush audit RNMFTNL.as_printed --epsilon 1 --out report.html
    """
    shared_options.require_suffix(out or [], SUFFIXES)
    options: dict[str, Any] = {
        "n_arms": arms,
        "claim": claim,
        "neighbours": neighbours,
        "person_bound": person_bound,
        "methods": tuple(choice("method", m, METHODS) for m in method or METHODS),
        "samples": samples,
        "noise": noise,
        "seed": seed,
        "rounds": rounds,
        "first": first,
    }
    if sum((policy is not None, every, planted)) != 1:
        raise ParameterError("give one policy to audit, or --all, or --planted")
    if policy is not None:
        loss = 1.0 if epsilon is None and rho is None else epsilon
        found, answer = _one(specs.policy(policy, loss, rho), options, out or [])
    else:
        if out or rho is not None:
            raise ParameterError("--out and --rho are for one policy")
        count = (os.cpu_count() or 1) if workers is None else whole("--workers", workers, least=1)
        work = _all if every else _planted
        found, answer = work(1.0 if epsilon is None else epsilon, options, count)
    verdicts = {each.verdict for each in found}
    bad = {"violated", "not private"} if require_private else {"violated"}
    return replace(answer, code=1 if verdicts & bad else 2 if "inconclusive" in verdicts else 0)


def _one(policy: Policy, options: dict[str, Any], out: Sequence[Path]) -> Found:
    with progress_bar("auditing", 100, None) as advance:
        report = attack(policy, progress=lambda share: advance(round(100 * share)), **options)

    def write() -> Sequence[Path]:
        for path in out:
            report.save(path)
        return out

    return [report], Answer(report.to_dict(), lambda: typer.echo(str(report)), write)


def _all(epsilon: float, options: dict[str, Any], workers: int) -> Found:
    registered = audit_registered(epsilon, options, workers, PARTS)
    printed = audit_printed(epsilon, options, workers, PARTS)
    shutil.rmtree(PARTS, ignore_errors=True)  # a verdict is never taken from an earlier audit

    def show() -> None:
        title = f"every registered policy, {registered[0].claim_text}"
        print_table(reports_table(registered), title=title)
        names = [f"RNMFTNL.as_printed, {each.neighbours}" for each in printed]
        print_table(reports_table(printed, names), title="RNM-FTNL as printed")
        typer.echo(
            "by construction, replay, exact: worst loss computed; seen: loss proven by samples at "
            "99 % confidence"
        )

    document = {
        "registered": [each.to_dict() for each in registered],
        "as_printed": [each.to_dict() for each in printed],
    }
    return registered, Answer(document, show)


def _planted(epsilon: float, options: dict[str, Any], workers: int) -> Found:
    reports = audit_planted(epsilon, options, workers)
    document = {"planted": {bug: report.to_dict() for bug, report in reports.items()}}
    table = bugs_table(reports)
    shown = Answer(document, lambda: print_table(table, title="planted bugs"))
    return list(reports.values()), shown
