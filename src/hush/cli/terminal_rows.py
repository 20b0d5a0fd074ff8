"""Rows on a terminal: a table that needs nothing but rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["print_rows"]


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
