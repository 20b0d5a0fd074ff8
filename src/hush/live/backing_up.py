"""Backups: of the public store alone. What is raw is in no backup, so none can bring it back."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from secrets import token_hex

from hush.errors import StoreError
from hush.live.connecting import connect_existing
from hush.live.database import Database
from hush.live.migrating import check_schema, create_or_check
from hush.live.schema import PUBLIC
from hush.live.sqlite import SQLite

__all__ = ["backup"]

ROWS = 10_000


def backup(public: str | Path, to: str | Path) -> Path:
    """Copy the public store into a new SQLite file, as of one moment; others may go on.

    To restore it, put it in the place of the public store and open that with the private one: what
    it lacks is filled in. A private store is refused, for a second copy of what was learnt from
    would let a release be drawn twice.

    Parameters
    ----------
    public
        The public store: a path, or a ``postgresql://`` address.
    to
        Where the copy goes; nothing may be there.

    Examples
    --------
    >>> import tempfile, hush.live
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hush.live.open(f"{folder}/experiments.db").close()
    ...     hush.live.backup(f"{folder}/experiments.db", f"{folder}/monday.db").name
    'monday.db'
    """
    path = Path(to)
    if path.exists():
        raise StoreError(f"{path.name} is there already; a backup overwrites nothing")
    draft = path.with_name(f"{path.name}.{token_hex(8)}")
    with closing(connect_existing(public)) as database:
        check_schema(database, PUBLIC)
        try:
            _copy(database, draft)
            os.link(draft, path)  # as a whole, and only if nothing is there
        except FileExistsError:
            message = f"{path.name} is there already; a backup overwrites nothing"
            raise StoreError(message) from None
        except (OSError, sqlite3.Error):
            raise StoreError(f"{path.name} cannot be written there") from None
        finally:
            for each in (draft, *(Path(f"{draft}{end}") for end in ("-wal", "-shm"))):
                each.unlink(missing_ok=True)
    return path


def _copy(database: Database, draft: Path) -> None:
    if isinstance(database, SQLite):
        with closing(sqlite3.connect(draft)) as target:
            database.connection.backup(target)
    else:
        with closing(SQLite(draft)) as target:
            create_or_check(target, PUBLIC)
            with database.transaction(reading=True), target.transaction(durable=True):
                _copy_rows(database, target)
            target.scrub()
    with draft.open("rb") as file:
        os.fsync(file.fileno())


def _copy_rows(database: Database, target: SQLite) -> None:
    for table in PUBLIC.sorted_tables:
        names = ", ".join(f'"{column.name}"' for column in table.columns)
        keys = ", ".join(f'"{column.name}"' for column in table.primary_key)
        marks = ", ".join("?" * len(table.columns))
        asked = f"SELECT {names} FROM {table.name} ORDER BY {keys} LIMIT {ROWS} OFFSET ?"  # noqa: S608
        done = 0
        while rows := database.run(asked, (done,)):
            target.many(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)  # noqa: S608
            done += len(rows)
