"""What frameworks cost: the same echo in each, beside one without any."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count

from benchmarks.framework_echoes import FRAMEWORKS
from benchmarks.http_load import post, serving, throughput
from benchmarks.measure import interleave
from benchmarks.report import Table

__all__ = ["run"]


def run(quick: bool) -> list[Table]:
    """Measure an echo of a decision in every framework."""
    repeats, seconds = (1, 0.5) if quick else (7, 2.0)
    table = Table(
        "An echo of a decision on one core: requests a second by framework",
        notes=(f"Medians of {repeats} interleaved repeats of {seconds:g} s, 32 connections.",),
    )
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        with ExitStack() as stack:
            tasks: dict[str, Callable[[], float]] = {}
            for name in FRAMEWORKS:
                command = ["-m", "benchmarks.framework_echoes", name]
                port, _, _ = stack.enter_context(serving(command))
                tasks[name] = _task(port, seconds)
            found = interleave(tasks, repeats)
    finally:
        os.sched_setaffinity(0, before)
    first = found["bare"].values
    for name, each in found.items():
        if each.failure is not None:
            table.rows.append({"framework": name, "failed": each.failure})
            continue
        ratios = sorted(a / b for a, b in zip(each.values, first, strict=True))
        table.rows.append(
            {
                "framework": name,
                "a second": each.median,
                "of the bare one": ratios[len(ratios) // 2],
            }
        )
    return [table]


def _task(port: int, seconds: float) -> Callable[[], float]:
    people = count()

    def run_once() -> float:
        asked = (
            post("/v1/experiments/checkout/decisions", b'{"person":"p%d"}' % each, "hush_x_y")
            for each in people
        )
        return throughput(port, asked, seconds, {201})

    return run_once
