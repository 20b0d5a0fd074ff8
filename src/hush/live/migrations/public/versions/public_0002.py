"""Access tokens, in the public store's book."""

from alembic import op
from sqlalchemy import LargeBinary

revision, down_revision = "public_0002", "public_0001"

TOKENS = """
CREATE TABLE tokens (
    id VARCHAR(12) NOT NULL PRIMARY KEY,
    digest {bytes} NOT NULL,
    scopes TEXT NOT NULL,
    experiments TEXT NOT NULL,
    test INTEGER NOT NULL,
    expires BIGINT,
    made BIGINT NOT NULL,
    revoked BIGINT,
    note TEXT NOT NULL,
    seq BIGINT NOT NULL,
    version BIGINT NOT NULL
)
"""


def upgrade() -> None:
    """Make the table; no entry of an older journal is about tokens."""
    op.execute(TOKENS.format(bytes=LargeBinary().compile(op.get_bind().dialect)))
    op.execute("CREATE INDEX tokens_by_version ON tokens (version)")
