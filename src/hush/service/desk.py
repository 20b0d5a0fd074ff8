"""The desk: requests that come while the store is busy wait together, and share a transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Generic, TypeVar

__all__ = ["Desk"]

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
MOST = 1_000


class Desk(Generic[Asked, Answer]):
    """Hands requests of an event loop to the store, one group at a time.

    Parameters
    ----------
    run
        Answers a list of requests; whoever cannot be answered gets an exception in its place.
    thread
        Where it runs, so that the loop goes on meanwhile.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> async def example():
    ...     with ThreadPoolExecutor(1) as thread:
    ...         desk = Desk(lambda asked: [10 * each for each in asked], thread)
    ...         return await asyncio.gather(desk.answer([1]), desk.answer([2, 3]))
    >>> asyncio.run(example())
    [[10], [20, 30]]
    """

    def __init__(self, run: Callable[[list[Asked]], list[Answer]], thread: Executor) -> None:
        self._run, self._thread = run, thread
        self._waiting: list[tuple[list[Asked], asyncio.Future[list[Answer]]]] = []
        self._busy = False

    async def answer(self, asked: list[Asked]) -> list[Answer]:
        """Return an answer for each request."""
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[list[Answer]] = loop.create_future()
        self._waiting.append((asked, mine))
        if not self._busy:
            self._busy = True
            loop.call_soon(self._begin, loop)
        return await mine

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        group: list[tuple[list[Asked], asyncio.Future[list[Answer]]]] = []
        size = 0
        while self._waiting and (not group or size + len(self._waiting[0][0]) <= MOST):
            group.append(self._waiting.pop(0))
            size += len(group[-1][0])
        if not group:
            self._busy = False
            return
        asked = [each for one, _ in group for each in one]
        done = loop.run_in_executor(self._thread, self._run, asked)
        done.add_done_callback(lambda _: self._hand_out(loop, group, done))

    def _hand_out(
        self,
        loop: asyncio.AbstractEventLoop,
        group: list[tuple[list[Asked], asyncio.Future[list[Answer]]]],
        done: asyncio.Future[list[Answer]],
    ) -> None:
        self._begin(loop)
        error = done.exception()
        answers = iter(() if error is not None else done.result())
        for asked, mine in group:
            found = [next(answers) for _ in asked] if error is None else []
            if mine.done():  # whoever asked is gone
                continue
            if error is None:
                mine.set_result(found)
            else:
                mine.set_exception(error)
