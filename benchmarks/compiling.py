"""What it costs to compile the loops of ``hush reproduce``, one by one; and as it was before."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.before import BEFORE, both_trees
from benchmarks.measure import attempt
from benchmarks.report import Row, Table

__all__ = ["run"]

# Either tree runs it. Without loops it prints them all, with some what compiling those took.
SCRIPT = """
import json, sys, time
from dataclasses import replace
from hush.simulation.plan import play
from hush.studies import SHIPPED, shipped_study
from hush.studies.execution import _plans
blocks = {}
for name in SHIPPED:
    for plan in _plans(shipped_study(name, quick=True)):
        for block in plan:
            loop = block.engine.loop_name(block.mode)
            if loop:
                blocks.setdefault(loop, block)
if len(sys.argv) == 1:
    print(json.dumps(sorted(blocks)))
else:
    tree, *wanted = sys.argv[1:]
    start = time.process_time()
    for name in wanted:
        block = blocks[name]
        if tree == "now":
            from hush.simulation.compiling import LoopJob
            LoopJob(block)()
        else:
            play(replace(block, points=(10,), first=0, runs=1, keeps="regret"))
        assert block.engine.loop(block.mode).signatures
    print(json.dumps(time.process_time() - start))
"""


def run(quick: bool) -> list[Table]:
    """Compile loops with an empty cache: each in a process of its own, then all in one."""
    with both_trees() as trees:
        loops = {name: _asked(tree) for name, tree in trees.items()}
        chosen = loops["now"][:: 4 if quick else 1]
        shared = [loop for loop in chosen if loop in loops["before"]]
        rows = [_row(loop, trees, {name: [loop] for name in trees}) for loop in shared]
        alone = {
            f"{name}, s": sum(row[f"{name}, s"] for row in rows if "failed" not in row)
            for name in trees
        }
        rows.append({"loop": "sum", **alone, "less": _less(alone["before, s"], alone["now, s"])})
        rows.append(_row("these in one process", trees, dict.fromkeys(trees, shared)))
        rows.append(_row("and those that are new", trees, {"before": shared, "now": chosen}))
    new = ", ".join(loop for loop in chosen if loop not in shared)
    notes = (
        "Processor seconds of playing ten rounds with nothing compiled, without imports of Hush.",
        f"before: commit {BEFORE}, in turns. What loops share is compiled once in a process, and",
        f"once for a cache. New are {new}: for studies that hush reproduce",
        "did not have then, and for Thompson policies round by round.",
    )
    return [Table("Compiling the loops of hush reproduce", rows, notes)]


def _row(title: str, trees: Mapping[str, Path], wanted: Mapping[str, list[str]]) -> Row:
    """Return what compiling the wanted loops of each tree takes, in a process of its own."""
    row: Row = {"loop": title}
    for name, tree in trees.items():
        value, failure = attempt(functools.partial(_asked, tree, name, *wanted[name]))
        if failure is not None:
            row["failed"] = f"{name}: {failure}"
            return row
        row[f"{name}, s"] = value
    row["less"] = _less(row["before, s"], row["now, s"])
    return row


def _less(before: float, now: float) -> str:
    return f"{1 - now / before:.0%}"


def _asked(tree: Path, *words: str) -> Any:
    with TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, *words],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(tree), "NUMBA_CACHE_DIR": cache},
        )
    return json.loads(done.stdout)
