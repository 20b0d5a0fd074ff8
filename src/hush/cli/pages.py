"""Pages that commands fill in: what stands between two marks is theirs, the rest is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hush.errors import ParameterError
from hush.simulation.files import replaced

__all__ = ["fill", "markdown_table"]


def fill(path: Path, parts: Mapping[str, str]) -> None:
    """Replace what stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->`` in a page.

    A page without the marks of every part is refused, and left as it is.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ParameterError(f"cannot read {path}: {error.strerror}") from None
    for name, content in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise ParameterError(f"{path} has no place for {name}: {begin} ... {end}")
        text = f"{head}{begin}\n{content.strip()}\n{end}{tail}"
    with replaced(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table in Markdown.

    >>> print(markdown_table(("a", "b"), [("1", "x|y")]))
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    lines = [columns, *rows]
    shown = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    shown.insert(1, "|" + "---|" * len(columns))
    return "\n".join(shown)
