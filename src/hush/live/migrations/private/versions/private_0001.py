"""The private store's first tables: the book, and what is raw."""

from alembic import op
from sqlalchemy import LargeBinary

revision = "private_0001"
down_revision = None
branch_labels = None
depends_on = None

BOOK = """
CREATE TABLE about (name VARCHAR(32) NOT NULL PRIMARY KEY, value TEXT);
CREATE TABLE journal (
    seq BIGINT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    kind VARCHAR(16) NOT NULL,
    experiment INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash {bytes} NOT NULL
);
CREATE INDEX journal_of_experiment ON journal (experiment, seq);
CREATE TABLE head (
    one INTEGER NOT NULL PRIMARY KEY, seq BIGINT NOT NULL, hash {bytes} NOT NULL
);
CREATE TABLE experiments (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL,
    state VARCHAR(16) NOT NULL,
    version BIGINT NOT NULL,
    arms TEXT NOT NULL,
    knobs TEXT NOT NULL,
    terms TEXT NOT NULL,
    charges INTEGER NOT NULL,
    released INTEGER NOT NULL,
    UNIQUE (name)
);
CREATE TABLE populations (
    name VARCHAR(64) NOT NULL PRIMARY KEY, most FLOAT, total FLOAT NOT NULL
)
"""
RAW = """
CREATE TABLE lanes (
    lane BIGINT NOT NULL PRIMARY KEY,
    experiment INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    wanted BIGINT NOT NULL,
    "count" BIGINT NOT NULL,
    "sum" BIGINT NOT NULL,
    "last" BIGINT NOT NULL,
    closes BIGINT,
    folds BIGINT,
    learnt BIGINT NOT NULL,
    passed BIGINT NOT NULL,
    served BIGINT NOT NULL,
    UNIQUE (experiment, segment, arm)
);
CREATE INDEX lanes_to_close ON lanes (closes);
CREATE INDEX lanes_to_fold ON lanes (folds);
CREATE TABLE batches (
    batch BIGINT NOT NULL PRIMARY KEY,
    experiment INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    "count" BIGINT NOT NULL,
    "sum" BIGINT NOT NULL,
    due BIGINT NOT NULL,
    folds BIGINT
);
CREATE INDEX batches_by_due ON batches (due);
CREATE INDEX batches_to_fold ON batches (folds);
CREATE TABLE sealed (
    batch BIGINT NOT NULL PRIMARY KEY,
    experiment INTEGER NOT NULL,
    shown BIGINT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX sealed_by_shown ON sealed (shown);
CREATE TABLE pending (
    batch BIGINT NOT NULL,
    worker BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    bit SMALLINT NOT NULL,
    deadline BIGINT NOT NULL,
    person {bytes} NOT NULL,
    PRIMARY KEY (batch, worker, ordinal)
){flat};
CREATE TABLE people (
    experiment INTEGER NOT NULL,
    person {bytes} NOT NULL,
    given INTEGER NOT NULL,
    PRIMARY KEY (experiment, person)
){flat};
CREATE TABLE replies (
    request {bytes} NOT NULL PRIMARY KEY,
    person {bytes} NOT NULL,
    segment INTEGER NOT NULL,
    until BIGINT NOT NULL,
    body TEXT
){flat};
CREATE INDEX replies_by_until ON replies (until)
"""


def upgrade() -> None:
    """Make the tables."""
    bind = op.get_bind()
    flat = " WITHOUT ROWID" if bind.dialect.name == "sqlite" else ""
    tables = (BOOK + ";" + RAW).format(bytes=LargeBinary().compile(bind.dialect), flat=flat)
    for statement in tables.split(";"):
        bind.exec_driver_sql(statement)
