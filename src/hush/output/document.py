"""A report as a list of parts, and its two forms: one HTML page, and Markdown."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["Heading", "Image", "Paragraph", "Part", "TableOf", "html", "latex_table", "markdown"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the page's title."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str
    note: bool = False


@dataclass(frozen=True)
class TableOf:
    """A table; cells are text. ``marked`` is the column whose cells are verdicts."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: bool = True
    marked: int | None = None


@dataclass(frozen=True)
class Image:
    """A picture in a file, an SVG."""

    path: Path
    text: str


Part = Heading | Paragraph | TableOf | Image

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0; }
main { max-width: 1120px; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; } h2 { margin-top: 2.6rem; border-top: 1px solid #ddd;
padding-top: 1.2rem; } h3 { margin-bottom: .3rem; }
p { max-width: 46rem; } p.note { color: #555; font-size: .85rem; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .87rem; margin: .6rem 0; }
th, td { padding: .28rem .7rem; border-bottom: 1px solid #e4e4e4; text-align: left;
vertical-align: top; }
th { border-bottom: 2px solid #999; } table.numbers td + td, table.numbers th + th {
text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.verdict { white-space: nowrap; font-weight: 600; }
td.holds { color: #00694c; } td.does { color: #a33f00; } td.inconclusive { color: #555; }
nav a { margin-right: 1rem; white-space: nowrap; } a { color: #00558a; }
@media print { h2 { break-before: page; } main { max-width: none; } }
"""


def html(parts: Iterable[Part]) -> str:
    """Return one page that needs no other file.

    >>> page = html([Heading("A page", 1), Heading("Part"), Paragraph("2 < 3")])
    >>> "2 &lt; 3" in page and '<h2 id="part">' in page
    True
    """
    listed = list(parts)
    title = next((p.text for p in listed if isinstance(p, Heading) and p.level == 1), "Report")
    links = [p.text for p in listed if isinstance(p, Heading) and p.level == 2]
    nav = " ".join(f'<a href="#{_anchor(text)}">{escape(text)}</a>' for text in links)
    body = []
    for part in listed:
        body.append(_html(part))
        if isinstance(part, Heading) and part.level == 1 and nav:
            body.append(f"<nav>{nav}</nav>")
    content = "\n".join(body)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{content}\n</main>\n</body>\n</html>\n"
    )


def _html(part: Part) -> str:
    if isinstance(part, Heading):
        anchor = f' id="{_anchor(part.text)}"' if part.level > 1 else ""
        return f"<h{part.level}{anchor}>{escape(part.text)}</h{part.level}>"
    if isinstance(part, Paragraph):
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(part.text))
        return f"<p{' class=note' if part.note else ''}>{text}</p>"
    if isinstance(part, Image):
        data = base64.b64encode(part.path.read_bytes()).decode()
        return f'<img alt="{escape(part.text)}" src="data:image/svg+xml;base64,{data}">'
    head = "".join(f"<th>{escape(each)}</th>" for each in part.columns)
    rows = "\n".join(
        "<tr>" + "".join(_cell(part, place, cell) for place, cell in enumerate(row)) + "</tr>"
        for row in part.rows
    )
    kind = ' class="numbers"' if part.numbers else ""
    return f'<div class="wide"><table{kind}>\n<tr>{head}</tr>\n{rows}\n</table></div>'


def _cell(table: TableOf, place: int, cell: str) -> str:
    kind = f' class="verdict {cell.partition(" ")[0]}"' if place == table.marked else ""
    return f"<td{kind}>{escape(cell)}</td>"


def _anchor(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def markdown(parts: Iterable[Part], folder: Path) -> str:
    r"""Return the same in Markdown; pictures are named relative to a folder.

    >>> print(markdown([TableOf(("a", "b"), (("1", "x|y"),))], Path(".")).strip())
    | a | b |
    |---|--:|
    | 1 | x\|y |
    """
    return "\n\n".join(_markdown(part, folder) for part in parts) + "\n"


def _markdown(part: Part, folder: Path) -> str:
    if isinstance(part, Heading):
        return f"{'#' * part.level} {part.text}"
    if isinstance(part, Paragraph):
        return part.text
    if isinstance(part, Image):
        return f"![{part.text}]({part.path.relative_to(folder).as_posix()})"
    rule = "|---|" + ("--:|" if part.numbers else "---|") * (len(part.columns) - 1)
    lines = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        for row in (part.columns, *part.rows)
    ]
    return "\n".join([lines[0], rule, *lines[1:]])


def latex_table(table: TableOf, caption: str, label: str) -> str:
    r"""Return a table for a paper, with the rules of booktabs.

    >>> text = latex_table(TableOf(("policy", "mean"), (("A_b", "1 ± 2"),)), "Regret", "tab:r")
    >>> r"A\_b & $1 \pm 2$ \\" in text
    True
    """
    rows = [" & ".join(_latex(cell) for cell in row) + r" \\" for row in table.rows]
    head = " & ".join(_latex(cell) for cell in table.columns) + r" \\"
    return "\n".join(
        [
            r"\begin{table}[t]", r"\centering", rf"\caption{{{_latex(caption)}}}",
            rf"\label{{{label}}}", rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
            r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}",
            r"\end{table}", "",
        ]
    )  # fmt: skip


def _latex(text: str) -> str:
    safe = "".join("\\" + c if c in "&%$#_{}" else c for c in text)
    safe = safe.replace("^", r"\textasciicircum{}").replace("~", r"\textasciitilde{}")
    mean, sign, half = safe.partition(" ± ")
    return rf"${mean} \pm {half}$".replace(",", "{,}") if sign else safe
