"""Schemas and their versions: Alembic's revisions, without a configuration of their own.

A database is made or brought up to date in one transaction, one process at a time; so whoever
dies meanwhile leaves it as it was. A database of another version is never touched by opening it.
A new one gets the tables as they are now and their revision's name; tests hold them against what
the revisions lead to. Alembic is imported where it is needed: to migrate a store, not to open it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Connection, Dialect, MetaData, String, Table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from hush.errors import StoreError
from hush.live.connecting import connect_existing
from hush.live.database import Database
from hush.live.schema import PRIVATE, PUBLIC

if TYPE_CHECKING:
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

__all__ = ["check_schema", "create_or_check", "migrate"]

VERSIONS = "alembic_version"


def create_or_check(database: Database, metadata: MetaData) -> None:
    """Make the schema if the database is empty; else refuse it unless it is of this version."""
    if not database.tables():
        _create(database, metadata)
    check_schema(database, metadata)


def check_schema(database: Database, metadata: MetaData) -> None:
    """Raise unless the database is a store of this kind and version."""
    revision, name = _revision(database), metadata.info["name"]
    if revision == metadata.info["revision"]:
        return
    kind = _kind(revision)
    if kind != name:
        other = f"a {kind} store" if kind else "no store of Hush"
        raise StoreError(f"this database is {other}, and a {name} one is wanted here")
    if _known(metadata, revision):
        raise StoreError(
            f"the {name} store has an older schema ({revision}); stop everything that uses it and "
            "run hush store migrate"
        )
    raise StoreError(
        f"the {name} store has a newer schema ({revision}) than this version of Hush knows; "
        "nothing was changed; use the newer version"
    )


def migrate(address: str | Path) -> tuple[str, str]:
    """Bring the schema of one half of a store up to date, with its data in place.

    Stop everything that uses it before. It is done in one transaction, or not at all. Returns the
    schema's version before and after.

    Parameters
    ----------
    address
        The public or the private store: a path, or a ``postgresql://`` address.

    Examples
    --------
    >>> import tempfile, hush.live
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hush.live.open(f"{folder}/experiments.db").close()
    ...     before, after = hush.live.migrate(f"{folder}/experiments.db")
    >>> before == after  # it was up to date
    True
    """
    with closing(connect_existing(address)) as database:
        return _migrated(database)


def _migrated(database: Database) -> tuple[str, str]:
    before = _revision(database)
    metadata = {"private": PRIVATE, "public": PUBLIC}.get(_kind(before) or "")
    if metadata is None or before is None:
        raise StoreError("this database is no store of Hush; there is nothing to migrate")
    if _known(metadata, before):
        _run(database, metadata)
    check_schema(database, metadata)
    return before, str(metadata.info["revision"])


def _revision(database: Database) -> str | None:
    if VERSIONS not in database.tables():
        return None
    rows = database.run(f"SELECT version_num FROM {VERSIONS}")  # noqa: S608
    return str(rows[0][0]) if rows else None


def _kind(revision: str | None) -> str | None:
    kind = (revision or "").partition("_")[0]
    return kind if kind in (PRIVATE.info["name"], PUBLIC.info["name"]) else None


def _known(metadata: MetaData, revision: str | None) -> bool:
    from alembic.util import CommandError

    try:
        return bool(revision and _scripts(*metadata.info["versions"]).get_revision(revision))
    except CommandError:
        return False


@cache
def _scripts(*folders: Path) -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(folders[0]), version_locations=[str(each) for each in folders])


def _create(database: Database, metadata: MetaData) -> None:
    with _changing(database) as connection:
        if database.tables():  # another process was faster
            return
        for statement in _statements(metadata, connection.dialect):
            connection.exec_driver_sql(statement)
        revision = metadata.info["revision"]
        connection.exec_driver_sql(f"INSERT INTO {VERSIONS} VALUES ('{revision}')")  # noqa: S608


STATEMENTS: dict[tuple[str, str], list[str]] = {}


def _statements(metadata: MetaData, dialect: Dialect) -> list[str]:
    """Return what makes the tables; put into words once, which takes longer than to run it."""
    known = metadata.info["name"], dialect.name
    if known not in STATEMENTS:
        versions = Table(VERSIONS, MetaData(), Column("version_num", String(32), primary_key=True))
        tables = [*metadata.sorted_tables, versions]
        made: list[CreateTable | CreateIndex] = [CreateTable(table) for table in tables]
        made += [CreateIndex(each) for table in tables for each in table.indexes]
        STATEMENTS[known] = [str(each.compile(dialect=dialect)) for each in made]
    return STATEMENTS[known]


def _run(database: Database, metadata: MetaData) -> None:
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    scripts = _scripts(*metadata.info["versions"])

    def steps(revision: Any, _: MigrationContext) -> Any:  # noqa: ANN401  Alembic's own
        return scripts._upgrade_revs(metadata.info["revision"], revision)

    with _changing(database) as connection:
        context = MigrationContext.configure(connection, opts={"fn": steps})
        with Operations.context(context):
            context.run_migrations()


@contextmanager
def _changing(database: Database) -> Iterator[Connection]:
    """Change a schema; an engine's transactions exclude each other, also of other processes."""
    try:
        with database.lock, database.engine().begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        why = type(error).__name__
        raise StoreError(f"the schema could not be changed, and is as it was ({why})") from None
