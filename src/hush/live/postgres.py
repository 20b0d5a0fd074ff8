"""PostgreSQL behind the same small interface, and the time of its server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, ClassVar, NoReturn

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from hush.errors import StoreError
from hush.live.clock import Clock, SystemClock
from hush.live.database import Database, Overtaken, Row

__all__ = ["PostgreSQL", "ServerClock"]

UNREACHABLE = "the database server is not reached, or ended the connection; it is tried anew"
NOW = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"
SCHEMA_LOCK = 0x68757368  # any number will do that nobody else takes in this database


class PostgreSQL(Database):
    """A database on a server.

    Group commits do not wait for the disk; durable ones do. A connection that was lost is made
    again for the next transaction. Rows that are written and return nothing travel with the next
    statement that returns something, or with the commit: fewer ways to the server and back, and
    locks that are kept for a shorter time.
    """

    locking: ClassVar[str] = " FOR UPDATE"
    skipping: ClassVar[str] = " FOR UPDATE SKIP LOCKED"

    def __init__(self, address: str, *, reading: bool = False) -> None:
        super().__init__()
        self._address = address
        self._reading = reading
        self._connection: psycopg.Connection[Row] | None = None
        self._later: list[tuple[bytes, list[Sequence[Any]]]] = []
        self._connected()

    def _connected(self) -> psycopg.Connection[Row]:
        if self._connection is None or self._connection.closed:
            if self._inside:  # what the transaction did is undone: it must not go on elsewhere
                raise StoreError(UNREACHABLE)
            try:
                self._connection = psycopg.connect(self._address, autocommit=True)
                self._connection.execute("SET synchronous_commit = off")
                if self._reading:
                    self._connection.execute("SET default_transaction_read_only = on")
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
        except psycopg.Error as error:
            self._failed(error)

    def _begin_reading(self) -> None:
        self._run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())

    def _commit(self) -> None:
        connection = self._connected()
        try:
            with _together(connection):
                self._send_later(connection)
                last = connection.execute("COMMIT")
            ended = last.statusmessage
        except psycopg.Error as error:
            self._failed(error)
        if ended != "COMMIT":  # after an error the server takes everything back, and says so
            raise StoreError("the transaction was undone, because one of its statements failed")

    def _send_later(self, connection: psycopg.Connection[Row]) -> None:
        later, self._later = self._later, []
        for statement, rows in later:
            connection.cursor().executemany(statement, rows)

    def _undo(self) -> None:
        self._later = []
        if self._connection is None or self._connection.closed:
            return
        try:
            self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self._connection.close()

    def _lost(self) -> NoReturn:
        if self._connection is not None:
            self._connection.close()
        raise StoreError(UNREACHABLE) from None

    def _run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        try:
            connection = self._connected()
            if self._later:
                with _together(connection):
                    self._send_later(connection)
                    cursor = connection.execute(_placed(statement), values)
            else:
                cursor = connection.execute(_placed(statement), values)
        except psycopg.Error as error:
            self._failed(error)
        return cursor.fetchall() if cursor.description else []

    def _many(self, statement: str, rows: list[Sequence[Any]]) -> None:
        self._later.append((_placed(statement), rows))
        if not self._inside:  # there is nothing that they could travel with
            self._run("SELECT", ())

    def _changed(self, statement: str, rows: list[Sequence[Any]]) -> list[bool]:
        found: list[bool] = []
        try:
            connection = self._connected()
            with connection.cursor() as cursor:
                with _together(connection):
                    self._send_later(connection)
                    cursor.executemany(_placed(statement), rows, returning=True)
                more: bool | None = True
                while more:
                    found.append(cursor.rowcount > 0)
                    more = cursor.nextset()
        except psycopg.Error as error:
            self._failed(error)
        return found

    def _surely(self, statement: str, rows: list[Sequence[Any]]) -> None:
        # Where nothing is returned the server itself fails, and undoes everything.
        guarded = f"WITH found AS ({statement}) SELECT 1 / count(*) FROM found"  # noqa: S608
        self._many(guarded, rows)

    def _failed(self, error: psycopg.Error) -> NoReturn:
        if isinstance(error, psycopg.errors.DivisionByZero):  # there is no other division
            raise Overtaken from None
        if self._connection is None or self._connection.closed or self._connection.broken:
            self._lost()
        # Its message may show a row.
        raise StoreError(f"the database refused a statement: {type(error).__name__}") from None

    def scrub(self) -> None:
        """Leave it to the server: dead rows are gone with its next vacuum."""

    def tables(self) -> set[str]:
        """Return the names of the tables there are."""
        rows = self.run("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return {row[0] for row in rows}

    def engine(self) -> Engine:
        """Return an engine with connections of its own."""
        made = create_engine(
            "postgresql+psycopg://",
            creator=lambda: psycopg.connect(self._address),
            poolclass=NullPool,
        )
        event.listen(made, "begin", _alone)
        return made

    def clock(self) -> Clock:
        """Return the server's clock."""
        return ServerClock(self)

    def close(self) -> None:
        """Close the connection."""
        with self.lock:
            if self._connection is not None:
                self._connection.close()


class ServerClock:
    """The time of a database server, so that machines with clocks of their own agree.

    It is asked for at opening and at every :meth:`measure`; in between time passes with this
    machine's boot clock, so that a decision costs no query.
    """

    def __init__(self, database: PostgreSQL, local: Clock | None = None) -> None:
        self._database = database
        self._local = SystemClock() if local is None else local
        self._offset = 0
        self.measure()

    def measure(self) -> None:
        """Ask the server what time it is."""
        before = self._local.boot()
        ((now,),) = self._database.run(NOW)
        # The answer is from between the two.
        self._offset = int(now) - (before + self._local.boot()) // 2

    def wall(self) -> int:
        """Return the server's time of day."""
        return self._local.boot() + self._offset

    def boot(self) -> int:
        """Return this machine's time since it started."""
        return self._local.boot()

    def __repr__(self) -> str:
        return "ServerClock()"


@contextmanager
def _together(connection: psycopg.Connection[Row]) -> Iterator[None]:
    """Send statements without waiting for each; the first error is raised, and none is logged."""
    first: psycopg.Error | None = None
    try:
        with connection.pipeline():
            try:
                yield
            except psycopg.Error as error:  # the pipeline would log those that follow from it
                first = error
    except psycopg.Error as error:
        raise first or error from None
    if first is not None:
        raise first


def _alone(connection: Connection) -> None:
    """Wait until no other process changes the schema."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})")


@lru_cache(maxsize=1024)
def _placed(statement: str) -> bytes:
    return statement.replace("%", "%%").replace("?", "%s").encode()
