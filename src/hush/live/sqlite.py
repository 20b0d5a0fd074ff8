"""SQLite behind the small interface of :mod:`~hush.live.database`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from time import sleep
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from hush.errors import StoreError
from hush.live.checkpoints import CHECKPOINT, Checkpoints
from hush.live.database import Database, Row

__all__ = ["SQLite"]

# As they are: else the driver looks in vain for a way to adapt them, every time.
sqlite3.register_adapter(bytes, bytes)


class SQLite(Database):
    """A file, or with the name ``:memory:`` none.

    The write-ahead log lets others read meanwhile. Deleted bytes are overwritten. Opened for
    *reading* it cannot be written to, whatever is asked of it.

    >>> database = SQLite(":memory:")
    >>> _ = database.run("CREATE TABLE t (x INTEGER PRIMARY KEY)")
    >>> with database.transaction() as changing:
    ...     changing.many("INSERT INTO t VALUES (?)", [(1,), (2,)])
    >>> database.run("SELECT sum(x) FROM t")
    [(3,)]
    """

    def __init__(self, path: str | Path, *, reading: bool = False) -> None:
        super().__init__()
        self._path = str(path)
        try:
            self.connection = sqlite3.connect(
                _read_only(Path(path)) if reading else self._path,
                uri=reading,
                timeout=WAIT,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=512,
            )
            for setting in READING if reading else SETTINGS:
                _set(self.connection, setting)
        except sqlite3.Error as error:
            raise StoreError(f"{Path(self._path).name} cannot be opened: {error}") from None
        self._execute = self.connection.execute
        self._seen = -1
        self._checkpoints = Checkpoints(self._path, self._checkpoint)

    @property
    def fresh(self) -> bool:
        """Whether the file was written to by this connection alone."""
        before, self._seen = self._seen, self._run("PRAGMA data_version", ())[0][0]
        return before == self._seen

    def _begin(self, durable: bool) -> None:
        if durable:
            self._run("PRAGMA synchronous=FULL", ())
        self._run("BEGIN IMMEDIATE", ())

    def _begin_reading(self) -> None:
        self._run("BEGIN", ())
        self._run("SELECT 1 FROM sqlite_master LIMIT 1", ())  # the moment is that of a first look

    def _commit(self) -> None:
        self._run("COMMIT", ())
        self._checkpoints.committed()

    def _checkpoint(self) -> None:
        with self.lock:
            self._execute(CHECKPOINT).fetchall()

    def _undo(self) -> None:
        if self.connection.in_transaction:
            self._execute("ROLLBACK")
        self._execute("PRAGMA synchronous=NORMAL")

    def _committed_durably(self) -> None:
        self._execute("PRAGMA synchronous=NORMAL")

    def _run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        try:
            return self._execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise _failed(error) from None

    def _many(self, statement: str, rows: list[Sequence[Any]]) -> None:
        try:
            self.connection.executemany(statement, rows)
            self._checkpoints.wrote(len(rows))
        except sqlite3.Error as error:
            raise _failed(error) from None

    def _changed(self, statement: str, rows: list[Sequence[Any]]) -> list[bool]:
        execute = self.connection.cursor().execute  # one cursor for all of them
        try:
            self._checkpoints.wrote(len(rows))
            return [execute(statement, row).rowcount > 0 for row in rows]
        except sqlite3.Error as error:
            raise _failed(error) from None

    def scrub(self) -> None:
        """Empty the write-ahead log, which holds pages as they were."""
        with self.lock, self._checkpoints.copying:
            self._run("PRAGMA wal_checkpoint(TRUNCATE)", ())

    def tables(self) -> set[str]:
        """Return the names of the tables there are."""
        rows = self.run("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {row[0] for row in rows}

    def engine(self) -> Engine:
        """Return an engine that uses this very connection."""
        made = create_engine("sqlite://", creator=lambda: self.connection, poolclass=StaticPool)

        def begin(_: object) -> None:
            self._note("BEGIN")
            self._begin(durable=True)

        def end(_: object) -> None:
            self._note("COMMIT")

        event.listen(made, "begin", begin)  # the driver would begin only before the first row
        event.listen(made, "commit", end)
        event.listen(made, "before_cursor_execute", lambda *given: self._note(given[2]))
        return made

    def close(self) -> None:
        """Close the file."""
        self._checkpoints.close()
        with self.lock:
            self.connection.close()


def _read_only(path: Path) -> str:
    """Return SQLite's address of a file that is only read."""
    name = f"{path.absolute().as_uri()}?mode=ro"
    # Where nothing can be written beside it, nobody writes to it either.
    return name if os.access(path.parent, os.W_OK) else f"{name}&immutable=1"


def _set(connection: sqlite3.Connection, setting: str) -> None:
    """Change a setting; wait where another process is just making the file.

    SQLite waits for locks, but not when it turns the log of a new file on: it gives up at once.
    """
    for _ in range(WAITS):
        try:
            connection.execute(f"PRAGMA {setting}").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            sleep(WAIT)
        else:
            return
    connection.execute(f"PRAGMA {setting}").fetchall()


def _failed(error: sqlite3.Error) -> StoreError:
    # SQLite's words name tables and states of the disk, never a value.
    return StoreError(f"the store cannot be used: {error}")


WAIT, WAITS = 0.05, 600  # seconds for a lock while a file is opened, and how often
PATIENCE = "busy_timeout=60000"  # milliseconds for a lock, once it is open
READING = ("query_only=ON", "cache_size=-32768", "temp_store=MEMORY", PATIENCE)
SETTINGS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "secure_delete=ON",
    "cache_size=-131072",
    "wal_autocheckpoint=64000",  # there are checkpoints beside the work long before
    "temp_store=MEMORY",
    "foreign_keys=OFF",
    PATIENCE,
)
