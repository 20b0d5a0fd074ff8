"""Other people's experiments beside ours, for docs/field.md: ``hush reproduce --papers``, and more.

More are the phases of DP-SE, which no engine plays in another way: all readings with one change or
two, and how many samples its phases take until one arm is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hush.output.document import TableOf
from hush.studies import PAPERS, check_claims, run_studies, shipped_study
from hush.studies.report.comparison_tables import (
    attempts_table,
    comparison_table,
    count_comparisons,
)
from hush.studies.report.comparisons import (
    AGREES,
    DIFFERS,
    Estimate,
    allowed,
    compare_published,
)
from hush.studies.report.families import count_verdicts
from hush.studies.report.tables import short_claims_table
from research.field_phases import PhaseReading, combined, play_phases
from research.field_picture import draw_field
from research.field_top_two import READINGS, TopTwoReading, play_top_two
from research.pages import Page, Tables, stored, table_of, wrapped
from research.resumable import run_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "measure"]

S1 = (0.75, 0.625, 0.5, 0.375, 0.25)
THREE_SECONDS = (0.95, 0.9, 0.9, 0.9, 0.5)
PUBLISHED_REGRET, READING_ERROR, THEIR_RUNS = 24_630.0, 246.0, 20  # of DP-SE, at 10^7 rounds
PUBLISHED_SAMPLES, SAMPLES_ERROR = 110_000.0, 5_000.0
PUBLISHED_TOP_TWO = {0.001: 4.2e5, 0.0046: 1.35e5, 0.0215: 3.2e4, 0.1: 1.15e4, 0.46: 6.9e3}
TABLES = ("figures", "attempts", "claims", "phases", "samples", "top_two")
FIRST = "reading of DP-TT"
GIVEN_UP = 10  # times the published number of samples
NEAREST = 12  # so many readings with two changes are shown


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Run the studies of papers as ``hush reproduce --papers --full`` does, and DP-SE's phases."""
    studies = [shipped_study(name, quick=quick) for name in PAPERS]
    if quick:
        studies = [study.resized(runs=2) for study in studies]
    outcomes = run_studies(studies, cache=folder / "cache")
    compared = [each for outcome in outcomes for each in compare_published(outcome)]
    findings = [each for outcome in outcomes for each in check_claims(outcome)]
    runs, few = (2, 2) if quick else (200, 30)
    parts = run_parts(
        folder,
        {"top_two": partial(_top_two, few, seed)},
        {"top_two": len(READINGS) + 1},
        {"seed": seed, "runs": few},
    )
    return {
        "count": _sentences([count_comparisons(compared), count_verdicts(findings)]),
        "figures": comparison_table(compared),
        "attempts": attempts_table(compared),
        "claims": short_claims_table(findings),
        "phases": _phases(runs, seed),
        "samples": _samples(runs, seed),
        "top_two": table_of(parts["top_two"]),
    }, draw_field(compared)


def _sentences(said: Sequence[str]) -> TableOf:
    return TableOf(("text",), tuple((each,) for each in said), numbers=False)


def _phases(runs: int, seed: int) -> TableOf:
    """Return what DP-SE has for each change of its phases, and for the nearest pairs of changes."""
    found = []
    for names, reading in combined(2):
        generator = np.random.default_rng([seed, *map(ord, ";".join(names))])
        regret = [play_phases(reading, S1, 1.0, 10**7, 1e-7, generator)[0] for _ in range(runs)]
        ours = Estimate(float(np.mean(regret)), float(np.std(regret, ddof=1)), runs)
        found.append((names, ours))
    single = [each for each in found if len(each[0]) < 2]
    pairs = [each for each in found if len(each[0]) == 2]
    pairs.sort(key=lambda each: abs(np.log(each[1].mean / PUBLISHED_REGRET)))
    rows = [_phase_row(names, ours) for names, ours in (*single, *pairs)]
    near = rows[: len(single) + NEAREST]
    rest = [row for row in rows[len(near) :] if row[-1] == DIFFERS]
    agree = [row for row in rows[len(near) :] if row[-1] == AGREES]
    more = (f"{len(rest)} more pairs of changes, all further away", "", "", "", DIFFERS)
    columns = ("reading of DP-SE", "regret", "published", "allowed", "verdict")
    return TableOf(columns, (*near, *agree, more), numbers=False)


def _phase_row(names: Sequence[str], ours: Estimate) -> tuple[str, ...]:
    margin = allowed(ours, THEIR_RUNS, READING_ERROR)
    agrees = abs(ours.mean - PUBLISHED_REGRET) <= margin
    return (
        "; ".join(names) or "as its text has it",
        f"{ours.mean:,.0f}",
        f"{PUBLISHED_REGRET:,.0f}",
        f"± {margin:,.0f}",
        AGREES if agrees else DIFFERS,
    )


def _samples(runs: int, seed: int) -> TableOf:
    """Return after how many samples DP-SE names an arm, beside the published number."""
    rows = []
    for epsilon in (0.1, 0.46, 1.0):
        generator = np.random.default_rng([seed, round(1000 * epsilon)])
        taken = [
            play_phases(PhaseReading(), THREE_SECONDS, epsilon, 10**9, 0.01, generator)[1]
            for _ in range(runs)
        ]
        ours = Estimate(float(np.mean(taken)), float(np.std(taken, ddof=1)), runs)
        margin = allowed(ours, 100, SAMPLES_ERROR)
        agrees = abs(ours.mean - PUBLISHED_SAMPLES) <= margin
        rows.append(
            (
                f"{epsilon:g}",
                f"{PUBLISHED_SAMPLES:,.0f}",
                f"{ours.mean:,.0f}",
                f"± {margin:,.0f}",
                AGREES if agrees else DIFFERS,
            )
        )
    columns = ("epsilon", "published", "here", "allowed", "verdict")
    return TableOf(columns, tuple(rows), numbers=False)


def _top_two(runs: int, seed: int) -> Iterator[dict[str, str]]:
    """Yield how many samples DP-TT takes in each reading, beside the published numbers."""
    columns = [f"epsilon {epsilon:g}" for epsilon in PUBLISHED_TOP_TWO]
    values = [f"{value:,.0f}" for value in PUBLISHED_TOP_TWO.values()]
    yield {FIRST: "published", **dict(zip(columns, values, strict=True))}
    for reading in READINGS:
        cells = [_top_two_cell(reading, epsilon, runs, seed) for epsilon in PUBLISHED_TOP_TWO]
        yield {FIRST: reading.name, **dict(zip(columns, cells, strict=True))}


def _top_two_cell(reading: TopTwoReading, epsilon: float, runs: int, seed: int) -> str:
    published = PUBLISHED_TOP_TWO[epsilon]
    most = int(GIVEN_UP * published)
    means = np.array(THREE_SECONDS)
    generator = np.random.default_rng([seed, round(1e4 * epsilon), *map(ord, reading.name)])
    found = [
        play_top_two(means, epsilon, 0.01, most, reading.numbers, generator) for _ in range(runs)
    ]
    taken = np.array([samples for _, samples in found], dtype=np.float64)
    lost = sum(arm < 0 for arm, _ in found) / runs
    wrong = sum(arm > 0 for arm, _ in found) / runs
    ours = Estimate(float(taken.mean()), float(taken.std(ddof=1)), runs)
    said = [f"{'> ' if lost else ''}{ours.mean:,.0f}, median {np.median(taken):,.0f}"]
    said += [f"{lost:.0%} given up"] if lost else []
    said += [f"{wrong:.0%} wrong"] if wrong else []
    near = abs(ours.mean - published) <= allowed(ours, 100, 0.01 * published)
    return "; ".join([*said, *(["**agrees**"] if near and not lost else [])])


def _stated(tables: Tables) -> str:
    """Return the counts of verdicts."""
    return "\n\n".join(wrapped(text) for (text,) in tables["count"].rows)


PAGE = Page(
    "field",
    {
        "count": _stated,
        **{name: stored(name) for name in TABLES},
    },
    picture="field",
)
