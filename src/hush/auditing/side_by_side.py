"""Audits of many policies at a time, in processes of their own, and the tables that show them."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import Any

import hush
from hush.auditing.attack import METHODS, audit
from hush.auditing.report import AuditReport
from hush.output.document import TableOf
from hush.output.files import replaced
from hush.output.progress import progress_bar
from hush.policies import REGISTERED, RNMFTNL, Policy
from hush.policies.lookup import policy_at
from hush.testing.planted import PLANTED

__all__ = ["audit_planted", "audit_printed", "audit_registered", "bugs_table", "reports_table"]

COLUMNS = ("policy", "verdict", "construction", "taint", "replay", "exact", "seen", "noise", "s")
Options = Mapping[str, Any]
Work = Sequence[tuple[Policy, Options]]


def audit_registered(
    epsilon: float,
    options: Options,
    workers: int,
    parts: Path | None = None,
    classes: Sequence[type[Policy]] | None = None,
) -> list[AuditReport]:
    """Audit one policy of every registered class; finished ones are kept in ``parts`` meanwhile."""
    policies = [policy_at(cls, epsilon) for cls in classes or REGISTERED]
    return _audit_all("auditing all", [(each, options) for each in policies], workers, parts)


def audit_printed(
    epsilon: float, options: Options, workers: int, parts: Path | None = None
) -> list[AuditReport]:
    """Audit RNM-FTNL as printed, under both kinds of neighbours."""
    printed = RNMFTNL.as_printed(epsilon)
    work = [(printed, {**options, "neighbours": each}) for each in ("replace", "add-remove")]
    return _audit_all("auditing RNM-FTNL as printed", work, workers, parts)


def audit_planted(epsilon: float, options: Options, workers: int) -> dict[str, AuditReport]:
    """Audit the policies with a planted bug each; their noise is as it should be."""
    methods = tuple(m for m in options.get("methods", METHODS) if m != "noise")
    policies = [cls.from_parameters({"epsilon": epsilon}) for cls in PLANTED.values()]
    work = [(each, {**options, "methods": methods}) for each in policies]
    reports = _audit_all("auditing planted bugs", work, workers)
    return dict(zip(PLANTED, reports, strict=True))


def _audit_all(
    title: str, work: Work, workers: int, parts: Path | None = None
) -> list[AuditReport]:
    files = [None if parts is None else parts / f"{_key(*each)}.json" for each in work]
    reports = {
        place: AuditReport.from_dict(json.loads(file.read_text()))
        for place, file in enumerate(files)
        if file is not None and file.exists()
    }
    left = {place: each for place, each in enumerate(work) if place not in reports}
    with progress_bar(title, len(work), None) as advance:
        advance(len(reports))
        for place, report in _audited(left, workers):
            reports[place], file = report, files[place]
            if file is not None:
                with replaced(file) as temporary:
                    temporary.write_text(report.to_json())
            advance(1)
    return [reports[place] for place in range(len(work))]


def _audited(
    work: dict[int, tuple[Policy, Options]], workers: int
) -> Iterator[tuple[int, AuditReport]]:
    """Yield reports as they are done: one worker is this process."""
    if workers == 1 or len(work) < 2:
        for place, each in work.items():
            yield place, _audit_one(*each)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(work)), mp_context=context) as pool:
        waiting = {pool.submit(_audit_one, *each): place for place, each in work.items()}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def _key(policy: Policy, options: Options) -> str:
    """Return what a report depends on, as a name: the policy, the options, every line of Hush."""
    told = json.dumps([policy.to_dict(), sorted(options.items()), _source()], default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:32]


@cache
def _source() -> str:
    folder = Path(hush.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _audit_one(policy: Policy, options: Options) -> AuditReport:
    return audit(policy, **options)


def reports_table(reports: Sequence[AuditReport], names: Sequence[str] | None = None) -> TableOf:
    """Return a row per report: the verdict, and what each method found.

    Examples
    --------
    >>> import hush
    >>> report = hush.audit(hush.AnytimeLazyUCB(1.0), n_arms=2, methods=["construction"])
    >>> reports_table([report]).rows[0][:5]
    ('AnytimeLazyUCB', 'proved', '1', '-', '-')
    """
    found = names or [report.policy.partition("(")[0] for report in reports]
    rows = tuple(
        (name, report.verdict, *_losses(report), f"{report.seconds:.0f}")
        for name, report in zip(found, reports, strict=True)
    )
    return TableOf(COLUMNS, rows, numbers=False)


def bugs_table(reports: Mapping[str, AuditReport]) -> TableOf:
    """Return a row per planted bug: what caught it, and the losses found."""
    rows = []
    for bug, report in reports.items():
        caught = [f.method for f in report.findings if f.status == "violated"]
        losses = _losses(report)[2:5]
        rows.append((bug, report.verdict, ", ".join(caught) or "nothing", *losses))
    columns = ("bug", "verdict", "caught by", "replay", "exact", "seen")
    return TableOf(columns, tuple(rows), numbers=False)


def _losses(report: AuditReport) -> list[str]:
    """Return what each method found: a loss, or its status where it measures none."""
    by_method = {finding.method: finding for finding in report.findings}
    cells = []
    for method in METHODS:
        finding = by_method.get(method)
        if finding is None:
            cells.append("-")
        elif method == "noise" or finding.loss is None:
            words = {"consistent": "no reads" if method == "taint" else "passed"}
            cells.append(words.get(finding.status, finding.status))
        else:
            cells.append(f"{finding.loss:.4g}")
    return cells
