"""Tables on a terminal."""

from __future__ import annotations

import numpy as np

from hush.cli.terminal_rows import print_rows
from hush.output.document import TableOf
from hush.simulation import Result
from hush.simulation.plotting import short_labels
from hush.simulation.summary import typical

__all__ = ["lateness", "print_rows", "print_summary", "print_table"]


def lateness(delay: int) -> str:
    """Return what a title says about rewards that come late: nothing where they do not.

    >>> lateness(0), lateness(20_000)
    ('', ', rewards 20,000 rounds late')
    """
    return f", rewards {delay:,} rounds late" if delay else ""


def print_table(table: TableOf, title: str = "") -> None:
    """Print a table of a document."""
    print_rows(title, table.columns, table.rows, numbers=table.numbers)


def print_summary(title: str, result: Result) -> None:
    """Print regret with its interval (mean, or median where runs are few), and quantiles."""
    most = result.largest_gap * result.horizon
    rows = [
        (
            name,
            typical(values, most).text(),
            *(f"{np.quantile(values, q):,.1f}" for q in (0.05, 0.95)),
            f"{values.max():,.1f}",
            engine,
        )
        for name, values, engine in zip(
            short_labels(result), result.regret[:, :, -1], result.engines, strict=True
        )
    ]
    print_rows(title, ("policy", "regret (95 % interval)", "q5", "q95", "worst", "engine"), rows)
