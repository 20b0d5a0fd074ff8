"""A table as plain text, for prompts and logs."""

from __future__ import annotations

from textwrap import wrap

from hush.output.document import TableOf

__all__ = ["WIDTH", "text_table"]

WIDTH = 100
NARROWEST = 20  # what is left of the first column where the others are wide


def text_table(table: TableOf, width: int = WIDTH) -> str:
    """Return a table in columns; a first column that is too long for the width is wrapped.

    >>> print(text_table(TableOf(("policy", "regret"), (("UCB1", "60.1"), ("LazyDPTS", "1,204")))))
    policy    regret
    UCB1        60.1
    LazyDPTS   1,204
    """
    lines = (table.columns, *table.rows) if table.columns else table.rows
    if not lines:
        return ""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    others = sum(widths[1:]) + 2 * (len(widths) - 1)
    widths[0] = min(widths[0], max(NARROWEST, width - others))
    shown = []
    for first, *rest in lines:
        head, *more = wrap(first, widths[0], break_on_hyphens=False) or [""]
        cells = [
            cell.rjust(size) if table.numbers else cell.ljust(size)
            for cell, size in zip(rest, widths[1:], strict=True)
        ]
        shown.append("  ".join([head.ljust(widths[0]), *cells]).rstrip())
        shown += more
    return "\n".join(shown)
