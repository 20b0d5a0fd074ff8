"""The tables of the two stores, by SQLAlchemy; Alembic migrates them.

Both stores have the *book*: the journal, a chain of everything public that ever happened, and what
follows from it. The private store has, besides, what is raw: pending bits, running sums, people,
replies; and what was drawn and is not shown yet. The public store has plans and tallies for
readers. Every time is in milliseconds, every flag an integer: both databases have those.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

__all__ = ["PRIVATE", "PUBLIC"]


MIGRATIONS = Path(__file__).parent / "migrations"


def _store(name: str, revision: str) -> MetaData:
    """Begin a store's tables: with its name, the revision that they are of, and where all are."""
    made = MetaData()
    made.info.update(name=name, revision=revision, versions=[MIGRATIONS / name / "versions"])
    _book(made)
    return made


def _columns(kind: type[Integer], *names: str) -> list[Column[int]]:
    return [Column(name, kind, nullable=False) for name in names]


def _ratio_columns() -> list[Column[Any]]:
    """Return what the sample-ratio test needs; rows from before it have zeros."""
    firsts: Column[Any] = Column("firsts", BigInteger, nullable=False, server_default=text("0"))
    return [
        firsts,
        *(
            Column(name, Float, nullable=False, server_default=text("0"))
            for name in ("expected", "spread")
        ),
    ]


def _book(metadata: MetaData) -> None:
    Table("about", metadata, Column("name", String(32), primary_key=True), Column("value", Text))
    Table(
        "journal",
        metadata,
        Column("seq", BigInteger, primary_key=True, autoincrement=False),
        Column("at", BigInteger, nullable=False),
        Column("kind", String(16), nullable=False),
        Column("experiment", Integer, nullable=False),
        Column("body", Text, nullable=False),
        Column("hash", LargeBinary, nullable=False),
        Index("journal_of_experiment", "experiment", "seq"),
    )
    Table(
        "head",
        metadata,
        Column("one", Integer, primary_key=True, autoincrement=False),
        Column("seq", BigInteger, nullable=False),
        Column("hash", LargeBinary, nullable=False),
    )
    Table(
        "experiments",
        metadata,
        Column("id", Integer, primary_key=True, autoincrement=False),
        Column("name", String(64), nullable=False, unique=True),
        Column("state", String(16), nullable=False),
        Column("version", BigInteger, nullable=False),
        Column("arms", Text, nullable=False),
        Column("knobs", Text, nullable=False),
        Column("terms", Text, nullable=False),
        Column("charges", Integer, nullable=False),
        Column("released", Integer, nullable=False),
    )
    Table(
        "populations",
        metadata,
        Column("name", String(64), primary_key=True),
        Column("most", Float),
        Column("total", Float, nullable=False),
    )
    Table(
        "tokens",
        metadata,
        Column("id", String(12), primary_key=True),
        Column("digest", LargeBinary, nullable=False),
        Column("scopes", Text, nullable=False),
        Column("experiments", Text, nullable=False),
        Column("test", Integer, nullable=False),
        Column("expires", BigInteger),
        Column("made", BigInteger, nullable=False),
        Column("revoked", BigInteger),
        Column("note", Text, nullable=False),
        *_columns(BigInteger, "seq", "version"),
        Index("tokens_by_version", "version"),
    )


PRIVATE = _store("private", "private_0003")
Table(
    "lanes",
    PRIVATE,
    Column("lane", BigInteger, primary_key=True, autoincrement=False),
    *_columns(Integer, "experiment", "segment", "arm", "epoch"),
    *_columns(BigInteger, "wanted", "count", "sum", "last"),
    Column("closes", BigInteger),
    Column("folds", BigInteger),
    *_columns(BigInteger, "learnt", "passed", "served"),
    *_ratio_columns(),
    UniqueConstraint("experiment", "segment", "arm"),
    Index("lanes_to_close", "closes"),
    Index("lanes_to_fold", "folds"),
)
Table(
    "batches",
    PRIVATE,
    Column("batch", BigInteger, primary_key=True, autoincrement=False),
    *_columns(Integer, "experiment", "segment", "arm", "epoch"),
    *_columns(BigInteger, "count", "sum", "due"),
    Column("folds", BigInteger),
    Index("batches_by_due", "due"),
    Index("batches_to_fold", "folds"),
)
Table(
    "sealed",
    PRIVATE,
    Column("batch", BigInteger, primary_key=True, autoincrement=False),
    Column("experiment", Integer, nullable=False),
    Column("shown", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    Index("sealed_by_shown", "shown"),
)
Table(
    "pending",
    PRIVATE,
    Column("batch", BigInteger, primary_key=True, autoincrement=False),
    Column("worker", BigInteger, primary_key=True, autoincrement=False),
    Column("ordinal", BigInteger, primary_key=True, autoincrement=False),
    Column("bit", SmallInteger, nullable=False),
    Column("deadline", BigInteger, nullable=False),
    Column("person", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
Table(
    "people",
    PRIVATE,
    Column("experiment", Integer, primary_key=True, autoincrement=False),
    Column("person", LargeBinary, primary_key=True),
    Column("given", Integer, nullable=False),
    sqlite_with_rowid=False,
)
Table(
    "replies",
    PRIVATE,
    Column("request", LargeBinary, primary_key=True),
    Column("person", LargeBinary, nullable=False),
    Column("segment", Integer, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("body", Text),
    Index("replies_by_until", "until"),
    sqlite_with_rowid=False,
)

PUBLIC = _store("public", "public_0003")
Table(
    "plans",
    PUBLIC,
    Column("experiment", Integer, primary_key=True, autoincrement=False),
    Column("segment", Integer, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)
Table(
    "tallies",
    PUBLIC,
    Column("experiment", Integer, primary_key=True, autoincrement=False),
    Column("segment", Integer, primary_key=True, autoincrement=False),
    Column("arm", Integer, primary_key=True, autoincrement=False),
    Column("served", BigInteger, nullable=False),
    Column("learnt", BigInteger, nullable=False),
    *_ratio_columns(),
)
