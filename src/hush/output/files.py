"""Files that are whole or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["remove_unfinished", "replaced"]

MARK = ".unfinished-"


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place on success alone.

    An interrupt leaves the old file, or none, and nothing half-written. A killed process may leave
    the temporary one; :func:`remove_unfinished` finds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=MARK, suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed processes left in a folder that no other process writes to now."""
    for path in folder.glob(f"{MARK}*"):
        path.unlink(missing_ok=True)
