"""Checkpoints of SQLite's log beside the work: whoever commits does not wait for the disk."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable

__all__ = ["CHECKPOINT", "Checkpoints"]

ENOUGH = 24_000  # rows: pages that were written often in the meantime are written back once
CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"


class Checkpoints:
    """Brings what the log holds into the file, by a thread with a connection of its own.

    The thread starts when there is enough to do for the first time. It copies while others write;
    what they wrote meanwhile is little, and is copied while they wait, so that the log ends and
    begins anew instead of growing for as long as somebody writes.

    Parameters
    ----------
    path
        The file.
    finish
        Copies what is left, while nobody writes.
    """

    def __init__(self, path: str, finish: Callable[[], object]) -> None:
        self._path, self._finish = path, finish
        self._rows = 0
        self._due = threading.Event()
        self._over = False
        self._thread: threading.Thread | None = None
        self.copying = threading.Lock()

    def wrote(self, rows: int) -> None:
        """Take note of rows that were written."""
        self._rows += rows

    def committed(self) -> None:
        """Take note of the end of a transaction."""
        if self._rows >= ENOUGH and self._path != ":memory:":
            self._rows = 0
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="hush-log", daemon=True)
                self._thread.start()
            self._due.set()

    def _work(self) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        while self._due.wait() and not self._over:
            self._due.clear()
            try:
                with self.copying:
                    connection.execute(CHECKPOINT).fetchall()
                self._finish()
            except sqlite3.Error:  # it stays in the log, and is copied next time
                continue
        connection.close()

    def close(self) -> None:
        """End the thread, if there is one."""
        if self._thread is not None:
            self._over = True
            self._due.set()
            self._thread.join()
            self._thread = None
