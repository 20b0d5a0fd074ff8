"""The first use: ``hush compare`` with nothing compiled, and again; and as it was before."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.before import BEFORE, both_trees
from benchmarks.measure import interleave, seconds
from benchmarks.report import Row, Table

__all__ = ["run"]

WORDS = (
    "compare", "LazyDPTS", "AnytimeLazyUCB", "--instance", "S1", "--epsilon", "0.5",
    "--horizon", "1e9", "--runs", "20", "--seed", "7",
)  # fmt: skip


def run(quick: bool) -> list[Table]:
    """Time fresh processes of both trees: cold ones start with an empty cache of compiled loops."""
    repeats = 1 if quick else 3
    with both_trees() as trees, tempfile.TemporaryDirectory() as folder:
        answers = {_asked(tree, str(Path(folder, name))) for name, tree in trees.items()}
        tasks = {}
        for name, tree in trees.items():
            tasks[f"{name}, cold"] = functools.partial(_cold, tree)
            tasks[f"{name}, warm"] = functools.partial(_timed, tree, str(Path(folder, name)))
        found = interleave(tasks, repeats)
    rows: list[Row] = []
    for name, each in found.items():
        if each.failure is not None:
            rows.append({"start": name, "failed": each.failure})
            continue
        slow = found[name.replace("now", "before")]
        row: Row = {"start": name, "s": each.median, "min": each.low, "max": each.high}
        row["x faster"] = None if slow.failure else slow.median / each.median
        rows.append(row)
    notes = (
        f"hush {' '.join(WORDS)}; from start to end, median of {repeats}, interleaved.",
        f"cold: nothing compiled, {os.cpu_count()} cores. before: commit {BEFORE}.",
        f"Both print {'the same' if len(answers) == 1 else 'DIFFERENT TABLES'}.",
    )
    return [Table("First use: seconds", rows, notes)]


def _asked(tree: Path, cache: str) -> str:
    """Return what the command prints; its loops, and bytecode, are there from then on."""
    done = subprocess.run(
        [sys.executable, "-m", "hush", *WORDS],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tree), "NUMBA_CACHE_DIR": cache},
    )
    return done.stdout


def _timed(tree: Path, cache: str) -> float:
    return seconds(lambda: _asked(tree, cache))


def _cold(tree: Path) -> float:
    with tempfile.TemporaryDirectory() as cache:
        return _timed(tree, cache)
