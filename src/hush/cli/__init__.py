"""The command line: one file a verb."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the ``hush`` command."""
    try:
        from hush.cli.app import app
    except ImportError as error:
        sys.exit(f"hush: {error.name} is missing; install it with pip install 'hush[all]'")
    app()
