"""The ids of decisions: all that a reward needs to find its row, and a code that nobody can forge.

An id names the experiment, the plan it was decided by, the batch, the worker with its own count
of decisions, and the deadline. A worker is 64 random bits, drawn anew at every start, so no id is
given twice, whatever is lost.
"""

from __future__ import annotations

import binascii
import struct
from typing import Any, NamedTuple

from hush.live.keys import Keys

__all__ = ["DecisionId", "DeferredId", "bit_of", "decision_text"]

CODE = 12
FOR_URLS = bytes.maketrans(b"+/", b"-_")
FROM_URLS = bytes.maketrans(b"-_+/", b"+/  ")  # what has no place in a URL is none of base64's
DECISION = struct.Struct(">IIQqIQ")
DEFERRED = struct.Struct(">IIHHqIQdxx")
COIN = struct.Struct(">qI")


def _written(body: bytes, keys: Keys, bound: bytes = b"") -> str:
    text = binascii.b2a_base64(body + keys.seal(body + bound), newline=False)
    return text.translate(FOR_URLS).decode()


def _read(
    text: object, layout: struct.Struct, keys: Keys, bound: bytes = b""
) -> tuple[Any, ...] | None:
    raw = _decoded(text, layout.size + CODE)
    if raw is None:
        return None
    body = raw[:-CODE]
    if not keys.genuine(body + bound, raw[-CODE:]):
        return None
    return layout.unpack(body)


def _decoded(text: object, size: int) -> bytes | None:
    if not isinstance(text, str) or len(text) != size // 3 * 4 or not text.isascii():
        return None
    try:
        raw = binascii.a2b_base64(text.encode().translate(FROM_URLS), strict_mode=True)
    except binascii.Error:
        return None
    return raw if len(raw) == size else None


def decision_text(keys: Keys, *parts: int) -> str:
    """Return the id that says what a :class:`DecisionId` of these parts does."""
    return _written(DECISION.pack(*parts), keys)


class DecisionId(NamedTuple):
    """What an id says.

    >>> keys = Keys(bytes(32))
    >>> made = DecisionId(experiment=1, plan=2, batch=3, worker=-4, ordinal=5, deadline=6)
    >>> text = made.text(keys)
    >>> len(text), DecisionId.read(text, keys) == made, DecisionId.read(text[:-1] + "A", keys)
    (64, True, None)
    """

    experiment: int
    plan: int
    batch: int
    worker: int
    ordinal: int
    deadline: int

    def text(self, keys: Keys) -> str:
        """Return the id, 64 characters that fit into a URL."""
        return decision_text(keys, *self)

    @classmethod
    def read(cls, text: object, keys: Keys) -> DecisionId | None:
        """Return what an id says; None where it is none of this store's."""
        parts = _read(text, DECISION, keys)
        return None if parts is None else cls._make(parts)


class DeferredId(NamedTuple):
    """What the id of a decision says that is not registered yet, but for the person it is about.

    >>> keys = Keys(bytes(32))
    >>> made = DeferredId(1, 2, 0, 1, -4, 5, 6, 0.25)
    >>> text = made.text(keys, person=bytes(16))
    >>> len(text), DeferredId.read(text, keys, bytes(16)) == made
    (72, True)
    >>> DeferredId.read(text, keys, bytes(15) + b"x") is None
    True
    """

    experiment: int
    plan: int
    segment: int
    arm: int
    worker: int
    ordinal: int
    expires: int
    propensity: float

    def text(self, keys: Keys, person: bytes) -> str:
        """Return the id; its code binds the person, who is not part of it."""
        return _written(DEFERRED.pack(*self), keys, person)

    @classmethod
    def experiment_of(cls, text: object) -> int | None:
        """Return the experiment that an id names, genuine or not; None where it is no id.

        >>> made = DeferredId(7, 2, 0, 1, -4, 5, 6, 0.25)
        >>> DeferredId.experiment_of(made.text(Keys(bytes(32)), person=bytes(16)))
        7
        """
        raw = _decoded(text, DEFERRED.size + CODE)
        return None if raw is None else int(DEFERRED.unpack(raw[:-CODE])[0])

    @classmethod
    def read(cls, text: object, keys: Keys, person: bytes) -> DeferredId | None:
        """Return what an id says; None where it is none of this store's, or another person's."""
        parts = _read(text, DEFERRED, keys, person)
        return None if parts is None else cls(*parts)


def bit_of(unit: float, worker: int, ordinal: int, keys: Keys) -> int:
    """Return the bit that a reward, mapped to [0, 1], becomes: 1 as often as it is large.

    It is compared with a number in [0, 1) that is the decision's own, so that a retry gives the
    same bit. Rewards of 0 and 1, which most are, need no such number.
    """
    if unit in (0.0, 1.0):
        return int(unit)
    return int(keys.coin(COIN.pack(worker, ordinal)) < unit)
