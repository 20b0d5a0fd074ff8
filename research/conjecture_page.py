"""The page about the conjecture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hush.output.document import TableOf, markdown_table
from research.conjecture import Scale, run_study
from research.conjecture_tables import draw_study, study_tables
from research.pages import Page, Tables, stored, table_of, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "measure"]

SUMMARY = """
In all {cells} cells the regret of RNM-FTNL stays within a small factor of the conjectured rate: at
most {worst} times `ln K / min(Dmin, eps)` in the replace calibration and {printed} times as
printed. Its largest value in the replace calibration is {few} up to 16 actions and {many} up to
{actions}. On the doubling-gap instance with eps no larger than any gap, the ratio to the rate goes
from {rate_first} with {least} bracket to {rate_last} with {most}, while the ratio to the paper's
bound falls from {share_first} to {share_last}. That bound adds up over brackets; regret grows with
`ln K` only. A heuristic reason: in an epoch of n rounds the actions with gaps below `1/(n eps)`
look like the best one and share the plays, and the others are rarely chosen. Such an epoch costs
about `1/eps` divided by the number of actions still in the race; that number falls from epoch to
epoch, and the sum of its inverses is `ln K`.

This supports the conjecture for this algorithm on these instances, and proves nothing. The
instances have independent coins, gaps of at least {gap}, and come from three families; a harder
family may exist. What is certain is that the paper's constants leave much room: regret is nowhere
above {share} of its bound, but {coins} of the [bound for coins](#what-resampling-gives). Of the
ratios of successive epochs tried, {best} is best on average, with {gain} less regret than the
printed 2.
"""


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Run the study, or what is left of it; return the tables to show and the picture."""
    tables = run_study(folder, Scale.quick() if quick else Scale(), seed)
    shown = {name: table_of(table) for name, table in study_tables(tables).items()}
    return shown, draw_study(tables)


def _summary(tables: Tables) -> str:
    figures = tables["figures"]
    text = SUMMARY.format(**dict(zip(figures.columns, figures.rows[0], strict=True)))
    return "\n\n".join(wrapped(paragraph) for paragraph in text.strip().split("\n\n"))


def _privacy(tables: Tables) -> str:
    """Show a table for each setting, which is the last column of the stored one."""
    table = tables["privacy"]
    settings = dict.fromkeys(row[-1] for row in table.rows)
    parts = []
    for setting in settings:
        rows = tuple(row[:-1] for row in table.rows if row[-1] == setting)
        shown = markdown_table(TableOf(table.columns[:-1], rows, numbers=False))
        parts.append(f"### {setting}\n\n{shown}")
    return "\n\n".join(parts)


PAGE = Page(
    "conjecture",
    {
        "summary": _summary,
        "rates": stored("rates"),
        "brackets": stored("brackets"),
        "growth": stored("growth"),
        "privacy": _privacy,
    },
    picture="conjecture",
)
