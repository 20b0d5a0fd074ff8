"""Notebooks as pages: run from the first cell to the last, and shown with what they gave.

Notebooks are stored without outputs, so a page shows what the code gives now. Every picture needs
words for those who cannot see it: the ``alt`` of its cell's metadata.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

from hush.errors import ParameterError

__all__ = ["markdown", "ran", "read"]

SECONDS = 600  # for a cell
SHARP = "%config InlineBackend.figure_formats = ['svg']"  # pictures of matplotlib.pyplot


def read(path: Path) -> Any:  # noqa: ANN401  notebooks are dictionaries
    """Return a notebook, or raise where it was stored with outputs."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if any(cell.outputs or cell.execution_count is not None for cell in cells):
        raise ParameterError(f"{path.name} is stored with outputs; clear them before you commit it")
    return notebook


def ran(path: Path) -> Any:  # noqa: ANN401
    """Return a notebook with its outputs; whatever it writes goes to a folder that is deleted."""
    notebook = read(path)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(SHARP))  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        # Files, which only this account can open, instead of ports, which anyone here could.
        kernel = Config(KernelManager={"transport": "ipc", "ip": f"{folder}/kernel"})
        where = {"metadata": {"path": folder}}
        NotebookClient(notebook, config=kernel, resources=where, timeout=SECONDS).execute()
    del notebook.cells[0]
    return notebook


def markdown(notebook: Any, name: str) -> tuple[str, dict[str, str]]:  # noqa: ANN401
    """Return a notebook as Markdown, and its pictures as SVG by the names of their files.

    Parameters
    ----------
    notebook
        One that was run.
    name
        The beginning of its pictures' names.

    Examples
    --------
    >>> code = nbformat.v4.new_code_cell("print(6 * 7)")
    >>> code.outputs = [nbformat.v4.new_output("stream", text="42")]
    >>> text, pictures = markdown(nbformat.v4.new_notebook(cells=[code]), "mine")
    >>> print(text.replace("`", "'"))
    '''python
    print(6 * 7)
    '''
    <BLANKLINE>
    '''{ .text .output }
    42
    '''
    """
    parts: list[str] = []
    pictures: dict[str, str] = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for kind, value in _shown(cell.outputs):
            if kind == "svg":
                file = f"{name}_{len(pictures) + 1}.svg"
                pictures[file] = value
                parts.append(f"![{_words(cell, name)}]({file})")
            elif kind == "html":
                # A result may have a heading of its own, which is none of the page's.
                plain = re.sub(r"<(/?)h[1-6]\b", r"<\1p", value)
                parts.append(f'<div class="output">\n{plain}\n</div>')
            else:
                parts.append(f"```{{ .text .output }}\n{value.rstrip()}\n```")
    return "\n\n".join(parts), pictures


def _shown(outputs: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Give the richest form of every output; notes on standard error, such as progress, go."""
    for output in outputs:
        if output.output_type == "stream":
            if output.name == "stdout":
                yield "text", output.text
            continue
        forms = {"svg": "image/svg+xml", "html": "text/html", "text": "text/plain"}
        kind = next(kind for kind, mime in forms.items() if mime in output.data)
        yield kind, output.data[forms[kind]]


def _words(cell: Any, name: str) -> str:  # noqa: ANN401
    words = str(cell.metadata.get("alt", ""))
    if not words:
        raise ParameterError(
            f"{name}: a picture has no words for those who cannot see it; "
            "put them into the metadata of its cell, as alt"
        )
    return words
