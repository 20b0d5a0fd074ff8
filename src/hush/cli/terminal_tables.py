"""Tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hush.output.document import TableOf
from hush.simulation import Result
from hush.simulation.plotting import short_labels
from hush.simulation.summary import typical

__all__ = ["print_rows", "print_summary", "print_table"]


def print_rows(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True
) -> None:
    """Print a table; the first column and numbers are never cut or broken, and no word is cut."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE)
    for position, column in enumerate(columns):
        first = position == 0
        right = numbers and not first
        table.add_column(column, justify="right" if right else "left", no_wrap=first or right)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    console = Console()
    # A line that is too long for the terminal is better than half a number.
    wanted = Console(width=10_000).measure(table)
    console.width = max(console.width, wanted.maximum if numbers else wanted.minimum)
    console.print(table)


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
