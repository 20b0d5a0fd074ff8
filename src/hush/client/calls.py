"""Calls: what is asked of a service and what is heard, as plain data that no network touches.

An operation is a generator of steps. It yields what to do next, is sent what was heard, and returns
its answer; so retries, batches and fallbacks are written once, for clients that block and for those
that await.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import numpy as np

from hush.errors import HushError, ParameterError

__all__ = [
    "Call",
    "Failed",
    "Heard",
    "Reply",
    "Send",
    "Steps",
    "Talk",
    "Wait",
    "as_sent",
    "encoded",
    "pieces",
]

Found = TypeVar("Found")
JSON, LINES = "application/json", "application/x-ndjson"
MOST_LINES, MOST_BYTES = 1_000, 1 << 22  # of a batch, as the service has it


@dataclass(frozen=True)
class Reply:
    """An answer, whatever it says."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Failed:
    """No answer: whether the request may have arrived, and whether the time was over."""

    sent: bool
    late: bool = False


@dataclass(frozen=True)
class Call(Generic[Found]):
    """Something to ask, and how to read the answer.

    Attributes
    ----------
    read
        Makes of a good answer what the caller wants.
    body, media
        What is sent, and what kind of text it is.
    idempotent
        Whether asking twice is the same as asking once, so that it can be tried again.
    malformed
        The error of a request that cannot be used.
    """

    method: str
    path: str
    read: Callable[[Reply], Found]
    body: bytes | None = field(default=None, repr=False)
    media: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    idempotent: bool = False
    malformed: type[HushError] = ParameterError


@dataclass(frozen=True)
class Send:
    """Send a call, and wait so many seconds for its answer."""

    call: Call[Any]
    seconds: float


@dataclass(frozen=True)
class Wait:
    """Do nothing for so many seconds."""

    seconds: float


Heard: TypeAlias = Reply | Failed | None
Steps: TypeAlias = Generator[Send | Wait, Heard, Found]


class Talk(Generic[Found]):
    """Goes through steps: says what to do next, until there is an answer.

    Examples
    --------
    >>> def steps():
    ...     yield Wait(1.0)
    ...     return "done"
    >>> talk = Talk(steps())
    >>> talk.next(None), talk.next(None), talk.found
    (Wait(seconds=1.0), None, 'done')
    """

    found: Found

    def __init__(self, steps: Steps[Found]) -> None:
        self._steps = steps

    def next(self, heard: Heard) -> Send | Wait | None:
        """Return what to do next, given what was heard; None where there is an answer."""
        try:
            return self._steps.send(heard)
        except StopIteration as end:
            self.found = end.value
            return None


def encoded(message: object) -> bytes:
    """Return a message as JSON, or raise without showing it.

    >>> encoded({"floor": np.float64(0.5)})
    b'{"floor":0.5}'
    """
    try:
        return msgspec.json.encode(message, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise ParameterError("what was given cannot be sent as JSON") from None


def as_sent(value: Any) -> Any:  # noqa: ANN401  whatever a message holds
    """Return a length of time as services take it, in seconds; anything else as it is.

    >>> as_sent(timedelta(hours=1)), as_sent("1h")
    (3600.0, '1h')
    """
    return value.total_seconds() if isinstance(value, timedelta) else value


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def pieces(rows: Sequence[bytes]) -> Iterator[slice]:
    """Split lines into as many as one request may have.

    >>> list(pieces([b"line"] * 2_500))
    [slice(0, 1000, None), slice(1000, 2000, None), slice(2000, 2500, None)]
    """
    start, size = 0, 0
    for end, row in enumerate(rows):
        size += len(row) + 1
        if end - start == MOST_LINES or size > MOST_BYTES:
            yield slice(start, end)
            start, size = end, len(row) + 1
    if rows:
        yield slice(start, len(rows))
