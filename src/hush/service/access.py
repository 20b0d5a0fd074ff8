"""Access: who may do what, by the token that came with a request.

A token is checked by one look-up, one SHA-256 of its secret and a comparison in constant time.
Whatever is not allowed by name is denied.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hush.live.tokens import Token, digest_of, parse

__all__ = ["NOBODY", "Access", "Gate"]


@dataclass(frozen=True, slots=True)
class Access:
    """What a token allows.

    >>> reader = Access("1", frozenset({"read"}), frozenset({"checkout"}))
    >>> reader.allows("read", "checkout"), reader.allows("read", "other"), reader.on_all("read")
    (True, False, False)
    """

    id: str
    scopes: frozenset[str]
    experiments: frozenset[str]
    test: bool = False

    def allows(self, scope: str, experiment: str) -> bool:
        """Tell whether it allows something on an experiment."""
        return scope in self.scopes and (experiment in self.experiments or "*" in self.experiments)

    def on_all(self, scope: str) -> bool:
        """Tell whether it allows something on everything."""
        return scope in self.scopes and "*" in self.experiments


NOBODY = Access("", frozenset(), frozenset())


class Gate:
    """The tokens of a store, as this process knows them; brought up to date at every tick.

    Parameters
    ----------
    now
        The store's time, in milliseconds.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._known: dict[str, tuple[bytes, int | None, Access]] = {}

    def learn(self, tokens: Iterable[Token]) -> None:
        """Know these tokens from now on, and no others."""
        self._known = {
            each.id: (
                each.digest,
                None if each.expires is None else int(each.expires.timestamp() * 1_000),
                Access(each.id, frozenset(each.scopes), frozenset(each.experiments), each.test),
            )
            for each in tokens
            if each.revoked is None
        }

    def access(self, header: bytes | None) -> Access | None:
        """Return what the token in an Authorization header allows; None for no valid one."""
        if header is None or header[:7].lower() != b"bearer ":
            return None
        parts = parse(header[7:].decode("latin-1"))
        if parts is None:
            return None
        name, secret, test = parts
        digest, expires, access = self._known.get(name, UNKNOWN)
        genuine = hmac.compare_digest(digest_of(secret), digest)
        if not genuine or access.test != test or access is NOBODY:
            return None
        return None if expires is not None and self._now() >= expires else access


UNKNOWN: tuple[bytes, int | None, Access] = (bytes(32), None, NOBODY)
