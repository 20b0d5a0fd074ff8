"""The command line: one file a verb."""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]


def main() -> None:
    """Run the ``hush`` command."""
    try:
        from hush.cli.app import app
    except ImportError as error:
        sys.exit(f"hush: {error.name} is missing; install it with pip install 'hush[all]'")
    try:
        app()
    finally:
        # What is left goes with the process; to look for cycles in it takes a third of a second.
        gc.freeze()
