"""The public store's first tables: the book, and what readers want."""

from alembic import op
from sqlalchemy import LargeBinary

revision = "public_0001"
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
READERS = """
CREATE TABLE plans (
    experiment INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (experiment, segment)
);
CREATE TABLE tallies (
    experiment INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    served BIGINT NOT NULL,
    learnt BIGINT NOT NULL,
    PRIMARY KEY (experiment, segment, arm)
)
"""


def upgrade() -> None:
    """Make the tables."""
    bind = op.get_bind()
    name = LargeBinary().compile(bind.dialect)
    for statement in (BOOK + ";" + READERS).format(bytes=name).split(";"):
        bind.exec_driver_sql(statement)
