"""Opening a store: its schema, its secret, and whether its two halves belong together."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import MetaData, create_engine

from hush.errors import ParameterError, StoreError, shown
from hush.live.database import Database, SQLite
from hush.live.journal import GENESIS, Head, Journal
from hush.live.keys import Keys
from hush.live.schema import PRIVATE, PUBLIC

__all__ = ["Match", "connect", "match", "prepare", "private_address", "secret_file"]

WIPED = ("pending", "batches", "sealed", "replies", "people", "lanes")


def connect(address: str | Path) -> Database:
    """Return the database of an address: a path is SQLite's."""
    if isinstance(address, str) and address.startswith(("postgresql://", "postgres://")):
        try:
            from hush.live.postgres import PostgreSQL
        except ImportError:
            raise StoreError("psycopg is missing; install it with pip install 'hush[postgres]'") from None
        return PostgreSQL(address)
    if isinstance(address, str) and "://" in address:
        raise ParameterError("a store is a path or a postgresql:// address")
    if not isinstance(address, str | Path) or not str(address):
        raise ParameterError(f"a store is a path or a postgresql:// address; got {shown(address)}")
    return SQLite(address)


def private_address(public: str | Path) -> str:
    """Return where the private store lies if nothing is said: a file beside the public one.

    >>> private_address("experiments.db")
    'experiments.private.db'
    """
    if "://" in str(public):
        raise ParameterError(
            "say where the private store is: private=; it belongs into a database of a cluster "
            "that is neither archived nor replicated"
        )
    if str(public) == ":memory:":
        return ":memory:"
    path = Path(public)
    return str(path.with_name(f"{path.stem}.private{path.suffix}"))


def secret_file(public: str | Path) -> Path | None:
    """Return the file of the master secret beside a store; None for one on a server."""
    if "://" in str(public):
        return None
    return Path(public).with_suffix(".key")


def prepare(database: Database, metadata: MetaData, keys: Keys) -> bool:
    """Make the schema if the database is empty, check the secret; tell whether it is new."""
    new = _create(database, metadata)
    with database.transaction(durable=True):
        rows = dict(database.run("SELECT name, value FROM about"))
        if not rows:
            database.many(
                "INSERT INTO about (name, value) VALUES (?, ?)",
                [("check", keys.check), ("clock", ""), ("store", "")],
            )
        elif rows["check"] != keys.check:
            raise StoreError("this store has another master secret; open it with its own")
    return new


def _create(database: Database, metadata: MetaData) -> bool:
    from hush.live.migrating import create_or_check

    return create_or_check(database, metadata)


@dataclass(frozen=True)
class Match:
    """What was found when the two halves were held against each other."""

    quarantine: bool


def match(private: Database, public: Database) -> Match:
    """Compare the two journals; a private store that is older than the public one is refilled.

    Then nothing raw in it may be used any more: it is emptied, and every experiment that was
    running is to be quarantined.
    """
    origin, copy = Journal(private), Journal(public)
    with private.transaction(durable=True), public.transaction(durable=True):
        _same_store(private, public)
        first, second = origin.head(keep=True), copy.head(keep=True)
        for journal, head in ((origin, first), (copy, second)):
            if head == Head(0, GENESIS) and not journal.head_is_stored():
                journal.begin(head)
        if _is_on(origin, second):
            return Match(quarantine=False)
        if not _is_on(copy, first):
            raise StoreError("the private and the public store do not belong together")
        for table in WIPED:
            private.run(f"DELETE FROM {table}")  # noqa: S608
        for entry in copy.after(first.seq, most=10**9):
            origin.copy(entry)
    return Match(quarantine=True)


def _is_on(journal: Journal, head: Head) -> bool:
    """Tell whether a journal has been at this head."""
    if head.seq == 0:
        return True
    entries = journal.after(head.seq - 1, most=1)
    return bool(entries) and entries[0].seq == head.seq and entries[0].hash == head.hash


def _same_store(private: Database, public: Database) -> None:
    names = [
        database.run("SELECT value FROM about WHERE name = 'store'")[0][0]
        for database in (private, public)
    ]
    if names[0] and names[1] and names[0] != names[1]:
        raise StoreError("the private and the public store do not belong together")
    name = names[0] or names[1] or secrets.token_hex(16)
    for database in (private, public):
        database.run("UPDATE about SET value = ? WHERE name = 'store'", (name,))
