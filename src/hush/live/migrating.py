"""Schemas and their versions."""

from __future__ import annotations

from sqlalchemy import MetaData, inspect

from hush.live.database import Database

__all__ = ["create_or_check"]

ALONE = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(1752527720)"}


def create_or_check(database: Database, metadata: MetaData) -> None:
    """Make the schema if there is none: as a whole, and by one process alone."""
    with database.engine().begin() as connection:
        connection.exec_driver_sql(ALONE[connection.dialect.name])
        if not inspect(connection).get_table_names():
            metadata.create_all(connection)
