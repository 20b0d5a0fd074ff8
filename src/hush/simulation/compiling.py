"""Loops that are not compiled yet: said so, and compiled several at a time.

In one process the compiler works on one loop after the other, whatever the number of threads; so
all but one at a time are compiled in processes of their own, by playing a tiny block.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from hush.output.progress import progress_bar
from hush.policies import REGISTERED
from hush.simulation.engines import Engine, Mode
from hush.simulation.engines.finders import Search, finder_of
from hush.simulation.engines.run_seeds import run_seed
from hush.simulation.fresh_process import call_in_fresh_process
from hush.simulation.interpreting import is_loop_compiled, may_interpret, never_interpret
from hush.simulation.plan import Block, play

__all__ = ["LoopJob", "PartJob", "SearchJob", "compile_ahead", "compile_searches", "is_compiled"]

logger = logging.getLogger("hush")
# To compile: the longest first, and those late that share much with an earlier one.
SLOWEST = (
    "posterior", "thompson", "delayed_posterior", "index", "delayed_index", "batches",
    "delayed_thompson", "elimination",
)  # fmt: skip


def compile_ahead(blocks: Iterable[Block], workers: int, *, bar: bool | None = None) -> int:
    """Say that loops are about to be compiled, if they are; compile several side by side.

    A bar counts them, by default on a terminal and in a notebook only. Returns how many were
    compiled.
    """
    return _compile(_missing(blocks), workers, bar)


def compile_searches(searches: Iterable[Search], workers: int, *, bar: bool | None = None) -> int:
    """Do the same for the loops in which best arms are searched for."""
    jobs: dict[str, SearchJob] = {}
    for search in searches:
        loop = finder_of(search.policy, search.env).compiled_loop()
        if loop is not None and not is_loop_compiled(loop):
            jobs.setdefault(loop.__qualname__, SearchJob(search))
    return _compile(list(jobs.values()), workers, bar)


def _compile(jobs: Sequence[Job], workers: int, bar: bool | None) -> int:
    """Say it, and do all jobs: the first ones elsewhere, the last ones here."""
    if not jobs:
        return 0
    _announce()
    there = [job for job in jobs if workers > 1 and job.can_be_sent]
    here = [job for job in jobs if job not in there] or [there.pop()]
    with (
        progress_bar("compiling", len(jobs), bar if len(jobs) > 1 else False) as advance,
        ThreadPoolExecutor(max(1, workers - 1)) as pool,
    ):
        try:
            sent = {pool.submit(call_in_fresh_process, job): job for job in there}
            for job in here:
                job()
                advance()
            for future, job in reversed(sent.items()):
                if future.cancel():  # it has not begun
                    job()
                    advance()
            for future in as_completed(sent):
                if not future.cancelled():
                    future.result()
                    advance()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return len(jobs)


class Job(Protocol):
    """Something to compile, here and on disk; calling it does so."""

    @property
    def can_be_sent(self) -> bool:
        """Whether it can be done in another process: a policy of your own may be in a script."""

    def __call__(self) -> None: ...


@dataclass(frozen=True, eq=False)
class LoopJob:
    """Compile the loop that plays a block."""

    block: Block

    @property
    def can_be_sent(self) -> bool:
        """Whether the policy is Hush's; a loop takes all of its family as they come."""
        return type(self.block.policy) in REGISTERED

    def __call__(self) -> None:
        """Play a tiny part of the block."""
        block = self.block
        never_interpret(block.engine.loop(block.mode))
        points = (min(10, block.points[-1]),)
        with _no_collection():
            play(replace(block, points=points, first=0, runs=1, keeps="regret"))


@dataclass(frozen=True, eq=False)
class SearchJob:
    """Compile the loop in which a policy names the best arm."""

    search: Search

    @property
    def can_be_sent(self) -> bool:
        """Whether the policy is Hush's."""
        return type(self.search.policy) in REGISTERED

    def __call__(self) -> None:
        """Search for a moment."""
        search = replace(self.search, most=min(10, self.search.most))
        with _no_collection():
            finder_of(search.policy, search.env).find(search, run_seed(0, search.policy, 0))


@dataclass(frozen=True, eq=False)
class PartJob:
    """Compile a part of a loop that Python does not play."""

    engine: Engine
    number: int
    can_be_sent: bool = True

    def __call__(self) -> None:
        """Call the part."""
        part, given = self.engine.compiled_parts()[self.number]
        with _no_collection():
            part(*given)


def is_compiled(engine: Engine, mode: Mode) -> bool:
    """Tell whether an engine's loop is compiled in this process, or has an index in its cache."""
    return engine.loop_name(mode) is None or is_loop_compiled(engine.loop(mode))


def _missing(blocks: Iterable[Block]) -> list[Job]:
    """Return what has to be compiled: loops, the longest to compile first, then parts."""
    alike: dict[tuple[Engine, Mode], list[Block]] = {}
    for block in blocks:
        alike.setdefault((block.engine, block.mode), []).append(block)
    loops: dict[str, LoopJob] = {}
    parts: dict[str, PartJob] = {}
    for (engine, mode), found in alike.items():
        name = engine.loop_name(mode)
        if name is None or name in loops or is_compiled(engine, mode):
            continue
        if mode == "leap" and engine.interpreted:
            loop = engine.loop(mode)
            if may_interpret(loop, engine.interpreted * sum(block.cost for block in found)):
                for i, (part, _) in enumerate(engine.compiled_parts()):
                    if not is_loop_compiled(part.alone):
                        parts[part.name] = PartJob(engine, i)
                continue
            never_interpret(loop)
        loops[name] = LoopJob(found[0])
    return [*sorted(loops.values(), key=_rank), *parts.values()]


def _announce() -> None:
    """Say it on a terminal and in a notebook; elsewhere it is in the log."""
    message = "compiling loops for this machine: once, a minute at most; then they are kept"
    logger.info(message)
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        sys.stderr.write(f"hush: {message}\n")


def _rank(job: LoopJob) -> int:
    block = job.block
    module = (block.engine.module(block.mode) or "").rpartition(".")[2]
    return SLOWEST.index(module) if module in SLOWEST else len(SLOWEST)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Have no garbage collected: the compiler makes millions of objects that stay."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
