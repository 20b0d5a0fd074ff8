"""One small interface to a database, and SQLite behind it.

Statements are SQL that SQLite and PostgreSQL share, with ``?`` for values. The hot paths run them
on the driver's own connection: ``docs/decisions.md`` has the measurement.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from hush.errors import MisuseError, StoreError
from hush.live.clock import Clock, SystemClock

__all__ = ["Database", "Row", "SQLite", "returns"]

Row = tuple[Any, ...]


class Database(ABC):
    """A database connection that many threads share, one transaction at a time.

    Invariants: what a transaction wrote is there as a whole or not at all, and survives the death
    of the process from its commit on. After a *durable* one it survives a power cut, with all that
    was committed before. A process that was forked off may not use it.

    Class attributes
    ----------------
    locking
        What a select ends with that keeps its rows from others until the commit.
    skipping
        The same, leaving out rows that others keep.

    Attributes
    ----------
    probe
        Called with every statement before it runs; tests stop the process there.
    """

    locking: ClassVar[str] = ""
    skipping: ClassVar[str] = ""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.probe: Callable[[str], object] | None = None
        self._process = os.getpid()
        self._inside = False

    @contextmanager
    def transaction(self, *, durable: bool = False, reading: bool = False) -> Iterator[Database]:
        """Hold the database for a transaction: committed at the end, undone by an error.

        One for *reading* sees everything as of one moment, and keeps nobody from writing.
        """
        with self.lock:
            self._check_process()
            if self._inside:
                raise MisuseError("a transaction is under way")
            if reading:
                self._begin_reading()
            else:
                self._begin(durable)
            self._inside = True
            try:
                yield self
                self._note("COMMIT")
                self._commit()
            except BaseException:
                self._inside = False
                self._undo()
                raise
            self._inside = False
            if durable:
                self._committed_durably()
            self._note("COMMITTED")

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise MisuseError("this store was opened before the process forked; open it anew")

    def _note(self, statement: str) -> None:
        if self.probe is not None:
            self.probe(statement)

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run a statement and return its rows."""
        with self.lock:
            if not self._inside:
                self._check_process()
            self._note(statement)
            return self._run(statement, values)

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> list[list[Row]]:
        """Run a statement for each row of values, in order; return the rows of each, if it has."""
        with self.lock:
            self._note(statement)
            return self._many(statement, rows)

    @property
    @abstractmethod
    def fresh(self) -> bool:
        """Whether nobody else can have written since this was asked last; asked in transactions."""

    @abstractmethod
    def _begin(self, durable: bool) -> None: ...

    @abstractmethod
    def _begin_reading(self) -> None: ...

    @abstractmethod
    def _commit(self) -> None: ...

    @abstractmethod
    def _undo(self) -> None: ...

    def _committed_durably(self) -> None:  # noqa: B027  not all have to do something
        """Go back to commits that wait for nothing."""

    @abstractmethod
    def _run(self, statement: str, values: Sequence[Any]) -> list[Row]: ...

    @abstractmethod
    def _many(self, statement: str, rows: Iterable[Sequence[Any]]) -> list[list[Row]]: ...

    @abstractmethod
    def scrub(self) -> None:
        """Let nothing of what was deleted be left in files of the database's own."""

    @abstractmethod
    def tables(self) -> set[str]:
        """Return the names of the tables there are."""

    @abstractmethod
    def engine(self) -> Engine:
        """Return SQLAlchemy's engine on it, for the schema.

        Its transactions are durable, hold changes of the schema too, and exclude each other
        whichever process they are of.
        """

    def clock(self) -> Clock:
        """Return where the time is read if nothing is said."""
        return SystemClock()

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection."""


class SQLite(Database):
    """A file, or with the name ``:memory:`` none.

    The write-ahead log lets others read meanwhile. Deleted bytes are overwritten.

    >>> database = SQLite(":memory:")
    >>> _ = database.run("CREATE TABLE t (x INTEGER PRIMARY KEY)")
    >>> with database.transaction() as changing:
    ...     _ = changing.many("INSERT INTO t VALUES (?)", [(1,), (2,)])
    >>> database.run("SELECT sum(x) FROM t")
    [(3,)]
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path = str(path)
        try:
            self.connection = sqlite3.connect(
                self._path,
                timeout=60.0,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=512,
            )
            for setting in SETTINGS:
                self.connection.execute(f"PRAGMA {setting}").fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{Path(self._path).name} cannot be opened: {error}") from None
        self._execute = self.connection.execute
        self._seen = -1

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

    def _many(self, statement: str, rows: Iterable[Sequence[Any]]) -> list[list[Row]]:
        execute = self._execute
        try:
            if returns(statement):
                return [execute(statement, row).fetchall() for row in rows]
            self.connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise _failed(error) from None
        return []

    def scrub(self) -> None:
        """Empty the write-ahead log, which holds pages as they were."""
        with self.lock:
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
        with self.lock:
            self.connection.close()


def returns(statement: str) -> bool:
    """Tell whether a statement has rows to return."""
    return " RETURNING " in statement or statement.startswith("SELECT")


def _failed(error: sqlite3.Error) -> StoreError:
    # SQLite's words name tables and states of the disk, never a value.
    return StoreError(f"the store cannot be used: {error}")


SETTINGS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "secure_delete=ON",
    "cache_size=-131072",
    "wal_autocheckpoint=8000",  # pages that were written often are written back once
    "temp_store=MEMORY",
    "foreign_keys=OFF",
)
