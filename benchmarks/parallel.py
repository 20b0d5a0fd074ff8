"""How well all cores are used: the same work with one thread, and with one for each core."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable

import hush
from benchmarks.measure import interleave, seconds
from benchmarks.report import Row, Table
from hush.studies import run_study, shipped_study

__all__ = ["run"]


def run(quick: bool) -> list[Table]:
    """Measure ``simulate`` and a study, interleaved, with everything compiled."""
    repeats, cores = (2 if quick else 5), os.cpu_count() or 1
    rows: list[Row] = []
    for name, work in _works(quick).items():
        seconds(functools.partial(work, 1))  # compile and warm up
        found = interleave(
            {
                "one": lambda work=work: seconds(functools.partial(work, 1)),
                "all": lambda work=work: seconds(functools.partial(work, cores)),
            },
            repeats,
        )
        one, many = found["one"].low, found["all"].low
        rows.append(
            {
                "work": name,
                "one thread, s": one,
                f"{cores} threads, s": many,
                "efficiency": one / (cores * many),
            }
        )
    notes = (
        f"Best of {repeats}, interleaved; efficiency: time of one thread over {cores} times that",
        "of all. On a machine that others use it is lower: their share is missing.",
    )
    return [Table("Parallel efficiency", rows, notes)]


def _works(quick: bool) -> dict[str, Callable[[int], object]]:
    runs = 40 if quick else 400
    policies = [hush.LazyDPTS(0.5), hush.NoiseAwareTS(0.5)]
    simulate = functools.partial(
        hush.simulate, policies, hush.paper_s1(), horizon=10**6, runs=runs, seed=7, progress=False
    )
    rounds = functools.partial(
        hush.simulate,
        hush.UCB1(),
        hush.paper_s1(),
        horizon=10**5,
        runs=runs,
        seed=7,
        progress=False,
    )
    study = shipped_study("figures", quick=True).resized(runs=4 if quick else 16)
    return {
        f"simulate, leaps, {runs} runs": lambda workers: simulate(workers=workers),
        f"simulate, rounds, {runs} runs": lambda workers: rounds(workers=workers),
        "study figures": lambda workers: run_study(study, workers=workers, progress=False),
    }
