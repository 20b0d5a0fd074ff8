"""Loops that are not compiled yet: said so, and compiled several at a time.

In one process the compiler works on one loop after the other, whatever the number of threads; so
each is compiled in a process of its own, by playing a tiny block.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace

from hush.output.progress import progress_bar
from hush.policies import REGISTERED
from hush.simulation.engines import Engine, Mode
from hush.simulation.fresh_process import call_in_fresh_process
from hush.simulation.interpreting import is_loop_compiled, may_interpret, never_interpret
from hush.simulation.plan import Block, play

__all__ = ["compile_ahead", "is_compiled"]

logger = logging.getLogger("hush")
# To compile: the longest first.
SLOWEST = (
    "delayed_posterior", "posterior", "delayed_index", "index", "delayed_thompson", "thompson",
    "elimination",
)  # fmt: skip


def compile_ahead(blocks: Iterable[Block], workers: int, *, bar: bool | None = None) -> int:
    """Say that loops are about to be compiled, if they are; compile several side by side.

    A bar counts them, by default on a terminal and in a notebook only. Returns how many were
    compiled.
    """
    wanted = _missing(blocks)
    if not wanted:
        return 0
    _announce(len(wanted))
    # A loop takes the policies of its family as they come; one of your own may live in a script.
    ready = [block for block in wanted.values() if type(block.policy) in REGISTERED]
    if len(ready) < 2 or workers < 2:
        return 0
    ready.sort(key=_rank)
    with (
        progress_bar("compiling", len(ready), bar) as advance,
        ThreadPoolExecutor(workers) as pool,
    ):
        try:
            for done in as_completed([pool.submit(_compile, block) for block in ready]):
                done.result()
                advance()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return len(ready)


def is_compiled(engine: Engine, mode: Mode) -> bool:
    """Tell whether an engine's loop is compiled in this process, or has an index in its cache."""
    return engine.loop_name(mode) is None or is_loop_compiled(engine.loop(mode))


def _missing(blocks: Iterable[Block]) -> dict[str, Block]:
    """Return a block for each loop that has to be compiled, by the loop's name."""
    alike: dict[tuple[Engine, Mode], list[Block]] = {}
    for block in blocks:
        alike.setdefault((block.engine, block.mode), []).append(block)
    missing: dict[str, Block] = {}
    for (engine, mode), found in alike.items():
        name = engine.loop_name(mode)
        if name is None or name in missing or is_compiled(engine, mode):
            continue
        if mode == "leap" and engine.leaps_interpreted:
            loop = engine.loop(mode)
            if may_interpret(loop, sum(block.cost for block in found)):
                continue
            never_interpret(loop)
        missing[name] = found[0]
    return missing


def _announce(count: int) -> None:
    """Say it on a terminal and in a notebook; elsewhere it is in the log."""
    loops = "1 loop" if count == 1 else f"{count} loops"
    message = f"compiling {loops} for this machine: once, a minute at most; then it is cached"
    logger.info(message)
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        sys.stderr.write(f"hush: {message}\n")


def _rank(block: Block) -> int:
    module = (block.engine.module(block.mode) or "").rpartition(".")[2]
    return SLOWEST.index(module) if module in SLOWEST else len(SLOWEST)


def _compile(block: Block) -> None:
    """Play a tiny block elsewhere, for the sake of the compiled loop that it leaves on disk."""
    small = replace(block, points=(min(10, block.points[-1]),), first=0, runs=1, keeps="regret")
    call_in_fresh_process(_play_compiled, small)


def _play_compiled(block: Block) -> None:
    never_interpret(block.engine.loop(block.mode))
    play(block)
