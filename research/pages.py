"""Pages of the docs with parts that are made from data: what stands between two marks.

The data are small CSV files in ``research/data/PAGE``, one for each table that the page shows.
"""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from hush.errors import ParameterError
from hush.output.document import TableOf, markdown_table
from hush.output.files import replaced

__all__ = [
    "DATA",
    "DOCS",
    "Page",
    "complete",
    "fill",
    "load_tables",
    "save_tables",
    "stored",
    "table_of",
    "wrapped",
]

WIDTH = 100
GLUE = "\0"  # a space that no line is broken at
ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
DATA = ROOT / "research" / "data"
Tables = Mapping[str, TableOf]
Part = Callable[[Tables], str]


@dataclass(frozen=True)
class Page:
    """A page, what makes each of its parts from the page's tables, and its picture's name.

    Examples
    --------
    >>> from hush.output.document import TableOf
    >>> page = Page("mine", {"list": stored("list")})
    >>> text = "a" + chr(10) + "<!-- begin list -->" + chr(10) + "<!-- end list -->"
    >>> print(page.render(text, {"list": TableOf(("n", "square"), (("2", "4"),), numbers=False)}))
    a
    <!-- begin list -->
    | n | square |
    |---|---|
    | 2 | 4 |
    <!-- end list -->
    """

    name: str
    parts: Mapping[str, Part]
    picture: str = ""

    @property
    def path(self) -> Path:
        """Where the page is."""
        return DOCS / f"{self.name}.md"

    @property
    def data(self) -> Path:
        """Where its tables are."""
        return DATA / self.name

    def render(self, text: str, tables: Tables) -> str:
        """Return the page's text with every part made anew."""
        parts = {name: make(tables) for name, make in self.parts.items()}
        return fill(text, parts, self.path.name)

    def write(self) -> bool:
        """Bring the page up to date; tell whether it was stale."""
        text = _read(self.path)
        fresh = self.render(text, load_tables(self.data))
        if fresh != text:
            with replaced(self.path) as temporary:
                temporary.write_text(fresh, encoding="utf-8", newline="\n")
        return fresh != text

    def stale(self) -> bool:
        """Tell whether the page differs from what its data and the code make of it."""
        text = _read(self.path)
        return self.render(text, load_tables(self.data)) != text


def stored(name: str) -> Part:
    """Return what shows a stored table as it is."""
    return lambda tables: markdown_table(tables[name])


def table_of(frame: pd.DataFrame) -> TableOf:
    """Return a data frame of text as a table."""
    rows = tuple(tuple(map(str, row)) for row in frame.itertuples(index=False))
    return TableOf(tuple(map(str, frame.columns)), rows, numbers=False)


def wrapped(text: str) -> str:
    """Return a paragraph wrapped as all pages are; code stays on one line.

    >>> wrapped("word " * 19 + "`a b c d`").splitlines()[-1]
    '`a b c d`'
    """
    joined = re.sub(r"`[^`]+`", lambda code: code[0].replace(" ", GLUE), " ".join(text.split()))
    lines = textwrap.fill(joined, WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace(GLUE, " ")


def complete(table: TableOf, names: Iterable[str]) -> TableOf:
    """Return a table with a row for each name, in order; empty cells where it has none.

    >>> complete(TableOf(("policy", "regret"), (("b", "1"),)), ["a", "b"]).rows
    (('a', ''), ('b', '1'))
    """
    found = {row[0]: row for row in table.rows}
    empty = ("",) * (len(table.columns) - 1)
    rows = tuple(found.get(name, (name, *empty)) for name in names)
    return TableOf(table.columns, rows, numbers=table.numbers)


def fill(text: str, parts: Mapping[str, str], page: str) -> str:
    """Replace what stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""
    for name, content in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        head, _, rest = text.partition(begin)
        _, found, tail = rest.partition(end)
        if not found:
            raise ParameterError(f"{page} has no place for {name}: {begin} ... {end}")
        text = f"{head}{begin}\n{content.strip()}\n{end}{tail}"
    return text


def load_tables(folder: Path) -> dict[str, TableOf]:
    """Return the tables of a folder by the names of their files."""
    tables = {}
    for path in sorted(folder.glob("*.csv")):
        columns, *rows = csv.reader(io.StringIO(_read(path)))
        tables[path.stem] = TableOf(tuple(columns), tuple(map(tuple, rows)), numbers=False)
    return tables


def save_tables(folder: Path, tables: Tables) -> None:
    """Write tables, a CSV file each."""
    for name, table in tables.items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([table.columns, *table.rows])
        with replaced(folder / f"{name}.csv") as temporary:
            temporary.write_text(text.getvalue(), encoding="utf-8", newline="\n")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ParameterError(f"cannot read {path}: {error.strerror}") from None
