"""Says when code is about to be compiled, so that nobody wonders about the wait."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["announce_compilation"]

logger = logging.getLogger("hush")


def announce_compilation(engines: Iterable[str]) -> None:
    """Say that this first use compiles, if it does: on a terminal, and in the log."""
    wanted = set(engines) - {"rounds (learner)"}
    if wanted and any(not _ready(loop) for name in wanted for loop in _loops(name)):
        message = "compiling the simulation loops: once, half a minute at most; then it is cached"
        logger.info(message)
        if sys.stderr.isatty():
            sys.stderr.write(f"hush: {message}\n")


def _loops(engine: str) -> list[Any]:
    from hush.simulation import kernels

    if engine == "rounds":
        return [kernels.rounds_arms, kernels.rounds_epochs]
    from hush.simulation.leap_epochs import leap_epochs
    from hush.simulation.leap_index import leap_index
    from hush.simulation.leap_thompson import leap_thompson

    return [leap_index, leap_thompson, leap_epochs]


def _ready(loop: Any) -> bool:  # noqa: ANN401  numba has no types
    """Tell whether a loop is compiled in this process, or has an index in its cache."""
    if loop.signatures:
        return True
    folder = loop.stats.cache_path
    if not folder:
        return False
    module = loop.py_func.__module__.rpartition(".")[2]
    return any(Path(folder).glob(f"{module}.{loop.py_func.__name__}-*.nbi"))
