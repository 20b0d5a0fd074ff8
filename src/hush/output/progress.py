"""A progress bar on a terminal or in a notebook, and silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hush.output.notebook import kernel_bar, notebook_shell

__all__ = ["Reporter", "progress_bar"]

Reporter = Callable[[int, int], None]


@contextmanager
def progress_bar(
    title: str, total: int, progress: bool | Reporter | None, *, shares: bool = False
) -> Iterator[Any]:
    """Give a function to call after each finished piece of work.

    ``progress`` may be a function of (done, total); True or False; or None, which shows a bar
    where the error stream is a terminal, and in a notebook. With ``shares``, it shows a percentage
    instead of a count.
    """
    if callable(progress):
        yield _counted(progress, total)
        return
    shell = notebook_shell() if progress is None or progress else None
    if shell is not None:
        with kernel_bar(shell, title, total, shares=shares) as report:
            yield _counted(report, total)
        return
    shown = sys.stderr.isatty() if progress is None else progress
    bar = _rich_bar(shares) if shown else None
    if bar is None:
        yield _ignore
        return
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda pieces=1: bar.advance(task, pieces)


def _counted(report: Reporter, total: int) -> Callable[..., None]:
    """Return a function of finished pieces that reports how many there are so far."""
    done = 0

    def advance(pieces: int = 1) -> None:
        nonlocal done
        done += pieces
        report(done, total)

    return advance


def _ignore(_pieces: int = 1) -> None:
    """Report to nobody."""


def _rich_bar(shares: bool) -> Any:  # noqa: ANN401  rich is an extra
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )
    except ImportError:
        return None
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn() if shares else MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
