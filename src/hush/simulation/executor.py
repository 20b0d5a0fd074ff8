"""Plays plans: blocks in threads, processes or on a cluster, from a cache where they are kept."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from hush.errors import ParameterError, whole
from hush.extras import require
from hush.output.progress import Reporter, progress_bar
from hush.simulation.compiling import compile_ahead
from hush.simulation.foreseeing import say_if_long
from hush.simulation.plan import Block, BlockData, play, stopping

__all__ = ["Execution", "Keeper", "dask_executor", "execute"]


class Keeper(Protocol):
    """Where finished blocks are kept."""

    def load(self, block: Block) -> BlockData | None:
        """Return a finished block, or None."""

    def store(self, block: Block, data: BlockData) -> None:
        """Keep a finished block."""


@dataclass(frozen=True)
class Execution:
    """Where and how to work.

    Attributes
    ----------
    executor
        Any executor of :mod:`concurrent.futures`; threads of our own if left out.
    workers
        How many threads; all cores if left out.
    progress
        Show a progress bar; by default on a terminal only. Or a function of (done, total).
    """

    executor: Executor | None = None
    workers: int | None = None
    progress: bool | Reporter | None = None

    @property
    def threads(self) -> int:
        """How many threads there are, or would be."""
        if self.workers is None:
            return os.cpu_count() or 1
        return whole("workers", self.workers, least=1)


def milliseconds(block: Block) -> int:
    """Return a block's share of the work."""
    return 1 + int(1000 * block.cost)


def execute(
    blocks: Iterable[Block],
    execution: Execution | None = None,
    *,
    keeper: Keeper | None = None,
    share: Callable[[Block], int] | None = None,
) -> dict[Block, BlockData]:
    """Play blocks, each once, and return what they yield.

    An interrupt ends it soon; what was finished is with the keeper. ``share`` tells how much of the
    work a block is, for the progress bar, which then counts; left out, it shows a percentage.

    Examples
    --------
    >>> import hush
    >>> from hush.simulation.plan import blocks_of
    >>> blocks = blocks_of(hush.UCB1(), hush.paper_s1(), (100,), 7, 20)
    >>> len(execute(blocks, Execution(workers=2)))
    2
    """
    execution = execution or Execution()
    found: dict[Block, BlockData] = {}
    missing: list[Block] = []
    for block in dict.fromkeys(blocks):
        kept = None if keeper is None else keeper.load(block)
        if kept is None:
            missing.append(block)
        else:
            found[block] = kept
    for block, data in _played(missing, execution, share):
        if keeper is not None:
            keeper.store(block, data)
        found[block] = data
    return found


def _played(
    blocks: list[Block], execution: Execution, share: Callable[[Block], int] | None
) -> Iterator[tuple[Block, BlockData]]:
    """Play blocks, the longest first; give each as soon as it is done."""
    if not blocks:
        return
    if execution.executor is None:
        asked = execution.progress
        compile_ahead(blocks, execution.threads, bar=asked if isinstance(asked, bool) else None)
    say_if_long(blocks, None if execution.executor else execution.threads)
    weigh = share or milliseconds
    total = sum(map(weigh, blocks))
    name = secrets.token_hex(8)
    with (
        progress_bar("simulating", total, execution.progress, shares=share is None) as advance,
        _pool(execution) as pool,
        stopping(name),
    ):
        futures: dict[Future[BlockData], Block] = {}
        try:
            for block in sorted(blocks, key=lambda each: -each.cost):
                futures[pool.submit(play, block, name)] = block
            for future in as_completed(futures):
                yield futures[future], future.result()
                advance(weigh(futures[future]))
        except BaseException:
            for future in futures:
                future.cancel()
            raise


@contextmanager
def _pool(execution: Execution) -> Iterator[Executor]:
    """Give an executor; threads of our own are ended, a given one is left as it is.

    A single worker is a thread too, so that the main one can hear Ctrl-C.
    """
    if execution.executor is not None:
        yield execution.executor
        return
    pool = ThreadPoolExecutor(execution.threads)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Give an executor on a Dask cluster; the workers need the same version of Hush.

    Parameters
    ----------
    address
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    """
    require("a Dask cluster")
    from distributed import Client

    try:
        client = Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ParameterError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        yield client.get_executor()  # type: ignore[no-untyped-call]
