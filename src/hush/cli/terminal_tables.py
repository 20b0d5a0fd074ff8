"""Tables on a terminal."""

from __future__ import annotations

from hush.cli.terminal_rows import print_rows
from hush.output.document import TableOf
from hush.simulation import Result
from hush.simulation.plotting import short_labels

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
    print_table(result.summary().table(short_labels(result)), title)
