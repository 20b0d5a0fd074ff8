"""PostgreSQL behind the same small interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import psycopg
from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool

from hush.errors import StoreError
from hush.live.database import Database, Row

__all__ = ["PostgreSQL"]

UNREACHABLE = "the database server is not reached, or ended the connection; it is tried anew"


class PostgreSQL(Database):
    """A database on a server.

    Group commits do not wait for the disk; durable ones do. A connection that was lost is made
    again for the next transaction.
    """

    locking: ClassVar[str] = " FOR UPDATE"
    skipping: ClassVar[str] = " FOR UPDATE SKIP LOCKED"

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address
        self._connection: psycopg.Connection[Row] | None = None
        self._connected()

    def _connected(self) -> psycopg.Connection[Row]:
        if self._connection is None or self._connection.closed:
            try:
                self._connection = psycopg.connect(self._address, autocommit=True)
                self._connection.execute("SET synchronous_commit = off")
            except psycopg.Error as error:
                self._connection = None
                raise StoreError(f"{UNREACHABLE} ({type(error).__name__})") from None
        return self._connection

    @property
    def fresh(self) -> bool:
        """Never: others may write at any time."""
        return False

    def _begin(self, durable: bool) -> None:
        connection = self._connected()
        try:
            connection.execute("BEGIN")
            if durable:
                connection.execute("SET LOCAL synchronous_commit = on")
        except psycopg.OperationalError:
            self._lost()

    def _commit(self) -> None:
        try:
            self._connected().execute("COMMIT")
        except psycopg.OperationalError:
            self._lost()

    def _undo(self) -> None:
        if self._connection is None or self._connection.closed:
            return
        try:
            self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self._connection.close()

    def _lost(self) -> None:
        if self._connection is not None:
            self._connection.close()
        raise StoreError(UNREACHABLE) from None

    def _run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        try:
            cursor = self._connected().execute(_placed(statement), values or None)
        except psycopg.Error as error:
            self._failed(error)
        return cursor.fetchall() if cursor.description else []

    def _many(self, statement: str, rows: Iterable[Sequence[Any]]) -> list[list[Row]]:
        wanted = list(rows)
        if not wanted:
            return []
        returns = " RETURNING " in statement or statement.startswith("SELECT")
        try:
            with self._connected().cursor() as cursor:
                cursor.executemany(_placed(statement), wanted, returning=returns)
                found: list[list[Row]] = []
                while returns:
                    found.append(cursor.fetchall())
                    if not cursor.nextset():
                        break
        except psycopg.Error as error:
            self._failed(error)
        return found

    def _failed(self, error: psycopg.Error) -> None:
        if self._connection is None or self._connection.closed or self._connection.broken:
            self._lost()
        # Its message may show a row.
        raise StoreError(f"the database refused a statement: {type(error).__name__}") from None

    def scrub(self) -> None:
        """Leave it to the server: dead rows are gone with its next vacuum."""

    def engine(self) -> Engine:
        """Return an engine with connections of its own."""
        rest = self._address.partition("://")[2]
        return create_engine(f"postgresql+psycopg://{rest}", poolclass=NullPool)

    def close(self) -> None:
        """Close the connection."""
        with self.lock:
            if self._connection is not None:
                self._connection.close()


@lru_cache(maxsize=1024)
def _placed(statement: str) -> bytes:
    return statement.replace("%", "%%").replace("?", "%s").encode()
