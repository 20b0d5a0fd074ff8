"""Rewards that note who reads them, and private halves that note who looks in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from hush.auditing.own_code import where
from hush.mechanisms.dartboard import Dartboard
from hush.mechanisms.sums import ArmCounters, ArmSums, VectorSums
from hush.mechanisms.vector_tree import VectorTree

__all__ = ["Reads", "WatchedReward", "watch_private"]

MAY_READ = ("hush.mechanisms", "hush.noise")
RAW = frozenset({"_sums", "_counters", "_raw", "state"})
COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__bool__", "__hash__")
CONVERSIONS = (
    "__float__", "__int__", "__round__", "__trunc__", "__floor__", "__ceil__", "__repr__",
    "__str__", "__format__", "is_integer", "hex", "as_integer_ratio", "__reduce_ex__",
)  # fmt: skip
ARITHMETIC = (
    "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
    "__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__pow__", "__rpow__",
    "__neg__", "__pos__", "__abs__", "__divmod__", "__rdivmod__",
)  # fmt: skip


class Reads:
    """Places outside the private side that read a raw value: a line and what it did.

    Attributes
    ----------
    found
        How often each place read, in order of the first time.
    passed
        How many values the private side took.
    """

    def __init__(self) -> None:
        self.found: dict[str, int] = {}
        self.passed = 0

    def note(self, what: str, frame: FrameType | None) -> None:
        """Note a read, unless it is the private side's."""
        module = "" if frame is None else frame.f_globals.get("__name__", "")
        if frame is None or module.startswith(MAY_READ):
            self.passed += 1
            return
        place = f"{where(frame.f_code, frame.f_lineno)} {what}"
        self.found[place] = self.found.get(place, 0) + 1


class WatchedReward(float):
    """A reward that notes who compares it, converts it, or computes with it.

    What is computed with it is watched too. NumPy and other compiled code can read it unseen.

    >>> reads = Reads()
    >>> WatchedReward(0.5, reads) > 0.25
    True
    >>> list(reads.found)
    ['<doctest hush.auditing.watching.WatchedReward[1]>:1 compares']
    """

    reads: Reads

    def __new__(cls, value: float, reads: Reads) -> WatchedReward:
        """Return the value, watched."""
        made = super().__new__(cls, value)
        made.reads = reads
        return made


def _watched(name: str, what: str, *, stays: bool) -> Callable[..., Any]:
    plain = getattr(float, name)

    def method(self: WatchedReward, *given: Any) -> Any:  # noqa: ANN401
        self.reads.note(what, sys._getframe(1))
        value = plain(self, *given)
        return WatchedReward(value, self.reads) if stays and isinstance(value, float) else value

    method.__name__ = name
    return method


for _names, _what, _stays in (
    (COMPARISONS, "compares", False),
    (CONVERSIONS, "converts", False),
    (ARITHMETIC, "computes", True),
):
    for _name in _names:
        setattr(WatchedReward, _name, _watched(_name, _what, stays=_stays))


def watch_private(private: Any, reads: Reads) -> None:  # noqa: ANN401  of either kind
    """Let a private half note who looks at its raw sums from outside."""
    if not isinstance(private, ArmSums | ArmCounters | VectorSums | Dartboard | VectorTree):
        return
    cls: Any = type(private)

    def looked(self: Any, name: str) -> Any:  # noqa: ANN401
        if name in RAW:
            frame = sys._getframe(1)
            stored = name == "state" and frame.f_globals.get("__name__", "").startswith(
                "hush.policies.core"
            )
            if not stored:
                reads.note(f"reads {name}", frame)
        return cls.__getattribute__(self, name)

    private.__class__ = type(cls.__name__, (cls,), {"__getattribute__": looked})
