"""Docstrings as Markdown: what reads well in a terminal, made to look right on a page."""

from __future__ import annotations

import re
from typing import Any

import griffe

from research.reference import listed

__all__ = ["AsMarkdown", "as_markdown"]

ROLE = re.compile(r":(?:class|meth|func|mod|attr|data):`~?([\w.]+)`")
# A session that no heading announces: its lines, up to the next empty one.
SESSION = re.compile(r"((?:\A|\n\n)(?!Examples?\n))((?:>>> .*(?:\n(?!\n).+)*\n?)+)", re.MULTILINE)


def as_markdown(text: str, known: frozenset[str] = frozenset()) -> str:
    """Return a docstring with references as links or code, and sessions as code.

    Parameters
    ----------
    text
        The docstring.
    known
        The names that have a place to link to.

    Examples
    --------
    >>> as_markdown("See :func:`hush.bounds` and :meth:`save`.", frozenset({"hush.bounds"}))
    'See [`hush.bounds`][hush.bounds] and `save`.'
    >>> as_markdown("Twice." + chr(10) * 2 + ">>> 2 * 2" + chr(10) + "4").splitlines()
    ['Twice.', '', '```pycon', '>>> 2 * 2', '4', '```']
    """

    def reference(found: re.Match[str]) -> str:
        name = found[1]
        return f"[`{name}`][{name}]" if name in known else f"`{name}`"

    text = ROLE.sub(reference, text)
    return SESSION.sub(lambda found: f"{found[1]}```pycon\n{found[2].rstrip()}\n```\n", text)


class AsMarkdown(griffe.Extension):
    """What mkdocstrings calls with everything that it reads."""

    def __init__(self) -> None:
        super().__init__()
        self._known = frozenset(listed())

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:  # noqa: ANN401
        """Change an object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value, self._known)
