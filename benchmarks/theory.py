"""Exact expected regret: how long it takes."""

from __future__ import annotations

import functools

import numpy as np

import hush
from benchmarks.measure import interleave, seconds
from benchmarks.report import Row, Table
from hush.theory import exact_regret

CASES = {
    "K = 5 (S1), exponential": (hush.RNMFTNL(0.5), hush.paper_s1(), 2**20),
    "K = 5 (S1), Laplace": (hush.RNMFTNL.as_printed(0.5), hush.paper_s1(), 2**20),
    "K = 5 (S1), Gumbel": (hush.RNMFTNL(0.5, noise="gumbel"), hush.paper_s1(), 2**20),
    "K = 5 (S1), FTL": (hush.FTL(), hush.paper_s1(), 2**20),
    "K = 1,000 equal gaps": (hush.RNMFTNL(0.5), hush.packing(1000, 1e-3), 2**40),
    "K = 1,000 distinct means": (
        hush.RNMFTNL(0.5),
        hush.Bernoulli(np.linspace(0.3, 0.7, 1000)),
        2**40,
    ),
    "K = 1,000 means within 1e-6": (
        hush.RNMFTNL(0.5),
        hush.Bernoulli(np.linspace(0.5, 0.500001, 1000)),
        2**40,
    ),
}
# Seconds when every action was computed by itself, and how many times as fast it is to be.
BEFORE, TIMES = {"K = 1,000 distinct means": 6.6, "K = 1,000 means within 1e-6": 15.0}, 10.0


def run(quick: bool) -> list[Table]:
    """Time whole curves, after one call that compiles."""
    for policy, env, _ in CASES.values():
        exact_regret(policy, hush.Bernoulli(env.means[:3]), 100)
    rows: list[Row] = []
    for name, (policy, env, horizon) in CASES.items():
        work = functools.partial(exact_regret, policy, env, horizon)
        few = np.unique(env.means).size <= 5
        found = interleave({name: functools.partial(seconds, work)}, 1 if quick and not few else 3)[
            name
        ]
        rows.append(
            {
                "case": name,
                "rounds": f"2^{horizon.bit_length() - 1}",
                "seconds": found.median,
                "worst": found.high,
                "asked": BEFORE[name] / TIMES if name in BEFORE else None,
            }
        )
    notes = (
        "Whole curves at about 90 checkpoints, one thread, without compilation. Asked: a tenth of",
        "what it took when every action was computed by itself, which was measured elsewhere.",
    )
    return [Table("Exact expected regret", rows, notes)]
