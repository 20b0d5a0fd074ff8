"""Policies that decide by exact posteriors: what a run costs, few arms and many."""

from __future__ import annotations

import functools

import numpy as np

import hush
from benchmarks.leap import per_run
from benchmarks.measure import interleave, processor_seconds
from benchmarks.report import Row, Table

__all__ = ["run"]

POLICIES = (hush.NoiseAwareTS, hush.NoiseAwareIMED, hush.NoiseAwareUCB)
HUNDRED = hush.Bernoulli(np.linspace(0.3, 0.7, 100))
# What is played: an environment, rounds, epsilon, runs per repeat.
CASES = [
    *((hush.paper_s1(), 10**12, epsilon, 40) for epsilon in (0.25, 0.5, 1.0)),
    (HUNDRED, 10**9, 1.0, 4),
    (HUNDRED, 10**12, 1.0, 4),
]


def _cost(policy, env, horizon, runs) -> float:
    return per_run(policy, env, horizon, runs, "leap", processor_seconds)


def run(quick: bool) -> list[Table]:
    """Measure the policies interleaved; ratios are relative to NoiseAwareTS."""
    repeats = 2 if quick else 7
    rows: list[Row] = []
    for cls in POLICIES:  # compile
        _cost(cls(1.0), CASES[0][0], 1000, 1)
    for env, horizon, epsilon, many in CASES:
        runs = max(1, many // 10) if quick else many
        tasks = {
            cls.__name__: functools.partial(_cost, cls(epsilon), env, horizon, runs)
            for cls in POLICIES
        }
        found = interleave(tasks, repeats)
        row: Row = {"K": len(env.means), "rounds": f"{horizon:.0e}", "eps": epsilon}
        slowest = found["NoiseAwareTS"].median
        for name, each in found.items():
            row[f"{name}, ms"] = 1e3 * each.median
            if name != "NoiseAwareTS":
                row[f"times faster ({name})"] = slowest / each.median
        rows.append(row)
    notes = (
        f"Median processor time per run over {repeats} interleaved repeats, without compilation.",
        "S1 has 5 arms; 100 arms have means evenly in 0.3..0.7.",
    )
    return [Table("Leaps of policies with exact posteriors", rows, notes)]
