"""The first use: ``hush compare`` with nothing compiled, and again."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from benchmarks.measure import Measured, seconds
from benchmarks.report import Row, Table

__all__ = ["run"]

WORDS = ("compare", "LazyDPTS", "AnytimeLazyUCB", "--instance", "S1", "--epsilon", "0.5")
WAYS: dict[str, Sequence[str]] = {
    "one by one": ("--workers", "1"),
    "side by side": (),
}


def run(quick: bool) -> list[Table]:
    """Time fresh processes: each way starts with an empty cache of compiled loops."""
    repeats = 1 if quick else 3
    found = {(way, state): Measured() for way in WAYS for state in ("cold", "warm")}
    for _ in range(repeats):
        for way, words in WAYS.items():
            with tempfile.TemporaryDirectory() as cache:
                for state in ("cold", "warm"):
                    found[way, state].values.append(_command(words, cache))
    slowest = found["one by one", "cold"].median
    rows: list[Row] = [
        {
            "loops": way,
            "start": state,
            "s": each.median,
            "min": each.low,
            "max": each.high,
            "x faster": slowest / each.median,
        }
        for (way, state), each in found.items()
    ]
    notes = (
        f"hush {' '.join(WORDS)}; median of {repeats}, interleaved, from start to end.",
        "cold: an empty cache. Loops are compiled in one process, or each in its own.",
    )
    return [Table("First use: seconds", rows, notes)]


def _command(words: Sequence[str], cache: str) -> float:
    command = [sys.executable, "-m", "hush", *WORDS, *words]
    scope = {**os.environ, "NUMBA_CACHE_DIR": cache}
    return seconds(lambda: subprocess.run(command, check=True, capture_output=True, env=scope))
