"""Says when code is about to be compiled, so that nobody wonders about the wait."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from hush.policies import Policy

__all__ = ["announce_compilation", "loop_module", "loop_ready"]

logger = logging.getLogger("hush")


def announce_compilation(policies: Iterable[Policy], engines: Iterable[str]) -> None:
    """Say that this first use compiles, if it does: on a terminal, and in the log."""
    pairs = zip(policies, engines, strict=True)
    loops = [_loop(policy, engine) for policy, engine in pairs if engine in ("leap", "rounds")]
    if not all(map(_ready, loops)):
        message = "compiling the simulation loops: once, half a minute at most; then it is cached"
        logger.info(message)
        if sys.stderr.isatty():
            sys.stderr.write(f"hush: {message}\n")


def loop_module(policy: Policy, engine: str) -> str | None:
    """Return the module of the compiled loop that plays a policy; None if its learner does.

    >>> import hush
    >>> loop_module(hush.LazyDPTS(1.0), "leap")
    'hush.simulation.leap_thompson'
    """
    found = _LOOPS.get(_place(policy, engine))
    return None if found is None else f"hush.simulation.{found[0]}"


def loop_ready(policy: Policy, engine: str) -> bool:
    """Tell whether the loop that plays a policy is compiled already, here or on disk."""
    return _place(policy, engine) not in _LOOPS or _ready(_loop(policy, engine))


def _place(policy: Policy, engine: str) -> tuple[str, str]:
    counts = engine == "rounds" and getattr(policy, "counter", None) is not None
    return engine, "counter" if counts else policy.kind


def _loop(policy: Policy, engine: str) -> Any:  # noqa: ANN401  numba has no types
    """Return the compiled loop that plays a policy in an engine."""
    module, name = _LOOPS[_place(policy, engine)]
    return getattr(import_module(f"hush.simulation.{module}"), name)


_LOOPS = {
    ("rounds", "index"): ("kernels", "rounds_arms"),
    ("rounds", "relative-index"): ("kernels", "rounds_arms"),
    ("rounds", "thompson"): ("kernels", "rounds_arms"),
    ("rounds", "counter"): ("kernel_counters", "rounds_counters"),
    ("rounds", "posterior"): ("leap_posterior", "rounds_posterior"),
    ("rounds", "elimination"): ("kernel_elimination", "rounds_elimination"),
    ("rounds", "epoch-argmax"): ("kernels", "rounds_epochs"),
    ("rounds", "dartboard"): ("kernel_dartboard", "rounds_dartboard"),
    ("leap", "index"): ("leap_index", "leap_index"),
    ("leap", "relative-index"): ("leap_index", "leap_index"),
    ("leap", "thompson"): ("leap_thompson", "leap_thompson"),
    ("leap", "posterior"): ("leap_posterior", "leap_posterior"),
    ("leap", "elimination"): ("kernel_elimination", "leap_elimination"),
    ("leap", "epoch-argmax"): ("leap_epochs", "leap_epochs"),
}


def _ready(loop: Any) -> bool:  # noqa: ANN401  numba has no types
    """Tell whether a loop is compiled in this process, or has an index in its cache."""
    if loop.signatures:
        return True
    folder = loop.stats.cache_path
    if not folder:
        return False
    module = loop.py_func.__module__.rpartition(".")[2]
    return any(Path(folder).glob(f"{module}.{loop.py_func.__name__}-*.nbi"))
