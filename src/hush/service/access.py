"""Access: who may do what, by the token that came with a request.

A token is checked by one look-up, one SHA-256 of its secret and a comparison in constant time. One
that was found genuine is known by a hash of its header until the tokens change: nobody can choose a
hash, so the time of that look-up tells nothing, and no secret is kept. Whatever is not allowed by
name is denied.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b

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


Kept = tuple[bytes, int | None, Access]
"""What is known of a token: the hash of its secret, when it expires, and what it allows."""

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
        self._tokens: tuple[dict[str, Kept], dict[bytes, Kept]] = {}, {}

    def learn(self, tokens: Iterable[Token]) -> None:
        """Know these tokens from now on, and no others."""
        known = {
            each.id: (
                each.digest,
                None if each.expires is None else int(each.expires.timestamp() * 1_000),
                Access(each.id, frozenset(each.scopes), frozenset(each.experiments), each.test),
            )
            for each in tokens
            if each.revoked is None
        }
        self._tokens = known, {}  # together: a check that is under way remembers among the old ones

    def access(self, header: bytes | None) -> Access | None:
        """Return what the token in an Authorization header allows; None for no valid one."""
        if header is None:
            return None
        known, genuine = self._tokens
        place = blake2b(header).digest()
        found = genuine.get(place)
        if found is None:
            found = _genuine(header, known)
            if found is None:
                return None
            genuine[place] = found
        _, expires, access = found
        return None if expires is not None and self._now() >= expires else access


def _genuine(header: bytes, known: dict[str, Kept]) -> Kept | None:
    if header[:7].lower() != b"bearer ":
        return None
    parts = parse(header[7:].decode("latin-1"))
    if parts is None:
        return None
    name, secret, test = parts
    found = known.get(name, UNKNOWN)
    genuine = hmac.compare_digest(digest_of(secret), found[0])
    return found if genuine and found is not UNKNOWN and found[2].test == test else None


UNKNOWN: Kept = (bytes(32), None, NOBODY)
