"""A progress bar in a notebook: one output that changes, and is empty when the work is done.

IPython is not imported: in a notebook it is there already.
"""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

__all__ = ["kernel_bar", "notebook_shell"]

PATIENCE = 0.5  # seconds before a bar appears: short work shows none
PAUSE = 0.2  # seconds between changes: a notebook keeps every message


def notebook_shell() -> Any:  # noqa: ANN401  IPython's, which is not imported
    """Return the shell of the notebook that this runs in, or None.

    >>> notebook_shell() is None
    True
    """
    if "ipykernel" not in sys.modules:
        return None
    get = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    shell = get()
    return shell if hasattr(shell, "kernel") else None


@contextmanager
def kernel_bar(
    shell: Any,  # noqa: ANN401
    title: str,
    total: int,
    *,
    shares: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[int, int], None]]:
    """Give a function of (done, total) that draws a bar; work that fails leaves it where it was."""
    name = secrets.token_hex(8)
    due = clock() + PATIENCE
    shown = False

    def publish(data: dict[str, str]) -> None:
        nonlocal shown
        transient = {"display_id": name}
        shell.display_pub.publish(data=data, metadata={}, transient=transient, update=shown)
        shown = True

    def report(done: int, _total: int) -> None:
        nonlocal due
        if clock() >= due:
            due = clock() + PAUSE
            publish(_drawn(title, done, total, shares=shares))

    yield report
    if shown:
        publish({"text/plain": ""})


def _drawn(title: str, done: int, total: int, *, shares: bool) -> dict[str, str]:
    """Return a bar as HTML and as plain text.

    >>> _drawn("simulating", 3, 4, shares=False)["text/plain"]
    'simulating: 3 of 4'
    """
    so_far = f"{done / max(total, 1):.0%}" if shares else f"{done:,} of {total:,}"
    bar = f'<progress value="{done}" max="{max(total, 1)}"></progress>'
    page = f"<div>{escape(title)} {bar} {escape(so_far)}</div>"
    return {"text/plain": f"{title}: {so_far}", "text/html": page}
