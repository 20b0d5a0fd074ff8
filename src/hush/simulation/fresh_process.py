"""Calls functions in fresh processes, so that several run at a time whatever holds the interpreter.

Not by :mod:`multiprocessing`: its processes run a script's top level again, or inherit threads.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["call_in_fresh_process"]

T = TypeVar("T")
SCRIPT = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
function, arguments = pickle.load(sys.stdin.buffer)
pickle.dump(function(*arguments), sys.stdout.buffer)
"""


def call_in_fresh_process(function: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401
    """Call a function in a process of its own, or here if that does not work, and wait for it.

    The function must do the same wherever and however often it is called, and print nothing. Ctrl-C
    reaches that process too, and ends this call.

    >>> call_in_fresh_process(max, 3, 5)
    5
    """
    try:
        asked = pickle.dumps(sys.path) + pickle.dumps((function, arguments))
        ran = subprocess.run(  # noqa: S603  our own interpreter, our own data
            [sys.executable, "-c", SCRIPT], input=asked, capture_output=True, check=True
        )
        answer: T = pickle.loads(ran.stdout)  # noqa: S301  what our own process wrote
    except (
        pickle.PickleError, AttributeError, TypeError, OSError, subprocess.SubprocessError
    ) as error:  # fmt: skip
        if getattr(error, "returncode", None) == -signal.SIGINT:
            raise KeyboardInterrupt from None
        # Functions and classes of a script cannot be sent. What fails for another reason fails
        # here again, for all to see.
        return function(*arguments)
    return answer
