"""From an address to a database."""

from __future__ import annotations

from pathlib import Path

from hush.errors import ParameterError, StoreError, shown
from hush.extras import require
from hush.live.database import Database
from hush.live.sqlite import SQLite

__all__ = ["connect", "connect_existing"]


def connect(address: str | Path, *, reading: bool = False) -> Database:
    """Return the database of an address: a path is SQLite's. For reading, it cannot be changed."""
    if isinstance(address, str) and address.startswith(("postgresql://", "postgres://")):
        require("a postgresql:// store")
        from hush.live.postgres import PostgreSQL

        return PostgreSQL(address, reading=reading)
    if isinstance(address, str) and "://" in address:
        raise ParameterError("a store is a path or a postgresql:// address")
    if not isinstance(address, str | Path) or not str(address):
        raise ParameterError(f"a store is a path or a postgresql:// address; got {shown(address)}")
    return SQLite(address, reading=reading)


def connect_existing(address: str | Path, *, reading: bool = False) -> Database:
    """Return the database of an address where there is one; never make a file."""
    if "://" not in str(address) and not Path(address).is_file():
        raise StoreError(f"there is no store at {Path(address).name}")
    return connect(address, reading=reading)
