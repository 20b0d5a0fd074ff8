"""Claims in a few words: what came out, a paragraph for each family of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hush.output.numbers import readable
from hush.studies.report.claims import FAILS, HOLDS, INCONCLUSIVE, Finding

__all__ = ["count_verdicts", "stated_families"]


def count_verdicts(findings: Sequence[Finding]) -> str:
    """Return how many claims hold, do not, or are inconclusive, in one sentence."""
    counts = Counter(each.verdict for each in findings)
    medians = sum(each.of_medians for each in findings)
    rest = f"; {medians} of these verdicts rest on medians, as runs do not tell the means"
    return (
        f"Of {len(findings)} claims, {counts[HOLDS]} hold, {counts[FAILS]} do not hold, "
        f"and {counts[INCONCLUSIVE]} are inconclusive{rest if medians else ''}."
    )


def stated_families(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Return each family of claims with what came out: how many hold, and what speaks against.

    >>> stated_families([])
    []
    """
    families: dict[str, list[Finding]] = {}
    for each in findings:
        families.setdefault(each.claim.family, []).append(each)
    return [(name, _stated(found)) for name, found in families.items()]


def _stated(findings: Sequence[Finding]) -> str:
    counts = Counter(each.verdict for each in findings)
    start = f"{counts[HOLDS]} of {len(findings)} claims hold"
    medians = sum(each.of_medians for each in findings if each.verdict == HOLDS)
    if medians:
        start += f", {medians} of them for medians"
    against = [_exception(each) for each in findings if each.verdict == FAILS]
    unclear = [_unquoted(each) for each in findings if each.verdict == INCONCLUSIVE]
    told = [start]
    if against:
        told.append(f"not so: {'; '.join(against)}")
    if unclear:
        told.append(f"undecided: {'; '.join(unclear)}")
    return ". ".join(each[0].upper() + each[1:] for each in told) + "."


def _unquoted(finding: Finding) -> str:
    return finding.claim.text.rstrip(".")


def _exception(finding: Finding) -> str:
    """Return a claim that does not hold: where it does and does not, and the figures there."""
    against = finding.against
    values = [part.value for part in against]
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    spread = low if low == high else f"{low} to {high}"
    figure = f"{against[0].figure} {spread}"
    places = len(finding.parts)
    if places == 1:
        return f"{_unquoted(finding)} ({figure})"
    holds = sum(part.verdict == HOLDS for part in finding.parts)
    return f"{_unquoted(finding)} (at {holds} of {places}; {figure} {_where(finding)})"


def _where(finding: Finding) -> str:
    """Return where a claim is contradicted: the swept values, or how many places there are."""
    against = finding.against
    if len(against) == len(finding.parts):
        return "everywhere"
    told = [
        f"{axis} {', '.join(dict.fromkeys(readable(part.where[axis]) for part in against))}"
        for axis in against[0].where
        if len({str(part.where[axis]) for part in finding.parts}) > 1
    ]
    if len(told) == 1:
        return f"at {told[0]}"
    return "at one place" if len(against) == 1 else f"at {len(against)} places"
