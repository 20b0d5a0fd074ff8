"""What ``hush reproduce --full`` takes once loops are compiled, study by study; and as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.before import BEFORE, both_trees
from benchmarks.report import Row, Table

__all__ = ["run"]

# Either tree runs it: processor seconds of a run of every curve, and how many runs it has.
SCRIPT = """
import json, sys, time
from dataclasses import replace
from hush.simulation.plan import play
from hush.studies import SHIPPED, shipped_study
from hush.studies.execution import _plans
quick, enough = "quick" in sys.argv, 0.05
found = {}
for name in SHIPPED:
    study = shipped_study(name, quick=quick)
    for curve, plan in zip(study.curves, _plans(study)):
        if not plan:
            continue  # it is not played by rounds
        runs = sum(block.runs for block in plan)
        tried, took = 1, 0.0
        play(replace(plan[0], first=0, runs=1))
        while True:
            start = time.process_time()
            play(replace(plan[0], first=0, runs=tried))
            took = time.process_time() - start
            if took > enough or tried >= plan[0].runs:
                break
            tried *= 2
        found.setdefault(name, {})[f"{curve.name} {curve.place}"] = took / tried, runs
print(json.dumps(found))
"""


def run(quick: bool) -> list[Table]:
    """Time some runs of every curve in both trees, and add up what all of its runs would take."""
    with both_trees() as trees:
        found = {name: _asked(tree, *(["quick"] if quick else [])) for name, tree in trees.items()}
    rows: list[Row] = []
    totals = {"before": 0.0, "now": 0.0, "all": 0.0}
    for study, curves in found["now"].items():
        older = found["before"].get(study, {})
        shared = {name: each for name, each in curves.items() if name in older}
        times = {
            "before": sum(older[name][0] * runs for name, (_, runs) in shared.items()),
            "now": sum(each * runs for each, runs in shared.values()),
            "all": sum(each * runs for each, runs in curves.values()),
        }
        rows.append(_row(study, times))
        for name, took in times.items():
            totals[name] += took
    rows.append(_row("sum", totals))
    notes = (
        "Processor seconds: the time of a run, from some runs of every curve, times its runs.",
        f"before: commit {BEFORE}, on the curves that both have, with the runs of now.",
    )
    return [Table("hush reproduce --full, once loops are compiled", rows, notes)]


def _row(study: str, times: dict[str, float]) -> Row:
    row: Row = {"study": study, "before, s": times["before"], "now, s": times["now"]}
    if times["now"] and times["before"]:
        row["times as fast"] = times["before"] / times["now"]
    row["now, with new rows, s"] = times["all"]
    return row


def _asked(tree: Path, *words: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tree)},
    )
    return json.loads(done.stdout)
