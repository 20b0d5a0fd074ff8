"""The log is brought into the file beside the work, ends, and begins anew."""

import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hush.live import checkpoints
from hush.live.sqlite import SQLite


@pytest.fixture
def database(tmp_path, monkeypatch):
    """A database whose log is copied after every ten rows, and ends after ten pages."""
    monkeypatch.setattr(checkpoints, "ENOUGH", 10)
    monkeypatch.setattr(checkpoints, "LONG", 10)
    made = SQLite(tmp_path / "s.db")
    made.run("CREATE TABLE t (x INTEGER PRIMARY KEY, y BLOB)")
    yield made
    made.close()


def put(database, rows, size=10):
    for start in range(0, rows, size):
        with database.transaction():
            database.many(
                "INSERT OR REPLACE INTO t VALUES (?, ?)",
                [(start + n, bytes(2_000)) for n in range(size)],
            )


def until(holds):
    deadline = time.monotonic() + 60.0
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def in_the_file(database, tmp_path):
    """How many rows the file has by itself, without its log."""
    (tmp_path / "alone.db").write_bytes((tmp_path / "s.db").read_bytes())
    alone = sqlite3.connect(tmp_path / "alone.db")
    alone.execute("PRAGMA journal_mode=MEMORY")
    try:
        return alone.execute("SELECT count(*) FROM t").fetchone()[0]
    except sqlite3.DatabaseError:  # while pages are being written
        return 0
    finally:
        alone.close()


def test_few_rows_need_no_thread(database):
    put(database, 8, size=8)
    assert database._checkpoints._thread is None


def test_what_was_written_reaches_the_file(database, tmp_path):
    put(database, 100)
    assert until(lambda: in_the_file(database, tmp_path) == 100)


def test_the_log_does_not_grow_as_long_as_somebody_writes(database, tmp_path):
    """Without the last copy, by whoever commits, it would hold all 6,000 rows: 24 MB."""
    for _ in range(20):
        put(database, 300)
        assert until(lambda: database._checkpoints._ends)  # the thread has done its part
    assert (tmp_path / "s.db-wal").stat().st_size < 8e6


def test_an_emptied_log_stays_empty_whoever_copies(database, tmp_path):
    """A copy under way must not keep the log from being emptied of what was raw."""
    for _ in range(30):
        put(database, 30)
        database.scrub()
        assert (tmp_path / "s.db-wal").stat().st_size == 0


def test_whoever_commits_waits_for_nobody_who_is_nicer(database, monkeypatch):
    """A thread that gives way to everybody must not hold what everybody needs."""
    names = []
    monkeypatch.setattr(
        database._checkpoints, "_finish", lambda: names.append(threading.current_thread().name)
    )
    assert until(lambda: put(database, 10) or names)
    assert set(names) == {threading.current_thread().name}


def test_closing_ends_the_thread(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "ENOUGH", 1)
    made = SQLite(tmp_path / "s.db")
    made.run("CREATE TABLE t (x INTEGER PRIMARY KEY, y BLOB)")
    put(made, 50)
    thread = made._checkpoints._thread
    made.close()
    assert not thread.is_alive()
    assert "hush-log" not in {each.name for each in threading.enumerate()}


def test_a_file_that_cannot_be_copied_to_keeps_its_log(database, monkeypatch, tmp_path):
    """It is tried again with the next rows, and nothing is lost meanwhile."""
    tries = []

    def failing():
        tries.append(1)
        if len(tries) < 3:
            raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(database._checkpoints, "_finish", failing)

    def tried(number):
        put(database, 10)
        time.sleep(0.001)
        return len(tries) >= number

    for number in range(1, 4):
        assert until(lambda: tried(number))  # noqa: B023
    assert database.run("SELECT count(*) FROM t") == [(10,)]


TAKE = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="no folder of open files here")
def test_the_disk_has_all_of_it_and_locks_stay(database, tmp_path, monkeypatch):
    """Whoever opens a file of SQLite and closes it ends all locks that the process has on it."""
    path, sync, settled = tmp_path / "s.db", os.fsync, []

    def noted(number):
        settled.append(os.path.samestat(os.fstat(number), path.stat()))
        sync(number)

    monkeypatch.setattr(os, "fsync", noted)
    with database.transaction():
        database.run("INSERT INTO t VALUES (1, x'00')")
        checkpoints._settle(str(path))
        asked = [sys.executable, "-c", TAKE, str(path)]
        other = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr
    assert settled == [True]


def test_where_open_files_are_not_listed_the_log_ends_all_the_same(database, monkeypatch):
    def missing(_):
        raise FileNotFoundError

    monkeypatch.setattr(checkpoints, "_settle", missing)
    put(database, 300)
    assert until(lambda: database._checkpoints._ends)
