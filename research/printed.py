"""Pages whose examples print: what they print stands behind them, and is made anew."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass

from research.pages import Page, Tables, fill

__all__ = ["PrintedPage", "printed"]

EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:\n<!-- begin (printed-[\w-]+) -->)?", re.DOTALL)


@dataclass(frozen=True)
class PrintedPage(Page):
    """A page whose examples are run, one after the other, when it is written or checked.

    An example is followed by ``<!-- begin printed-NAME -->`` and its end, where what it prints
    is put.
    """

    def render(self, text: str, tables: Tables) -> str:
        """Return the page's text with every part, and all that is printed, made anew."""
        return super().render(fill(text, printed(text), self.path.name), tables)


def printed(text: str) -> dict[str, str]:
    """Run all Python examples of a page in order; return what the marked ones print.

    >>> tick = "`" * 3
    >>> lines = (f"{tick}python", "print(6 * 7)", tick, "", "<!-- begin printed-all -->")
    >>> print(printed(chr(10).join(lines))["printed-all"].strip("`"))
    text
    42
    <BLANKLINE>
    """
    names: dict[str, object] = {}
    found = {}
    for code, name in EXAMPLE.findall(text):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, names)  # noqa: S102  the docs' own examples
        if name:
            found[name] = f"```text\n{out.getvalue().rstrip()}\n```"
    return found
