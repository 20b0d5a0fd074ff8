"""Loops that Python itself plays: a few hundred steps are played sooner than a loop is compiled.

It is the same source. A rule is called by its address, so that its numbers are those of the
compiled loop; draws come from the same functions of NumPy (:mod:`hush.numerics.compiled.draws`),
and logarithms from the same library of C. Integrals, which Python would take longer for than the
compiler does, are compiled (:mod:`hush.numerics.compiled.apart`). So results are equal to the last
bit. Each loop may be played so for some seconds in all; then it is compiled.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_double, c_void_p
from dis import get_instructions
from functools import cache
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.random import Generator

from hush.simulation.kernels.records import Integers, Record

__all__ = [
    "interpreted",
    "is_loop_compiled",
    "may_interpret",
    "never_interpret",
    "play_interpreted",
]

MOST_SECONDS = 2.0  # of a loop, in this process: about as long as the quickest is compiled
RULE = CFUNCTYPE(c_double, c_double, c_double, c_double, c_void_p)
_spent: dict[str, float] = {}  # seconds, by loop


class Deadline:
    """What a loop asks whether to stop: when Ctrl-C was pressed, and when time is over.

    It is processor time, which compiling is compared with: others may be at work on the machine.
    """

    def __init__(self, stop: Integers, seconds: float) -> None:
        self._stop = stop
        self._end = time.thread_time() + seconds

    @property
    def over(self) -> bool:
        """Whether time is over."""
        return time.thread_time() > self._end

    def __getitem__(self, at: int) -> int:
        return 1 if self.over else int(self._stop[at])


def is_loop_compiled(loop: Any) -> bool:  # noqa: ANN401  numba has no types
    """Tell whether a loop is compiled in this process, or has an index in its cache."""
    if loop.signatures:
        return True
    folder = loop.stats.cache_path
    if not folder:
        return False
    module = loop.py_func.__module__.rpartition(".")[2]
    return any(Path(folder).glob(f"{module}.{loop.py_func.__qualname__}-*.nbi"))


def may_interpret(loop: Any, seconds: float) -> bool:  # noqa: ANN401
    """Tell whether Python should play what takes it so many seconds; 0 means never."""
    left = MOST_SECONDS - _spent.get(loop.__qualname__, 0.0)
    return 0.0 < seconds < left and not is_loop_compiled(loop)


def never_interpret(loop: Any) -> None:  # noqa: ANN401
    """Have a loop compiled from now on, however little there is to play."""
    _spent[loop.__qualname__] = math.inf


def play_interpreted(
    loop: Any,  # noqa: ANN401
    given: tuple[Any, ...],
    source: Generator,
    record: Record,
    *rest: int,
) -> Any:  # noqa: ANN401
    """Play runs of a rule; None, and all as it was, if that takes too long."""
    rule, parameters, *others = given
    name, before, start = loop.__qualname__, source.bit_generator.state, time.thread_time()
    deadline = Deadline(record.stop, MOST_SECONDS - _spent.get(name, 0.0))
    with np.errstate(all="ignore"):  # as in compiled loops
        played = interpreted(loop)(
            RULE(rule.address),
            SimpleNamespace(ctypes=parameters.ctypes.data),
            *others,
            source,
            record._replace(stop=deadline),  # type: ignore[arg-type]
            *rest,
        )
    _spent[name] = _spent.get(name, 0.0) + time.thread_time() - start
    if not deadline.over:
        return played
    record.pulls[:] = 0
    source.bit_generator.state = before
    return None


@cache
def interpreted(loop: Any) -> Callable[..., Any]:  # noqa: ANN401
    """Return a copy of a loop, and of what it calls, that is not compiled.

    >>> from hush.numerics.compiled.arrays import largest
    >>> float(interpreted(largest)(np.array([0.2, 0.7, 0.1])))
    0.7
    """
    plain: FunctionType = loop.py_func
    scope = dict(plain.__globals__)
    for step in get_instructions(plain):
        if step.opname == "LOAD_GLOBAL" and step.argval in scope:
            scope[step.argval] = _uncompiled(plain.__globals__[step.argval])
    return FunctionType(plain.__code__, scope, plain.__name__, plain.__defaults__)


def _uncompiled(value: Any) -> Any:  # noqa: ANN401
    from hush.numerics.compiled import draws
    from hush.numerics.compiled.apart import Apart

    if value is np:
        return AS_COMPILED
    if value is draws:
        return SimpleNamespace(**{each.__name__: plain for each, plain in draws.PLAIN.items()})
    if isinstance(value, draws.Draw):
        return draws.PLAIN[value]
    if isinstance(value, Apart) and value.__module__.startswith("hush.numerics."):
        return value
    return interpreted(value) if hasattr(value, "py_func") else value


def _of_library(name: str) -> Callable[[float], Any]:
    """Return a function of the library of C; NumPy's own differ in last bits on some machines."""
    exact, general = getattr(math, name), getattr(np, name)

    def call(x: float) -> Any:  # noqa: ANN401
        try:
            return np.float64(exact(x))
        except (ValueError, OverflowError):  # NumPy has infinities there, and no numbers
            return general(x)

    return call


AS_COMPILED = SimpleNamespace(
    **(vars(np) | {name: _of_library(name) for name in ("exp", "expm1", "log", "log1p")})
)
