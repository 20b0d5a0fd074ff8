"""The command line: one file a verb."""

from __future__ import annotations

import gc
import sys

from hush.errors import MissingExtraError
from hush.extras import require

__all__ = ["main"]


def main() -> None:
    """Run the ``hush`` command."""
    try:
        require("the command hush")
    except MissingExtraError as error:
        sys.exit(str(error))
    from hush.cli.app import app

    try:
        app()
    finally:
        # What is left goes with the process; to look for cycles in it takes a third of a second.
        gc.freeze()
