"""The master secret, and what is derived from it: keyed hashes of people, ids and coins.

The secret lies outside both stores. With it, whoever holds the private store could find a person
by trying names; without it, nobody can.
"""

from __future__ import annotations

import hmac
import os
import secrets
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from hush.errors import ParameterError, StoreError

__all__ = ["Keys", "read_secret"]

SHORTEST, LONGEST = 16, 64
VARIABLE = "HUSH_MASTER_SECRET"
TO_UNIT = 2.0**-53


class Keys:
    """Keys derived from a master secret, one for each purpose.

    Attributes
    ----------
    check
        What a store remembers of the secret: another one does not open it.

    Examples
    --------
    >>> keys = Keys(bytes(32))
    >>> keys.person("default", "u17") == keys.person("eu", "u17")
    False
    >>> keys
    Keys(<secret>)
    """

    def __init__(self, secret: bytes) -> None:
        if not isinstance(secret, bytes) or not SHORTEST <= len(secret) <= LONGEST:
            raise ParameterError(
                f"the master secret must be {SHORTEST} to {LONGEST} random bytes, such as "
                "secrets.token_bytes(32)"
            )
        self._secret = secret
        self._people = lru_cache(maxsize=1024)(lambda name: self._keyed(f"people:{name}", 16))
        self._ids = self._keyed("ids", 12)
        self._coins = self._keyed("coins", 8)
        self._requests = self._keyed("requests", 16)
        self.check = self._derive("check").hex()

    def belong_to(self, store: str) -> None:
        """Let ids be those of one store: others that share the secret take none of them.

        Else an id of another store could pass for evidence that this one was set back.
        """
        self._ids = self._keyed(f"ids:{store}", 12)

    def _derive(self, purpose: str) -> bytes:
        return blake2b(purpose.encode(), key=self._secret, digest_size=32).digest()

    def _keyed(self, purpose: str, size: int) -> blake2b:
        """Return a hash that has read its key: to copy it takes a third of making it anew."""
        return blake2b(key=self._derive(purpose), digest_size=size)

    def apart(self, name: bytes) -> Keys:
        """Return keys of another secret, for what must not be taken for this store's.

        >>> keys = Keys(bytes(32))
        >>> keys.apart(b"rehearsal").person("default", "u17") == keys.person("default", "u17")
        False
        """
        return Keys(self._derive(f"apart:{name.hex()}"))

    def person(self, population: str, person: str) -> bytes:
        """Return the keyed hash that stands for a person in a population."""
        return _digest(self._people(population), person.encode())

    def request(self, experiment: int, kind: str, name: bytes) -> bytes:
        """Return the keyed hash of an idempotency key."""
        return _digest(self._requests, f"{experiment}:{kind}:".encode() + name)

    def seal(self, body: bytes) -> bytes:
        """Return the authentication code of an id."""
        mine = self._ids.copy()
        mine.update(body)
        return mine.digest()

    def genuine(self, body: bytes, code: bytes) -> bool:
        """Tell whether a code is that of the body."""
        return hmac.compare_digest(self.seal(body), code)

    def coin(self, body: bytes) -> float:
        """Return a number in [0, 1) that nobody can foresee: the same for the same decision."""
        mine = self._coins.copy()
        mine.update(body)
        return (int.from_bytes(mine.digest(), "big") >> 11) * TO_UNIT

    def __repr__(self) -> str:
        return "Keys(<secret>)"


def _digest(keyed: blake2b, body: bytes) -> bytes:
    mine = keyed.copy()
    mine.update(body)
    return mine.digest()


def read_secret(given: bytes | str | Path | None, beside: Path | None, *, new: bool) -> bytes:
    """Return the master secret: given, from a file, from the environment, or from beside a store.

    Parameters
    ----------
    given
        The secret itself, or the path of a file that holds it in hexadecimal digits.
    beside
        The file that is read, and for a new store written, where nothing is given.
    new
        Whether the store is new, so that a secret may be made.
    """
    if isinstance(given, bytes):
        return given
    if given is not None:
        return _of_file(Path(given))
    if VARIABLE in os.environ:
        return _of_text(os.environ[VARIABLE], VARIABLE)
    if beside is None:
        raise StoreError(
            f"a store on a database server needs a master secret: set {VARIABLE} to 64 "
            "hexadecimal digits, or give secret="
        )
    if beside.exists():
        return _of_file(beside)
    if not new:
        raise StoreError(
            f"the master secret {beside.name} is missing; put it back, for without it no person "
            "and no decision of this store can be recognised"
        )
    return _made(beside)


def _made(path: Path) -> bytes:
    """Make a secret; the file appears as a whole, and only if there is none."""
    made = secrets.token_bytes(32)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        why = f"the master secret {path.name} cannot be written there: {error.strerror}"
        raise StoreError(why) from None
    try:
        with os.fdopen(handle, "w") as file:
            file.write(made.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:  # another process opened the new store at the same time
        return _of_file(path)
    finally:
        draft.unlink()
    return made


def _of_file(path: Path) -> bytes:
    try:
        return _of_text(path.read_text(), path.name)
    except OSError as error:
        raise StoreError(
            f"the master secret {path.name} cannot be read: {error.strerror}"
        ) from None


def _of_text(text: str, place: str) -> bytes:
    try:
        found = bytes.fromhex(text.strip())
    except ValueError:
        found = b""
    if not SHORTEST <= len(found) <= LONGEST:
        raise StoreError(f"{place} does not hold a master secret: 64 hexadecimal digits are wanted")
    return found
