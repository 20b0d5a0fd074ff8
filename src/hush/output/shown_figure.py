"""A figure that shows itself; in a room's file of its own, because it needs matplotlib."""

from __future__ import annotations

import io

from matplotlib import rc_context
from matplotlib.figure import Figure

__all__ = ["ShownFigure"]


class ShownFigure(Figure):
    """A figure that a notebook shows, whether or not matplotlib was set up for notebooks.

    Matplotlib's own figures do so once ``matplotlib.pyplot`` was imported, which Hush never does:
    it would pick a window system.

    >>> figure = ShownFigure(figsize=(2.0, 1.0))
    >>> figure._repr_svg_()[:4]
    '<svg'
    """

    def _repr_svg_(self) -> str:
        target = io.StringIO()
        with rc_context({"svg.hashsalt": "hush", "svg.fonttype": "none"}):
            self.savefig(target, format="svg", metadata={"Date": None})
        text = target.getvalue()
        return text[text.index("<svg") :]
