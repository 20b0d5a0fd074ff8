"""What it costs to compile the loops of ``hush reproduce``, one by one; and as it was before."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.before import BEFORE, both_trees
from benchmarks.measure import attempt
from benchmarks.report import Row, Table

__all__ = ["run"]

# Either tree runs it. Without a number it prints its loops, with one what compiling that loop took.
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
    block = blocks[sys.argv[1]]
    loop = block.engine.loop(block.mode)
    start = time.process_time()
    if "now" in sys.argv:
        from hush.simulation.compiling import LoopJob
        LoopJob(block)()
    else:
        play(replace(block, points=(10,), first=0, runs=1, keeps="regret"))
    assert loop.signatures
    print(json.dumps(time.process_time() - start))
"""


def run(quick: bool) -> list[Table]:
    """Compile every loop in a process of its own, with an empty cache, in both trees by turns."""
    rows: list[Row] = []
    with both_trees() as trees:
        loops = _asked(trees["now"])[:: 4 if quick else 1]
        total = dict.fromkeys(trees, 0.0)
        for loop in loops:
            row: Row = {"loop": loop}
            for name, tree in trees.items():
                value, failure = attempt(functools.partial(_asked, tree, loop, name))
                if failure is not None:
                    row["failed"] = f"{name}: {failure}"
                    break
                row[f"{name}, s"] = value
            else:
                for name in trees:
                    total[name] += row[f"{name}, s"]
                row["less"] = _less(row["before, s"], row["now, s"])
            rows.append(row)
        rows.append(
            {
                "loop": "sum",
                **{f"{name}, s": value for name, value in total.items()},
                "less": _less(total["before"], total["now"]),
            }
        )
    notes = (
        "Processor seconds of playing ten rounds with nothing compiled, without imports of Hush.",
        f"before: commit {BEFORE}, in turns. The sum is of loops that both have.",
    )
    return [Table("Compiling the loops of hush reproduce", rows, notes)]


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
