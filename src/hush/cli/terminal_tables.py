"""Tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hush.output.document import TableOf
from hush.output.numbers import plus_minus
from hush.simulation import Result
from hush.simulation.plotting import short_labels

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
    """Print mean regret with its interval, and quantiles."""
    summary = result.summary()
    rows = [
        (
            name,
            plus_minus(row["mean"], row["high"] - row["mean"], 1),
            f"{row['q50']:,.1f}",
            f"{row['q95']:,.1f}",
            f"{row['worst']:,.1f}",
            str(row["engine"]),
        )
        for name, (_, row) in zip(short_labels(result), summary.iterrows(), strict=True)
    ]
    print_rows(title, ("policy", "mean ± 95 %", "median", "q95", "worst", "engine"), rows)
