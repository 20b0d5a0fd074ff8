"""Pages that commands fill in: what stands between two marks is theirs, the rest is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hush.errors import ParameterError
from hush.output.files import replaced

__all__ = ["fill", "markdown_table", "require_places"]


def require_places(path: Path, names: Iterable[str]) -> str:
    """Return a page's text, or raise if it cannot be read or lacks the marks of a part.

    Commands that take long ask first.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ParameterError(f"cannot read {path}: {error.strerror}") from None
    for name in names:
        begin, end = _marks(name)
        if end not in text.partition(begin)[2]:
            raise ParameterError(f"{path} has no place for {name}: {begin} ... {end}")
    return text


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- begin {name} -->", f"<!-- end {name} -->"


def fill(path: Path, parts: Mapping[str, str]) -> None:
    """Replace what stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->`` in a page.

    A page without the marks of every part is refused, and left as it is.
    """
    text = require_places(path, parts)
    for name, content in parts.items():
        begin, end = _marks(name)
        head, _, rest = text.partition(begin)
        tail = rest.partition(end)[2]
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
