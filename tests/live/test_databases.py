import os
import sqlite3
import threading
from contextlib import closing, suppress

import pytest
from tests.live import servers

from hush.errors import StoreError
from hush.live.concurrent_rules import CONCURRENT_RULES
from hush.live.connecting import connect
from hush.live.database import Overtaken
from hush.live.database_checks import DatabaseCheck, check_database, yield_database_checks
from hush.live.database_rules import RULES, DatabaseFault
from hush.live.sqlite import SQLite

ALL = (*RULES, *CONCURRENT_RULES)
NAMED = pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.__name__)


@NAMED
def test_sqlite_conforms(rule, tmp_path):
    DatabaseCheck(rule.__name__, rule, lambda: SQLite(tmp_path / "kit.db"))()


@pytest.fixture(scope="module")
def kit(server):
    with server.databases("template0") as (address,):
        yield address


@NAMED
def test_postgres_conforms(rule, kit):
    DatabaseCheck(rule.__name__, rule, lambda: connect(kit))()


class Late(SQLite):
    """Begins when it first writes, so that others write between."""

    def _begin(self, durable):
        self._run("BEGIN", ())


class Hasty(SQLite):
    """Commits every statement by itself."""

    def _begin(self, durable):
        pass

    def _commit(self):
        pass


class Blind(SQLite):
    """Never notices others."""

    fresh = True


class Nested(SQLite):
    """Lets a transaction begin inside another."""

    @property
    def _inside(self):
        return False

    @_inside.setter
    def _inside(self, value):
        pass

    def _begin(self, durable):
        if not self.connection.in_transaction:
            super()._begin(durable)


class Forkable(SQLite):
    """Forgets whose it is."""

    @property
    def _process(self):
        return os.getpid()

    @_process.setter
    def _process(self, value):
        pass


class Talkative(SQLite):
    """Shows values in errors."""

    def _run(self, statement, values):
        try:
            return super()._run(statement, values)
        except StoreError as error:
            raise StoreError(f"{error}: {values}") from None


class Shuffled(SQLite):
    """Answers in an order of its own."""

    def _changed(self, statement, rows):
        return super()._changed(statement, rows[::-1])


class Silent(SQLite):
    """Swallows errors at the end, and undoes."""

    def _run(self, statement, values):
        try:
            return super()._run(statement, values)
        except StoreError:
            self._execute("ROLLBACK")
            self._execute("BEGIN")
            raise


class Moving(SQLite):
    """Reads whatever there is."""

    def _begin_reading(self):
        pass

    def _commit(self):
        if self.connection.in_transaction:
            super()._commit()


class Careless(SQLite):
    """Does not look whether a statement found anything."""

    def _surely(self, statement, rows):
        self._many(statement, rows)


BROKEN = {
    Late: "rows_that_are_kept_wait",
    Hasty: "a_transaction_is_seen_as_a_whole",
    Blind: "fresh_tells_of_others",
    Nested: "transactions_do_not_nest",
    Forkable: "a_forked_child_is_refused",
    Talkative: "errors_hold_no_values",
    Shuffled: "many_go_in_order",
    Silent: "an_error_is_never_swallowed_by_the_commit",
    Careless: "what_was_sure_and_is_not_undoes_the_transaction",
    Moving: "reading_is_of_one_moment",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.__name__)
def test_the_kit_names_what_is_broken(broken, tmp_path):
    path = tmp_path / "kit.db"
    named = {check.name: check for check in yield_database_checks(lambda: broken(path))}
    with pytest.raises((DatabaseFault, StoreError)):
        named[BROKEN[broken]]()


def test_the_kit_stops_at_the_first_fault(tmp_path):
    with pytest.raises(DatabaseFault):
        check_database(lambda: Blind(tmp_path / "kit.db"))


def test_a_lost_connection_is_never_half_a_transaction(server, kit):
    database, other = connect(kit), connect(kit)
    database.run("CREATE TABLE lost (x INTEGER)")

    def interrupted():
        with database.transaction():
            database.run("INSERT INTO lost VALUES (1)")
            other.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                      "pg_backend_pid() AND datname = current_database()")  # fmt: skip
            for number in (2, 3):
                with suppress(StoreError):
                    database.run("INSERT INTO lost VALUES (?)", (number,))

    with pytest.raises(StoreError):
        interrupted()
    assert database.run("SELECT x FROM lost") == []
    with database.transaction():
        database.run("INSERT INTO lost VALUES (4)")
    assert other.run("SELECT x FROM lost") == [(4,)]
    database.close()
    other.close()


def test_what_follows_from_an_error_is_not_logged(kit, caplog):
    with closing(connect(kit)) as database:
        database.run("CREATE TABLE logged (x INTEGER)")

        def overtaken():
            with database.transaction():
                database.surely("SELECT x FROM logged WHERE x = ?", [(1,)])
                database.many("INSERT INTO logged VALUES (?)", [(each,) for each in range(200)])

        for _ in range(20):
            with pytest.raises(Overtaken):
                overtaken()
        assert database.run("SELECT x FROM logged") == []
        database.run("DROP TABLE logged")
    assert caplog.text == ""


def test_a_server_that_is_away_is_named_without_its_address(tmp_path):
    with pytest.raises(StoreError, match="not reached") as caught:
        connect(f"postgresql://someone:hunter2@/none?host={tmp_path}")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_where_postgres_is_missing_that_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(servers, "INSTALLED", tmp_path)
    assert servers.binaries() is None


def test_a_file_that_another_process_is_making_is_waited_for(tmp_path):
    """SQLite gives up at once when it turns on the log of a file that is locked."""
    path = tmp_path / "new.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE made (x)")
    done = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    done.start()
    with closing(SQLite(path)) as database:
        assert database.tables() == {"made"}
    done.join()
    other.close()


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_file_that_stays_locked_is_said_to_be(lock, tmp_path, monkeypatch):
    """For the second SQLite waits by itself, which must not be multiplied by the tries."""
    monkeypatch.setattr("hush.live.sqlite.WAITS", 10)
    path = tmp_path / "new.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"BEGIN {lock}")
        with pytest.raises(StoreError, match=r"new\.db cannot be opened: database is locked"):
            SQLite(path)


@pytest.mark.parametrize("reading", [False, True])
def test_locks_are_waited_for_once_a_file_is_open(reading, tmp_path):
    SQLite(tmp_path / "new.db").close()
    with closing(SQLite(tmp_path / "new.db", reading=reading)) as database:
        assert database.run("PRAGMA busy_timeout") == [(60_000,)]
