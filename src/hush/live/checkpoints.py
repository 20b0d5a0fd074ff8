"""Checkpoints of SQLite's log beside the work: whoever commits hardly waits for the disk."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["CHECKPOINT", "Checkpoints"]

ENOUGH = 24_000  # rows: pages that were written often in the meantime are written back once
LONG = 32_000  # pages of a log that is to end
LITTLE = 300  # pages that are copied in a moment
MOST = 8
LATER = 15  # how much nicer the thread is: on a core that is busy it takes a thirtieth
CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"


class Checkpoints:
    """Brings what the log holds into the file, by a thread with a connection of its own.

    The thread starts when there is enough to do for the first time. It copies while others write,
    gives way to them, and copies what they wrote meanwhile, until that is little. Where the log is
    long by then, it waits until the disk has all of it, and whoever commits next copies the rest,
    so that the log ends and begins anew instead of growing for as long as somebody writes.

    Parameters
    ----------
    path
        The file.
    finish
        Copies what is left; called by whoever commits.
    """

    def __init__(self, path: str, finish: Callable[[], object]) -> None:
        self._path, self._finish = path, finish
        self._rows = 0
        self._due = threading.Event()
        self._over = self._ends = False
        self._thread: threading.Thread | None = None
        self.copying = threading.Lock()

    def wrote(self, rows: int) -> None:
        """Take note of rows that were written."""
        self._rows += rows

    def committed(self) -> None:
        """Take note of the end of a transaction; the next may begin when this returns."""
        if self._ends:
            self._ends = False
            with suppress(sqlite3.Error):  # it stays in the log, and is copied next time
                self._finish()
        if self._rows >= ENOUGH and self._path != ":memory:":
            self._rows = 0
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="hush-log", daemon=True)
                self._thread.start()
            self._due.set()

    def _work(self) -> None:
        if sys.platform == "linux":  # where a thread has a niceness of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LATER)
        connection = sqlite3.connect(self._path, isolation_level=None)
        while self._due.wait() and not self._over:
            self._due.clear()
            with suppress(sqlite3.Error):
                if self._copied(connection) >= LONG:
                    with suppress(OSError):  # whoever commits next waits for the disk, then
                        _settle(self._path)
                    self._ends = True
        connection.close()

    def _copied(self, connection: sqlite3.Connection) -> int:
        """Copy until what is left is little; return how many pages the log has."""
        before = pages = 0
        for _ in range(MOST):
            with self.copying:
                ((_, pages, _),) = connection.execute(CHECKPOINT).fetchall()
            if pages - before <= LITTLE:
                break
            before = pages
        return pages

    def close(self) -> None:
        """End the thread, if there is one."""
        if self._thread is not None:
            self._over = True
            self._due.set()
            self._thread.join()
            self._thread = None


def _settle(path: str) -> None:
    """Wait until the disk has what was written to a file that this process has open.

    To open it once more, and close that, would end the locks that SQLite has on it.
    """
    wanted = Path(path).stat()
    for each in Path("/dev/fd").iterdir():
        with suppress(OSError):  # it was the folder's own, or is closed by now
            if os.path.samestat(os.fstat(int(each.name)), wanted):
                os.fsync(int(each.name))
                return
