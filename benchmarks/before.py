"""Hush as it was before: the source of an earlier commit, for what is measured in both."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["BEFORE", "both_trees"]

ROOT = Path(__file__).resolve().parents[1]
BEFORE = "9226924"  # the last commit whose loops each compiled copies of all draws


@contextmanager
def both_trees() -> Iterator[dict[str, Path]]:
    """Give the source of then and of now."""
    with TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["git", "archive", BEFORE, "src"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
        yield {"before": Path(folder, "src"), "now": ROOT / "src"}
