"""Access tokens for a service on a store: who may decide, reward, read, or act as an operator.

A token is an id and a secret of 256 random bits. The journal has what the token may do and the
digest of its secret, never the secret; so tokens are part of the chain, come back with the journal,
and a revocation is as lasting as anything that happened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

from hush.errors import StoreError, UnknownNameError
from hush.live.clock import GuardedClock, moment
from hush.live.database import Database
from hush.live.granting import EVERY, checked_length, granted
from hush.live.journal import Journal
from hush.live.wiring import checked_by

__all__ = ["Token", "Tokens", "digest_of", "parse"]

TEXT = re.compile(r"hush_(test_)?([0-9a-f]{12})_([0-9a-f]{64})")
ID = re.compile(r"[0-9a-f]{12}")
COLUMNS = "id, scopes, experiments, test, expires, made, revoked, note, digest"


@dataclass(frozen=True)
class Token:
    """What is known of an access token: everything but its secret, and all of it is public.

    Attributes
    ----------
    id
        12 hexadecimal digits.
    scopes
        What it is for, out of decide, reward, read and admin, in that order.
    experiments
        The names that it is for; ``("*",)`` is all of them.
    test
        Whether it is for rehearsals.
    expires
        From when on it is worth nothing; None is never.
    made, revoked
        When that happened; a token that is not revoked has None.
    note
        What it was made for, in somebody's words.
    digest
        SHA-256 of the secret.

    Examples
    --------
    >>> import hush.live
    >>> store = hush.live.open(":memory:", clock=hush.live.ManualClock())
    >>> text = store.tokens.create(["read"], experiments=["checkout"], expires="90d")
    >>> token, = store.tokens.all()
    >>> token.scopes, token.experiments, token.test, token.revoked
    (('read',), ('checkout',), False, None)
    >>> token.expires.isoformat()
    '2026-04-01T00:00:00+00:00'
    """

    id: str
    scopes: tuple[str, ...]
    experiments: tuple[str, ...]
    test: bool
    expires: datetime | None
    made: datetime
    revoked: datetime | None
    note: str
    digest: bytes = field(repr=False)


class Tokens:
    """The access tokens of a store. Reached as :attr:`Store.tokens`.

    They are read from the private store, so what one process revokes is revoked for all at once.

    Parameters
    ----------
    private
        The private store.
    publish
        Brings the public store up to date.
    clock
        The store's.
    entropy
        Where random bytes are drawn.

    Examples
    --------
    >>> import hush.live
    >>> store = hush.live.open(":memory:")
    >>> text = store.tokens.create(["decide", "reward"], note="web shop")
    >>> len(text), text in repr(store.tokens.all())
    (82, False)
    >>> store.tokens
    <1 tokens>
    """

    def __init__(
        self,
        private: Database,
        publish: Callable[[], None],
        clock: GuardedClock,
        entropy: Callable[[int], bytes],
    ) -> None:
        self._private, self._journal = private, Journal(private)
        self._publish, self._clock, self._entropy = publish, clock, entropy

    def create(
        self,
        scopes: Sequence[str],
        *,
        experiments: Sequence[str] = EVERY,
        expires: str | float | timedelta | None = None,
        test: bool = False,
        note: str = "",
        by: str = "",
    ) -> str:
        """Make a token and return its text, which is kept nowhere and never shown again.

        Parameters
        ----------
        scopes
            What it is for: any of decide, reward, read and admin.
        experiments
            The names that it is for, whether there are such experiments yet or not; all, if left
            out.
        expires
            For how long it is good, such as ``"90d"``; left out, until it is revoked.
        test
            Whether it is for rehearsals; its text then begins with ``hush_test_``.
        note
            What it is for, in up to 128 characters; anyone who reads the public store sees it.
        by
            Who did it, for the public log.

        Examples
        --------
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> text = store.tokens.create(["decide"], experiments=["checkout"], test=True)
        >>> text.startswith("hush_test_")
        True
        >>> store.tokens.create(["write"])
        Traceback (most recent call last):
        ...
        hush.errors.ParameterError: scopes must be out of decide, reward, read, admin; got 'write'
        """
        body = granted(scopes, experiments, test, note) | {"by": checked_by(by)}
        length = checked_length(expires)
        name, secret = self._entropy(6).hex(), self._entropy(32)
        at = self._clock.now()
        body |= {
            "id": name,
            "digest": digest_of(secret).hex(),
            "expires": None if length is None else at + length,
        }
        with self._private.transaction(durable=True):
            self._journal.head(keep=True)
            if self._private.run("SELECT id FROM tokens WHERE id = ?", (name,)):
                raise StoreError("a token of the id that was drawn is there already; try again")
            self._journal.append(at, "token", 0, body)
        self._publish()
        return f"hush_{'test_' if test else ''}{name}_{secret.hex()}"

    def all(self) -> list[Token]:
        """Return every token, oldest first; those that were revoked or have expired, too.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> for note in ("web shop", "dashboard"):
        ...     text = store.tokens.create(["read"], note=note)
        >>> [token.note for token in store.tokens.all()]
        ['web shop', 'dashboard']
        """
        rows = self._private.run(f"SELECT {COLUMNS} FROM tokens ORDER BY seq")  # noqa: S608
        return [
            Token(
                id=name,
                scopes=tuple(json.loads(scopes)),
                experiments=tuple(json.loads(experiments)),
                test=bool(test),
                expires=None if expires is None else moment(expires),
                made=moment(made),
                revoked=None if revoked is None else moment(revoked),
                note=note,
                digest=bytes(digest),
            )
            for name, scopes, experiments, test, expires, made, revoked, note, digest in rows
        ]

    def state(self, token: Token) -> str:
        """Return what a token is worth by the store's time: valid, expired or revoked.

        >>> import hush.live
        >>> clock = hush.live.ManualClock()
        >>> store = hush.live.open(":memory:", clock=clock)
        >>> text = store.tokens.create(["read"], expires="1h")
        >>> token, = store.tokens.all()
        >>> store.tokens.state(token)
        'valid'
        >>> clock.advance("1h")
        >>> store.tokens.state(token)
        'expired'
        """
        if token.revoked is not None:
            return "revoked"
        over = token.expires is not None and moment(self._clock.read()) >= token.expires
        return "expired" if over else "valid"

    def revoke(self, id: str, *, by: str = "") -> None:
        """Let a token be worth nothing from now on; doing so again changes nothing.

        Parameters
        ----------
        id
            The token's id, 12 hexadecimal digits; not its text.
        by
            Who did it, for the public log.

        Examples
        --------
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> text = store.tokens.create(["admin"])
        >>> token, = store.tokens.all()
        >>> store.tokens.revoke(token.id, by="Ada")
        >>> [store.tokens.state(token) for token in store.tokens.all()]
        ['revoked']
        """
        by = checked_by(by)
        with self._private.transaction(durable=True):
            self._journal.head(keep=True)
            sound = isinstance(id, str) and ID.fullmatch(id)
            asked = "SELECT revoked FROM tokens WHERE id = ?"
            rows = self._private.run(asked, (id,)) if sound else []
            if not rows:  # it is not shown: somebody may have given the whole text
                raise UnknownNameError(
                    "there is no token of that id: 12 hexadecimal digits, as hush token list "
                    "shows them"
                )
            if rows[0][0] is None:
                self._journal.append(self._clock.now(), "revoke", 0, {"id": id, "by": by})
        self._publish()

    def version(self) -> int:
        """Return a number that grows whenever a token is made or revoked, by any process.

        It costs one look into an index, so a service can ask before every answer.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> before = store.tokens.version()
        >>> text = store.tokens.create(["read"])
        >>> store.tokens.version() > before
        True
        """
        ((found,),) = self._private.run("SELECT max(version) FROM tokens")
        return int(found or 0)

    def __repr__(self) -> str:
        ((count,),) = self._private.run("SELECT count(*) FROM tokens")
        return f"<{count} tokens>"


def parse(text: object) -> tuple[str, bytes, bool] | None:
    """Return what a token's text says: id, secret, and whether it is for tests; None if it is none.

    Nothing is said of texts that are none: they may be somebody's other secret.

    >>> parse(f"hush_test_0123456789ab_{'00' * 32}") == ("0123456789ab", bytes(32), True)
    True
    >>> parse("hush_0123456789ab") is None
    True
    """
    found = TEXT.fullmatch(text) if isinstance(text, str) else None
    return None if found is None else (found[2], bytes.fromhex(found[3]), found[1] is not None)


def digest_of(secret: bytes) -> bytes:
    """Return what is kept of a secret. It is random and long: nobody can find it by trying.

    >>> digest_of(bytes(32)).hex()[:16]
    '66687aadf862bd77'
    """
    return sha256(secret).digest()
