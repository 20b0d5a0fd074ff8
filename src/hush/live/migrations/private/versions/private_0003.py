"""What the sample-ratio test needs, in lanes."""

from alembic import op
from sqlalchemy import BigInteger, Column, Float, text

revision, down_revision = "private_0003", "private_0002"


def upgrade() -> None:
    """Add the columns; decisions from before are not in the test, so all begin at 0."""
    for name, kind in (("firsts", BigInteger), ("expected", Float), ("spread", Float)):
        op.add_column("lanes", Column(name, kind, nullable=False, server_default=text("0")))
