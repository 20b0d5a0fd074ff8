"""A document as a list of parts, and its two forms: one HTML page, and Markdown.

Every page that Hush writes for people is made here: the report of studies and that of an audit.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Protocol

__all__ = [
    "Drawing",
    "Heading",
    "Image",
    "Paragraph",
    "Part",
    "Preformatted",
    "TableOf",
    "Verdict",
    "html",
    "markdown",
    "markdown_table",
    "verdict_colour",
]


GOOD, BAD, OPEN = "#00694c", "#a33f00", "#555555"
# By a verdict's first word: it holds, does not hold, is consistent, not private and so on.
COLOURS = {
    "holds": GOOD, "proved": GOOD, "consistent": GOOD, "does": BAD, "violated": BAD,
    "inconclusive": OPEN, "not": OPEN, "agrees": GOOD, "differs": BAD, "cannot": OPEN,
}  # fmt: skip
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0; }
main { max-width: 1120px; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin-top: 2.6rem; border-top: 1px solid #ddd;
padding-top: 1.2rem; } h3 { margin-bottom: .3rem; }
p { max-width: 46rem; } p.note { color: #555; font-size: .85rem; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .87rem; margin: .6rem 0; }
th, td { padding: .28rem .7rem; border-bottom: 1px solid #e4e4e4; text-align: left;
vertical-align: top; }
th { border-bottom: 2px solid #999; } table.numbers td + td, table.numbers th + th {
text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdict { white-space: nowrap; font-weight: 600; } p.verdict { font-size: 1.6rem; margin: 0; }
h3 { margin-top: 2rem; } h3 .verdict { margin-left: .5rem; } figure { margin: 1.5rem 0; }
figcaption { color: #555; font-size: .9rem; }
table.facts td:first-child { color: #555; white-space: nowrap; }
pre { background: #f6f6f6; padding: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
nav a { margin-right: 1rem; white-space: nowrap; } a { color: #00558a; }
@media print { h2 { break-before: page; } main { max-width: none; } }
""" + "\n".join(f".verdict.{word} {{ color: {colour}; }}" for word, colour in COLOURS.items())


class Part(Protocol):
    """A piece of a document, which knows its own two forms."""

    def html(self) -> str:
        """Return it for an HTML page."""

    def markdown(self, folder: Path) -> str:
        """Return it in Markdown; files are named relative to a folder."""


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the page's title. A verdict may stand behind its text."""

    text: str
    level: int = 2
    verdict: str = ""

    @property
    def anchor(self) -> str:
        """What links point to."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.text.lower()).split())

    def html(self) -> str:
        """Return it for an HTML page."""
        anchor = f' id="{self.anchor}"' if self.level > 1 else ""
        said = (
            f" <span{_marked(self.verdict)}>{escape(self.verdict)}</span>" if self.verdict else ""
        )
        return f"<h{self.level}{anchor}>{escape(self.text)}{said}</h{self.level}>"

    def markdown(self, folder: Path) -> str:  # noqa: ARG002  it names no file
        """Return it in Markdown."""
        return f"{'#' * self.level} {self.text}{f': {self.verdict}' if self.verdict else ''}"


@dataclass(frozen=True)
class Paragraph:
    """Plain text, with a title before it if there is one; what is between backticks is code."""

    text: str
    note: bool = False
    title: str = ""

    def html(self) -> str:
        """Return it for an HTML page."""
        shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(self.text))
        title = f"<strong>{escape(self.title)}.</strong> " if self.title else ""
        return f"<p{' class=note' if self.note else ''}>{title}{shown}</p>"

    def markdown(self, folder: Path) -> str:  # noqa: ARG002  it names no file
        """Return it in Markdown."""
        return f"**{self.title}.** {self.text}" if self.title else self.text


@dataclass(frozen=True)
class Verdict:
    """A line of its own that says how it ended."""

    text: str

    def html(self) -> str:
        """Return it for an HTML page."""
        return f"<p{_marked(self.text)}>{escape(self.text)}</p>"

    def markdown(self, folder: Path) -> str:  # noqa: ARG002  it names no file
        """Return it in Markdown."""
        return f"**{self.text}**"


@dataclass(frozen=True)
class Preformatted:
    """Text whose lines and spaces stay as they are."""

    text: str

    def html(self) -> str:
        """Return it for an HTML page."""
        return f"<pre>{escape(self.text)}</pre>"

    def markdown(self, folder: Path) -> str:  # noqa: ARG002  it names no file
        """Return it in Markdown."""
        return f"```\n{self.text}\n```"


@dataclass(frozen=True)
class TableOf:
    """A table; cells are text. ``marked`` is the column whose cells are verdicts.

    Without names of columns it is a list of facts: what, and its value.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: bool = True
    marked: int | None = None

    def html(self) -> str:
        """Return it for an HTML page."""
        head = "".join(f"<th>{escape(each)}</th>" for each in self.columns)
        rows = [f"<tr>{head}</tr>"] if head else []
        rows += [
            "<tr>" + "".join(self._cell(place, cell) for place, cell in enumerate(row)) + "</tr>"
            for row in self.rows
        ]
        kind = "facts" if not head else "numbers" if self.numbers else "words"
        lines = "\n".join(rows)
        return f'<div class="wide"><table class="{kind}">\n{lines}\n</table></div>'

    def _cell(self, place: int, cell: str) -> str:
        return f"<td{_marked(cell) if place == self.marked else ''}>{escape(cell)}</td>"

    def markdown(self, folder: Path) -> str:  # noqa: ARG002  it names no file
        """Return it in Markdown."""
        return markdown_table(self)


@dataclass(frozen=True)
class Image:
    """A picture in a file, an SVG."""

    path: Path
    text: str

    def html(self) -> str:
        """Return it for an HTML page, which then needs no file."""
        data = base64.b64encode(self.path.read_bytes()).decode()
        image = f'<img alt="{escape(self.text)}" src="data:image/svg+xml;base64,{data}">'
        return f"<figure>{image}<figcaption>{escape(self.text)}</figcaption></figure>"

    def markdown(self, folder: Path) -> str:
        """Return it in Markdown."""
        return f"![{self.text}]({self.path.relative_to(folder).as_posix()})"


@dataclass(frozen=True)
class Drawing:
    """A picture as the text of an SVG."""

    svg: str
    text: str

    def html(self) -> str:
        """Return it for an HTML page; its words can be searched and copied."""
        return f'<figure role="img" aria-label="{escape(self.text)}">{self.svg}</figure>'

    def markdown(self, folder: Path) -> str:  # noqa: ARG002  it names no file
        """Return it in Markdown, which may hold HTML."""
        return self.svg


def _marked(verdict: str) -> str:
    """Return the classes that colour a verdict: its first word is one."""
    return f' class="verdict {verdict.partition(" ")[0]}"'


def verdict_colour(verdict: str) -> str:
    """Return the colour that a verdict has on pages, for pictures.

    >>> verdict_colour("does not hold") == verdict_colour("violated")
    True
    """
    return COLOURS.get(verdict.partition(" ")[0], OPEN)


def html(parts: Iterable[Part]) -> str:
    """Return one page that needs no other file.

    >>> page = html([Heading("A page", 1), Heading("Part"), Paragraph("2 < 3")])
    >>> "2 &lt; 3" in page and '<h2 id="part">' in page
    True
    """
    listed = list(parts)
    title = next((p.text for p in listed if isinstance(p, Heading) and p.level == 1), "Report")
    links = [p for p in listed if isinstance(p, Heading) and p.level == 2]
    nav = " ".join(f'<a href="#{each.anchor}">{escape(each.text)}</a>' for each in links)
    body = []
    for part in listed:
        body.append(part.html())
        if isinstance(part, Heading) and part.level == 1 and nav:
            body.append(f"<nav>{nav}</nav>")
    content = "\n".join(body)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{content}\n</main>\n</body>\n</html>\n"
    )


def markdown(parts: Iterable[Part], folder: Path) -> str:
    r"""Return the same in Markdown; pictures are named relative to a folder.

    >>> print(markdown([TableOf(("a", "b"), (("1", "x|y"),))], Path(".")).strip())
    | a | b |
    |---|--:|
    | 1 | x\|y |
    """
    return "\n\n".join(part.markdown(folder) for part in parts) + "\n"


def markdown_table(table: TableOf) -> str:
    r"""Return a table in Markdown; numbers stand to the right.

    >>> print(markdown_table(TableOf(("a", "b"), (("1", "x|y"),), numbers=False)))
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    columns = table.columns or ("",) * len(table.rows[0])
    rule = "|---|" + ("--:|" if table.numbers else "---|") * (len(columns) - 1)
    lines = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        for row in (columns, *table.rows)
    ]
    return "\n".join([lines[0], rule, *lines[1:]])
