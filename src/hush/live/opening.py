"""Opening a store: its schema, its secret, and whether its two halves belong together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import MetaData

from hush.errors import ParameterError, StoreError, shown
from hush.live.database import Database
from hush.live.journal import Head, Journal
from hush.live.keys import Keys
from hush.live.migrating import create_or_check

__all__ = ["aligned", "match", "prepare", "private_address", "secret_file"]


def private_address(public: str | Path) -> str:
    """Return where the private store lies if nothing is said: a file beside the public one.

    >>> private_address("experiments.db")
    'experiments.private.db'
    """
    if not isinstance(public, str | Path) or not Path(public).name:
        raise ParameterError(f"a store is a path or a postgresql:// address; got {shown(public)}")
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


def prepare(database: Database, metadata: MetaData, keys: Keys) -> None:
    """Make the schema if the database is empty, and check the secret."""
    create_or_check(database, metadata)
    with database.transaction(durable=True):
        rows = [("check", keys.check), ("clock", ""), ("longest", "0"), ("store", "")]
        database.many(
            "INSERT INTO about (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", rows
        )
        ((check,),) = database.run("SELECT value FROM about WHERE name = 'check'")
        if check != keys.check:
            raise StoreError("this store has another master secret; open it with its own")


def match(private: Database, public: Database, name: str, quarantine: Callable[[], None]) -> None:
    """Compare the two journals, and see to it that a private store that was set back is noticed.

    Where the private store is older than the public one, or new, it takes over the public one's
    journal, and in the same transaction everything that was learning is quarantined. ``name`` is
    for a new store.
    """
    origin, copy = Journal(private), Journal(public)
    with private.transaction(durable=True), public.transaction(durable=True):
        _same_store(private, public, name)
        origin.begin()
        copy.begin()
        first, second = origin.head(keep=True), copy.head(keep=True)
        if _is_on(origin, second):
            return
        if not _is_on(copy, first):
            raise StoreError("the private and the public store do not belong together")
        for entry in copy.after(first.seq):
            origin.copy(entry)
        quarantine()


def aligned(private: Database, public: Database) -> bool:
    """Tell whether the private store's journal goes at least as far as the public one's."""
    return _is_on(Journal(private), Journal(public).head())


def _is_on(journal: Journal, head: Head) -> bool:
    """Tell whether a journal has been at this head."""
    if head.seq == 0:
        return True
    entries = journal.after(head.seq - 1, most=1)
    return bool(entries) and entries[0].seq == head.seq and entries[0].hash == head.hash


def _same_store(private: Database, public: Database, new: str) -> None:
    names = [
        database.run(f"SELECT value FROM about WHERE name = 'store'{database.locking}")[0][0]  # noqa: S608
        for database in (private, public)
    ]
    if names[0] and names[1] and names[0] != names[1]:
        raise StoreError("the private and the public store do not belong together")
    name = names[0] or names[1] or new
    for database in (private, public):
        database.run("UPDATE about SET value = ? WHERE name = 'store'", (name,))
