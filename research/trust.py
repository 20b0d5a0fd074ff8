"""What each trust model costs, side by side, and where trusting nobody costs no more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hush.output.document import TableOf
from hush.output.numbers import readable
from hush.studies import check_claims, run_studies, shipped_study
from hush.studies.definition import Study
from hush.studies.outcome import Cell, CurveData, Outcome, alike, less
from hush.studies.report.figures import draw_plot
from hush.studies.report.tables import short_claims_table
from research.pages import Page, stored

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "crossing", "measure"]

NAMES = ("trust", "trust-arms")
LOCAL = "Thompson sampling, local"
CENTRAL = ("Lazy-DP-TS, central", "Anytime-Lazy-UCB, central", "NoiseAwareIMED, central")


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Run both studies, each with its own seed; say where curves cross and which claims hold."""
    del seed  # the studies have theirs, as in hush reproduce
    studies = [shipped_study(name, quick=quick) for name in NAMES]
    if quick:
        studies = [study.resized(runs=2) for study in studies]
    outcomes = run_studies(studies, cache=folder / "cache")
    findings = [each for outcome in outcomes for each in check_claims(outcome)]
    rows = [row for outcome in outcomes for row in _crossings(outcome)]
    columns = ("instance", "than", "more up to", "as much at about", "less from")
    return {
        **{outcome.study.name: _regret(outcome) for outcome in outcomes},
        "crossings": TableOf(columns, tuple(rows), numbers=False),
        "claims": short_claims_table(findings),
    }, draw_plot(outcomes[0], outcomes[0].study.plots[0])


def _regret(outcome: Outcome) -> TableOf:
    """Return regret at the horizon: a row for each policy on each instance, epsilons across."""
    study = outcome.study
    epsilons = study.values("epsilon")
    rows = []
    for place, said in _instances(study):
        for name in dict.fromkeys(each.curve.name for each in outcome.curves):
            found = outcome.find(name, place)
            cells = [each.typical().text() for each in found]
            if len(cells) == 1:  # it has no epsilon
                cells = [f"{cells[0]} (no eps)", *[""] * (len(epsilons) - 1)]
            rows.append((said, name, f"{found[0].curve.runs:,}", *cells))
    heads = [f"eps {readable(epsilon)}" for epsilon in epsilons]
    return TableOf(("instance", "policy", "runs", *heads), tuple(rows), numbers=False)


def _instances(study: Study) -> Iterator[tuple[dict[str, object], str]]:
    """Yield the swept values of each instance, and what it is called."""
    (axis,) = [name for name, _ in study.axes if name != "epsilon"]
    for value in study.values(axis):
        yield {axis: value}, str(value) if axis == "instance" else f"{value} {axis}"


def _crossings(outcome: Outcome) -> Iterator[tuple[str, ...]]:
    for place, said in _instances(outcome.study):
        local = outcome.find(LOCAL, place)
        for name in CENTRAL:
            yield said, name, *crossing(local, outcome.find(name, place))


def crossing(local: Sequence[CurveData], central: Sequence[CurveData]) -> tuple[str, str, str]:
    """Return the epsilons up to which, at about which, and from which on local regret is less.

    The first and the last are those where the 95 % interval of the difference says so, the one in
    between is read off a line on log scales. A dash stands where there is none.
    """
    epsilons = [float(dict(each.curve.place)["epsilon"]) for each in local]
    gaps = [less(one, other)[1] for one, other in zip(local, central, strict=True)]
    more = [epsilon for epsilon, gap in zip(epsilons, gaps, strict=True) if gap.low > 0.0]
    fewer = [epsilon for epsilon, gap in zip(epsilons, gaps, strict=True) if gap.high < 0.0]
    ratios = [_log_ratio(one, other) for one, other in zip(local, central, strict=True)]
    met = "-"
    for number in range(len(ratios) - 1):
        here, there = ratios[number], ratios[number + 1]
        if here > 0.0 >= there:
            part = here / (here - there)
            logs = [math.log(epsilon) for epsilon in epsilons[number : number + 2]]
            met = f"{math.exp((1.0 - part) * logs[0] + part * logs[1]):.2g}"
    return (
        readable(max(more)) if more else "-",
        met,
        readable(min(fewer)) if fewer else "-",
    )


def _log_ratio(one: CurveData, other: CurveData) -> float:
    _, (first, second) = alike([Cell(one), Cell(other)])
    return math.log(first.value / second.value)


PAGE = Page(
    "trust",
    {name: stored(name) for name in (*NAMES, "crossings", "claims")},
    picture="trust",
)
