"""Schemas and their versions."""

from __future__ import annotations

from sqlalchemy import MetaData, create_engine, inspect

from hush.live.database import Database, SQLite

__all__ = ["create_or_check"]


def create_or_check(database: Database, metadata: MetaData) -> bool:
    """Make the schema if there is none; tell whether it was made."""
    if database.engine_url == "sqlite:///:memory:":
        from sqlalchemy.pool import StaticPool

        engine = create_engine("sqlite://", creator=lambda: database.connection, poolclass=StaticPool)  # type: ignore[attr-defined]
    else:
        engine = create_engine(database.engine_url)
    with engine.begin() as connection:
        if inspect(connection).get_table_names():
            return False
        metadata.create_all(connection)
    if not isinstance(database, SQLite):
        engine.dispose()
    return True
