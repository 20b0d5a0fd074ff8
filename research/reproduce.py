"""What came out of all studies at their full size, for docs/reproduce.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hush.output.document import TableOf
from hush.studies import check_claims, run_studies, shipped_study
from hush.studies.definition.from_toml import SHIPPED
from hush.studies.report.families import count_verdicts, stated_families
from hush.studies.report.tables import short_claims_table
from research.pages import Page, Tables, stored, wrapped

__all__ = ["PAGE", "measure"]


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], None]:
    """Run the shipped studies, each with its own seed, and test their claims."""
    del seed  # the studies have theirs, as in hush reproduce
    studies = [shipped_study(name, quick=quick) for name in SHIPPED]
    if quick:
        studies = [study.resized(runs=2) for study in studies]
    outcomes = run_studies(studies, cache=folder / "cache")
    findings = [finding for outcome in outcomes for finding in check_claims(outcome)]
    return {
        "families": _table(("family", "text"), stated_families(findings)),
        "count": _table(("text",), [(count_verdicts(findings),)]),
        "verdicts": short_claims_table(findings),
    }, None


def _table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> TableOf:
    return TableOf(columns, tuple(rows), numbers=False)


def _stated(tables: Tables) -> str:
    """Return the count of verdicts, and a paragraph for each family of claims."""
    ((count,),) = tables["count"].rows
    told = [f"**{name}.** {text}" for name, text in tables["families"].rows]
    return "\n\n".join(wrapped(each) for each in (count, *told))


PAGE = Page("reproduce", {"outcome": _stated, "verdicts": stored("verdicts")})
