"""Problems: every error as RFC 9457 has it, with a stable type, and nothing that was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from hush.errors import (
    BudgetError,
    ClockError,
    ExpiredError,
    HushError,
    KeyReusedError,
    LifecycleError,
    NoDecisionError,
    StoreError,
    UnknownNameError,
    is_finite,
)

__all__ = ["KINDS", "Refused", "leaves", "refused"]

PREFIX = "urn:hush:problem:"


@dataclass(frozen=True)
class Kind:
    """A kind of problem: its type, status, and words that are always the same."""

    name: str
    status: int
    title: str

    @property
    def type(self) -> str:
        """The type, as clients compare it."""
        return PREFIX + self.name


TABLE = """
no-token        401  A valid token is needed
not-allowed     403  The token does not allow this
unknown-route   404  There is nothing at this address
unknown-name    404  There is nothing of this name
no-decision     404  This is not the id of a decision
wrong-method    405  This method is not for this address
wrong-state     409  The state of the experiment does not allow this
budget-exceeded 409  The population's limit does not allow this
clock           409  The clock cannot be believed
expired         410  It is too late for this decision
too-large       413  The body is too large
wrong-media     415  The body must be JSON
malformed       422  The request cannot be used
key-reused      422  The idempotency key was used for another request
too-many        429  Too many requests
unexpected      500  Something went wrong here
not-ready       503  The store cannot be used now
"""
KINDS = {
    name: Kind(name, int(status), title)
    for name, status, title in (line.split(maxsplit=2) for line in TABLE.strip().splitlines())
}
OF_ERRORS: tuple[tuple[type[HushError], str], ...] = (
    (ExpiredError, "expired"),
    (NoDecisionError, "no-decision"),
    (KeyReusedError, "key-reused"),
    (LifecycleError, "wrong-state"),
    (BudgetError, "budget-exceeded"),
    (ClockError, "clock"),
    (StoreError, "not-ready"),
    (UnknownNameError, "malformed"),
    (HushError, "malformed"),
)


@dataclass
class Refused(Exception):  # noqa: N818  an answer, not a fault
    """A request that is refused: what kind, in which words, with which headers."""

    kind: str
    detail: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.kind


def refused(error: Exception, sent: object = None) -> Refused:
    """Return an error as it may be shown to whoever sent something.

    Its words are those of the error as far as they hold nothing of what was sent.

    >>> from hush.errors import ParameterError
    >>> refused(ParameterError("epsilon must be positive; got -1"), [-1]).detail
    'epsilon must be positive'
    >>> refused(ParameterError("there is no arm u17"), ["u17"]).detail is None
    True
    """
    if isinstance(error, Refused):
        return error
    kind = next((name for known, name in OF_ERRORS if isinstance(error, known)), "unexpected")
    return Refused(kind, _without(str(error), sent) if kind != "unexpected" else None)


def _without(text: str, sent: object) -> str | None:
    """Return a message without what it got, unless it holds more of what was sent."""
    kept = re.split(r"[;,] (?:got\b|did you mean\b|known:|take another\b)", text)[0]
    return None if any(_holds(kept, leaf) for leaf in leaves(sent)) else kept


def _holds(text: str, leaf: str) -> bool:
    if len(leaf) >= 8:
        return leaf in text
    return re.search(rf"(?<![A-Za-z]){re.escape(leaf)}(?![A-Za-z])", text) is not None


def leaves(sent: object) -> Iterator[str]:
    r"""Return every text and number in plain values, in the ways in which messages write them.

    >>> list(leaves({"a": [1, "b\n"], "c": 0.1234567}))
    ['a', '1', 'b\n', 'b\\n', 'c', '0.1234567', '0.123457']
    """
    if isinstance(sent, msgspec.Struct):
        for name in sent.__struct_fields__:
            yield from leaves(getattr(sent, name))
    elif isinstance(sent, Mapping):
        for key, value in sent.items():
            yield from leaves(key)
            yield from leaves(value)
    elif isinstance(sent, list | tuple):
        for each in sent:
            yield from leaves(each)
    elif isinstance(sent, str):
        yield from dict.fromkeys((sent, repr(sent)[1:-1]) if sent else ())
    elif isinstance(sent, int | float) and not isinstance(sent, bool):
        yield from dict.fromkeys((str(sent), f"{sent:g}" if is_finite(sent) else str(sent)))
