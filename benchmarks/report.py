"""Tables for people and one JSON file for programs."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Table", "render", "write_json"]

Row = dict[str, Any]


@dataclass
class Table:
    """Rows under a title. A row with ``failed`` says why it could not be measured."""

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: Sequence[str] = ()


def render(table: Table) -> str:
    """Return the table as plain aligned text."""
    shown = [row for row in table.rows if "failed" not in row]
    columns = list(dict.fromkeys(key for row in shown for key in row))
    body = [[_cell(row.get(column)) for column in columns] for row in shown]
    widths = [max(map(len, cells)) for cells in zip(columns, *body, strict=True)]
    words = [any(isinstance(row.get(column), str) for row in shown) for column in columns]
    lines = [table.title, "-" * len(table.title)]
    for cells in [columns, *body]:
        placed = (
            cell.ljust(width) if word else cell.rjust(width)
            for cell, width, word in zip(cells, widths, words, strict=True)
        )
        lines.append("  ".join(placed).rstrip())
    lines += [_failure(row) for row in table.rows if "failed" in row]
    return "\n".join([*lines, *table.notes])


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _failure(row: Row) -> str:
    who = ", ".join(f"{key} {value}" for key, value in row.items() if key != "failed")
    return f"could not be measured: {who}: {row['failed']}"


def write_json(path: Path, sections: dict[str, list[Table]], **about: object) -> None:
    """Write all tables; the file is replaced whole or not at all."""
    tables = {name: [asdict(table) for table in each] for name, each in sections.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".bench-", suffix=".json", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w") as file:
            json.dump({**about, "sections": tables}, file, indent=1, allow_nan=False)
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
