"""Schemas and their versions."""

from __future__ import annotations

from sqlalchemy import MetaData, inspect

from hush.live.database import Database

__all__ = ["create_or_check"]


def create_or_check(database: Database, metadata: MetaData) -> None:
    """Make the schema if there is none."""
    with database.engine().begin() as connection:
        if not inspect(connection).get_table_names():
            metadata.create_all(connection)
