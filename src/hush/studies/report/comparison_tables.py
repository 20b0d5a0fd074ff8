"""Tables, JSON and a sentence of published figures beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hush.output.document import TableOf
from hush.output.numbers import shown
from hush.studies.report.comparisons import AGREES, DIFFERS, UNKNOWN, Comparison

__all__ = ["attempts_table", "comparison_document", "comparison_table", "count_comparisons"]


def comparison_table(comparisons: Sequence[Comparison]) -> TableOf:
    """Return published figures beside ours, with verdicts and reasons."""
    rows = tuple(
        (
            each.verdict,
            f"{each.title}, {each.published.figure}",
            each.setting,
            each.theirs,
            each.text,
            "" if each.published.value is None else f"{each.ours.runs:,}",
            "" if each.published.value is None else f"± {shown(each.allowed)}",
            each.why,
        )
        for each in comparisons
    )
    columns = (
        "verdict", "published in", "setting", "published", "here (95 % interval)", "runs",
        "allowed", "why",
    )  # fmt: skip
    return TableOf(columns, rows, numbers=False, marked=0)


def attempts_table(comparisons: Sequence[Comparison]) -> TableOf:
    """Return what was tried for each figure that differs, with the figure that each gave."""
    rows = tuple(
        (
            AGREES if attempt.agrees else DIFFERS,
            f"{each.title}, {each.published.figure}",
            each.setting,
            each.theirs,
            attempt.name,
            attempt.ours.text,
        )
        for each in comparisons
        for attempt in each.attempts
    )
    columns = ("verdict", "published in", "setting", "published", "reading", "gives")
    return TableOf(columns, rows, numbers=False, marked=0)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON has it."""
    published, ours = comparison.published, comparison.ours
    return {
        "study": comparison.study,
        "figure": published.figure,
        "policy": published.policy,
        "where": dict(published.where),
        "over": dict(published.over),
        "published": published.value,
        "at_most": published.most,
        "here": ours.mean,
        "error": ours.error,
        "runs": ours.runs,
        "allowed": comparison.allowed,
        "verdict": comparison.verdict,
        "why": comparison.why,
        "tried": [
            {"reading": each.name, "gives": each.ours.mean, "agrees": each.agrees}
            for each in comparison.attempts
        ],
    }


def count_comparisons(comparisons: Sequence[Comparison]) -> str:
    """Return how many figures agree, differ, or cannot be compared, in one sentence.

    >>> count_comparisons([])
    'Of 0 published figures, 0 agree, 0 differ, and 0 cannot be compared.'
    """
    counts = Counter(each.verdict for each in comparisons)
    found = sum(bool(each.found) for each in comparisons)
    explained = f"; another reading gives {found} of those that differ" if found else ""
    return (
        f"Of {len(comparisons)} published figures, {counts[AGREES]} agree, {counts[DIFFERS]} "
        f"differ, and {counts[UNKNOWN]} cannot be compared{explained}."
    )
