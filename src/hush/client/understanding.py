"""Understanding what a service said, as the values and errors that a store in this process has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from hush.client.calls import Call, Reply
from hush.errors import (
    AccessError,
    BudgetError,
    ClockError,
    ExpiredError,
    HushError,
    KeyReusedError,
    LifecycleError,
    NoDecisionError,
    ParameterError,
    StoreError,
    UnknownNameError,
)
from hush.live import Decision
from hush.service.answers import Decided, Experiment, Problem
from hush.service.problems import PREFIX

__all__ = [
    "Busy",
    "changed",
    "decided",
    "decoded",
    "error_of",
    "lines",
    "nothing",
    "plain",
    "understood",
]

Found = TypeVar("Found")
PASSING = frozenset({429, 502, 503, 504})
LONGEST = 500
NOT_HUSH = "the answer is none of a Hush service: is the address right?"
ERRORS: Mapping[str, type[HushError]] = {
    "no-token": AccessError,
    "not-allowed": AccessError,
    "unknown-name": UnknownNameError,
    "no-decision": NoDecisionError,
    "wrong-state": LifecycleError,
    "budget-exceeded": BudgetError,
    "clock": ClockError,
    "expired": ExpiredError,
    "too-large": ParameterError,
    "wrong-media": ParameterError,
    "key-reused": KeyReusedError,
}


class Busy(StoreError):  # noqa: N818  not yet an error: it may pass
    """A service that may answer when it is asked again, and after how many seconds."""

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


class Status(msgspec.Struct):
    """What every line of a batch's answer has."""

    status: int


def understood(call: Call[Found], reply: Reply) -> Found:
    """Return what a call was answered by, or raise what went wrong."""
    if not 200 <= reply.status < 300:
        after = reply.headers.get("retry-after", "")
        seconds = float(after) if re.fullmatch(r"[0-9]{1,6}", after) else None
        raise error_of(reply.status, reply.body, call.malformed, seconds)
    return call.read(reply)


def error_of(
    status: int, body: bytes, malformed: type[HushError], after: float | None = None
) -> HushError:
    """Return a problem as the error that a store in this process would have raised.

    >>> body = b'{"type":"urn:hush:problem:expired","title":"Too late","status":410,"request":"7"}'
    >>> error_of(410, body, ParameterError)
    ExpiredError('Too late (request 7)')
    >>> error_of(502, b"<h1>Bad gateway</h1>", ParameterError)
    Busy('the service answered by status 502 and nothing that can be read')
    """
    try:
        problem = msgspec.json.decode(body, type=Problem)
        kind = problem.type.removeprefix(PREFIX)
        if kind == problem.type:  # somebody else's, who may say anything
            raise ValueError
    except ValueError:
        text, kind = f"the service answered by status {status} and nothing that can be read", ""
    else:
        text = problem.title if problem.detail is None else f"{problem.title}: {problem.detail}"
        text = text[:LONGEST]
        if problem.request is not None:
            text += f" (request {problem.request[:64]})"
    if status in PASSING:
        return Busy(text, after)
    if kind == "malformed":
        return malformed(text)
    return ERRORS.get(kind, StoreError)(text)


def plain(error: HushError) -> HushError:
    """Return an error as callers know it: whether it may pass is of no use to them."""
    return StoreError(str(error)) if isinstance(error, Busy) else error


def decoded(kind: type[Found]) -> Callable[[Reply], Found]:
    """Return what reads a message of some type from an answer."""

    def read(reply: Reply) -> Found:
        return _decode(reply.body, kind)

    return read


def _decode(body: bytes, kind: type[Found]) -> Found:
    try:
        return msgspec.json.decode(body, type=kind)
    except ValueError:  # of msgspec, or of text that is no UTF-8
        raise StoreError(NOT_HUSH) from None


def nothing(reply: Reply) -> None:
    """Read an answer without content; any other is somebody else's, and nothing was done."""
    if reply.status != 204:
        raise StoreError(NOT_HUSH)


def changed(reply: Reply) -> None:
    """Read the answer to an act: the experiment as it is now, which was not asked for."""
    _decode(reply.body, Experiment)


def decided(reply: Reply) -> Decision:
    """Return a decision as a store in this process gives it."""
    found = _decode(reply.body, Decided)
    return Decision(
        found.decision,
        found.number,
        found.arm,
        found.propensity,
        found.expires,
        found.plan,
        found.deferred,
    )


def lines(reply: Reply, count: int, malformed: type[HushError]) -> list[Reply | HushError]:
    """Return the answer to every line of a batch, each by itself.

    >>> lines(Reply(200, {}, b'{"status":204}'), 1, ParameterError)
    [Reply(status=204)]
    """
    found = [_line(each, malformed) for each in reply.body.splitlines()]
    if len(found) != count:
        raise StoreError("the service did not answer every line")
    return found


def _line(line: bytes, malformed: type[HushError]) -> Reply | HushError:
    status = _decode(line, Status).status
    return Reply(status, {}, line) if 200 <= status < 300 else error_of(status, line, malformed)
