"""One small interface to a database.

Statements are SQL that SQLite and PostgreSQL share, with ``?`` for values. The hot paths run them
on the driver's own connection: ``docs/decisions.md`` has the measurement.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from sqlalchemy import Engine

from hush.errors import MisuseError
from hush.live.clock import Clock, SystemClock

__all__ = ["Database", "Overtaken", "Row"]

Row = tuple[Any, ...]


class Overtaken(Exception):  # noqa: N818  not an error: what was asked can be asked again
    """Somebody else changed first what a transaction relied on; it was undone."""


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

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row of values, in order."""
        values = list(rows)
        if values:
            with self.lock:
                self._note(statement)
                self._many(statement, values)

    def changed(self, statement: str, rows: Iterable[Sequence[Any]]) -> list[bool]:
        """Run a statement for each row of values, in order; tell which of them changed anything."""
        values = list(rows)
        if not values:
            return []
        with self.lock:
            self._note(statement)
            return self._changed(statement, values)

    def surely(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row of values, in order; each must return a row.

        Else the transaction is undone, with :class:`Overtaken`. Both may happen as late as by its
        commit, so that what is kept from others is kept for the shortest time.
        """
        values = list(rows)
        if values:
            with self.lock:
                self._note(statement)
                self._surely(statement, values)

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
    def _many(self, statement: str, rows: list[Sequence[Any]]) -> None: ...

    @abstractmethod
    def _changed(self, statement: str, rows: list[Sequence[Any]]) -> list[bool]: ...

    def _surely(self, statement: str, rows: list[Sequence[Any]]) -> None:
        for row in rows:
            if not self._run(statement, row):
                raise Overtaken

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
