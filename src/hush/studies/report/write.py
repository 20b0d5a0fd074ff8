"""The report: pages, figures, tables and data of studies, in one folder."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hush
from hush.output.document import (
    Heading,
    Image,
    Paragraph,
    Part,
    TableOf,
    html,
    markdown,
)
from hush.output.files import remove_unfinished, replaced
from hush.output.latex import latex_table
from hush.output.pictures import save_figure
from hush.simulation.fresh_process import call_in_fresh_process
from hush.simulation.summary import LEVEL
from hush.studies.definition import Plot
from hush.studies.outcome import Outcome
from hush.studies.report.claims import Finding, check_claims
from hush.studies.report.comparison_tables import (
    attempts_table,
    comparison_table,
    count_comparisons,
)
from hush.studies.report.comparisons import RULE, Comparison, compare_published
from hush.studies.report.families import count_verdicts, stated_families
from hush.studies.report.figures import draw_plot
from hush.studies.report.tables import (
    claims_table,
    difference_table,
    regret_table,
    relative_table,
    short_claims_table,
)

__all__ = ["write_report"]

FORMATS = ("svg", "png", "pdf")
FEW = 2  # a process of its own is not worth while for fewer plots
Job = tuple[Outcome, Plot, list[Path]]
CLAIM_COLUMNS = (
    "study", "claim", "verdict", "place", "figure", "value", "low", "high", "verdict there",
)  # fmt: skip
INTRODUCTION = (
    "Regret is pseudo-regret: the gaps of the arms played, summed. Bands and intervals are 95 % "
    "confidence intervals. They are those of the mean over runs where so many runs tell it, "
    "allowing for runs too rare to be seen; where such an interval would be wider than half the "
    "mean, the median stands there instead, and beside it the share of runs that are far, above "
    "three medians, if there are any."
)
TESTED = (
    "A claim is tested wherever the study measured it. It holds if its test holds at all these "
    "places, with intervals that hold together at 95 %; it does not hold if one place clearly "
    "contradicts it; otherwise these runs are inconclusive. Means decide where their intervals do; "
    "where these runs do not tell them, medians do, and the figure says so. Theorems are about "
    "means: what holds for medians need not hold where a rare run costs a thousand times as much. "
    "Orders of growth are fitted to a few finite sizes and are no proof of a limit."
)


def write_report(
    outcomes: Sequence[Outcome],
    folder: str | Path,
    *,
    title: str = "Report",
    command: str = "",
) -> list[Finding]:
    """Write pages, figures, tables and data into a folder; return the tested claims.

    Figures that sources have published come first, beside ours.

    ``report.html`` needs no other file. ``report.md`` shows the files in ``figures``. ``data`` has,
    for each study, a CSV of every run, a CSV of means by checkpoint, and a JSON file that says what
    they are. ``claims.csv`` and ``tables.tex`` hold the claims and the tables.

    Parameters
    ----------
    outcomes
        Studies that have been run.
    folder
        Where to write; made if it is missing.
    title
        The page's title.
    command
        What made it, shown on the page.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> outcome = run_study(shipped_study("adap-constant", quick=True).resized(runs=2))
    >>> findings = write_report([outcome], getfixture("tmp_path"))
    >>> sorted(path.name for path in getfixture("tmp_path").iterdir())
    ['claims.csv', 'data', 'figures', 'report.html', 'report.md', 'tables.tex']
    """
    folder = Path(folder)
    for place in (folder, folder / "data", folder / "figures"):
        remove_unfinished(place)
    tested = [check_claims(outcome) for outcome in outcomes]
    findings = [finding for each in tested for finding in each]
    images = _draw_all(outcomes, folder / "figures")
    compared = [each for outcome in outcomes for each in compare_published(outcome)]
    parts: list[Part] = [Heading(title, 1)]
    parts += _published(compared) or next(iter(images.values()), [])
    if findings:
        parts += [Heading("What came out"), Paragraph(count_verdicts(findings))]
        parts += [Paragraph(text, title=name) for name, text in stated_families(findings)]
    parts += [Paragraph(INTRODUCTION), Paragraph(_made(command))]
    tables = []
    for outcome, found in zip(outcomes, tested, strict=True):
        _write_data(outcome, folder / "data")
        table = regret_table(outcome)
        caption = f"{outcome.study.title}: regret (mean or median) and 95 % interval."
        tables.append(latex_table(table, caption, f"tab:{outcome.study.name}"))
        above = outcome is outcomes[0] and not compared
        shown = [] if above else images[outcome.study.name]
        parts += _section(outcome, found, table, shown)
    if findings:
        parts += [Heading("All claims"), Paragraph(TESTED)]
        parts += [Paragraph(_together(outcomes, findings)), claims_table(findings)]
    _write(folder / "tables.tex", "\n".join(tables))
    _write(folder / "claims.csv", _csv(findings))
    if compared:
        _write(folder / "published.csv", _table_csv(comparison_table(compared)))
        _write(folder / "attempts.csv", _table_csv(attempts_table(compared)))
    _write(folder / "report.md", markdown(parts, folder))
    _write(folder / "report.html", html(parts))
    return findings


def _published(compared: Sequence[Comparison]) -> list[Part]:
    """Return what the comparison with published figures came to; nothing if there are none."""
    if not compared:
        return []
    return [
        Heading("Published figures"),
        Paragraph(count_comparisons(compared)),
        Paragraph(RULE),
        comparison_table(compared),
        Heading("What was tried", 3),
        attempts_table(compared),
    ]


def _together(outcomes: Sequence[Outcome], findings: Sequence[Finding]) -> str:
    """Say which verdicts stand when the number of claims is corrected for, too."""
    level = 1.0 - (1.0 - LEVEL) / len(findings)
    strict = [finding for each in outcomes for finding in check_claims(each, level)]
    lost = [
        f"“{one.claim.text}”"
        for one, other in zip(findings, strict, strict=True)
        if one.verdict != other.verdict
    ]
    stated = (
        f"Each claim has 95 % for itself: {(1.0 - LEVEL) * len(findings):.1f} of "
        f"{len(findings)} may come out wrong by chance. With 95 % for all of them together"
    )
    if not lost:
        return f"{stated}, every verdict stays the same."
    return f"{stated}, these would be inconclusive: {'; '.join(lost)}."


def _made(command: str) -> str:
    by = f" by `{command}`" if command else ""
    return f"Made{by} with Hush {hush.__version__}. The same command gives the same data."


def _draw_all(outcomes: Sequence[Outcome], folder: Path) -> dict[str, list[Image]]:
    """Draw the plots of all studies, as many at a time as there are cores."""
    images: dict[str, list[Image]] = {}
    jobs: list[Job] = []
    for outcome in outcomes:
        study = outcome.study
        images[study.name] = []
        for number, plot in enumerate(study.plots, 1):
            stem = study.name if number == 1 else f"{study.name}-{number}"
            paths = [folder / f"{stem}.{suffix}" for suffix in FORMATS]
            images[study.name].append(Image(paths[0], plot.title or study.title))
            jobs.append((outcome, plot, paths))
    shares = min(os.cpu_count() or 1, len(jobs) // FEW)
    if shares < 2:
        draw_files(jobs)
    else:
        with ThreadPoolExecutor(shares) as pool:
            dealt = [jobs[share::shares] for share in range(shares)]
            list(pool.map(lambda share: call_in_fresh_process(draw_files, share), dealt))
    return images


def draw_files(jobs: Sequence[Job]) -> None:
    """Draw plots, each into several files."""
    for outcome, plot, paths in jobs:
        figure = draw_plot(outcome, plot)
        for path in paths:
            save_figure(figure, path)


def _section(
    outcome: Outcome, findings: Sequence[Finding], table: TableOf, images: Sequence[Image]
) -> list[Part]:
    study = outcome.study
    parts: list[Part] = [Heading(study.title)]
    if study.about:
        parts.append(Paragraph(study.about))
    parts += [*images, table, *(relative_table(outcome, name) for name in study.relative_to)]
    differences = difference_table(outcome)
    if differences is not None:
        parts.append(differences)
    if findings:
        parts.append(short_claims_table(findings))
    parts.append(
        Paragraph(
            f"{_origin(outcome)} Data: data/{study.name}-runs.csv, data/{study.name}.csv, "
            f"data/{study.name}.json. SHA-256 of all runs: {outcome.digest}",
            note=True,
        )
    )
    return parts


def _origin(outcome: Outcome) -> str:
    if all(each.curve.exact for each in outcome.curves):
        return "Expected regret is computed, not simulated."
    return f"Seed {outcome.study.seed}."


def _write_data(outcome: Outcome, folder: Path) -> None:
    name = outcome.study.name
    _write(folder / f"{name}-runs.csv", outcome.runs_csv)
    _write(folder / f"{name}.json", outcome.about())
    summary = outcome.summary().to_csv(index=False, float_format="%.10g", lineterminator="\n")
    _write(folder / f"{name}.csv", summary)
    differences = outcome.differences()
    if len(differences):
        text = differences.to_csv(index=False, float_format="%.10g", lineterminator="\n")
        _write(folder / f"{name}-differences.csv", text)


def _csv(findings: Sequence[Finding]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CLAIM_COLUMNS)
    for each in findings:
        for part in each.parts:
            place = " ".join(f"{axis}={value}" for axis, value in part.where.items())
            numbers = [f"{value:.10g}" for value in (part.value, part.low, part.high)]
            head = [each.study, each.claim.text, each.verdict]
            writer.writerow([*head, place, part.figure, *numbers, part.verdict])
    return text.getvalue()


def _table_csv(table: TableOf) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.columns, *table.rows])
    return text.getvalue()


def _write(path: Path, text: str) -> None:
    with replaced(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
