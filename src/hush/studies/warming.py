"""Loops that are not compiled yet are compiled in processes of their own, several at a time.

In one process the compiler works on one loop after the other, whatever the number of threads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from hush.policies import REGISTERED
from hush.simulation.blocks import Block, play
from hush.simulation.compilation import loop_module, loop_ready
from hush.studies.elsewhere import call_elsewhere

__all__ = ["compile_ahead"]

# The longest first.
ORDER = ("leap_posterior", "leap_index", "leap_thompson", "kernel_elimination", "kernels")


def compile_ahead(blocks: Iterable[Block], workers: int) -> int:
    """Compile the loops that blocks need and that are not there yet; return how many."""
    wanted: dict[tuple[str, str], Block] = {}
    for block in blocks:
        module = loop_module(block.policy, block.engine)
        if module is None or type(block.policy) not in REGISTERED:
            continue
        if (module, block.engine) not in wanted and not loop_ready(block.policy, block.engine):
            wanted[module, block.engine] = block
    if len(wanted) < 2 or workers < 2:
        return 0
    if sys.stderr.isatty():
        sys.stderr.write("hush: compiling the simulation loops: once, a minute at most\n")
    ordered = sorted(wanted.items(), key=lambda item: _rank(item[0][0]))
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(_compile, [block for _, block in ordered]))
    return len(ordered)


def _rank(module: str) -> int:
    name = module.rpartition(".")[2]
    return ORDER.index(name) if name in ORDER else len(ORDER)


def _compile(block: Block) -> None:
    """Play a tiny block elsewhere, for the sake of the compiled loop that it leaves on disk."""
    small = replace(block, points=(min(10, block.points[-1]),), first=0, runs=1)
    call_elsewhere(play, small)
