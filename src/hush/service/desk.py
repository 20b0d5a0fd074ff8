"""The desk: requests that come together share a transaction of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Generic, TypeVar

__all__ = ["Desk"]

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
MOST = 1_000
ENOUGH = 64


class Desk(Generic[Asked, Answer]):
    """Hands requests of an event loop to the store, one group at a time.

    Parameters
    ----------
    run
        Answers a list of requests; whoever cannot be answered gets an exception in its place.
    thread
        Where it runs, so that the loop goes on while a database is waited for. None: in the loop
        itself, which is faster where nothing is waited for.

    Examples
    --------
    >>> async def example():
    ...     desk = Desk(lambda asked: [10 * each for each in asked], None)
    ...     return await asyncio.gather(desk.answer([1]), desk.answer([2, 3]))
    >>> asyncio.run(example())
    [[10], [20, 30]]
    """

    def __init__(self, run: Callable[[list[Asked]], list[Answer]], thread: Executor | None) -> None:
        self._run, self._thread = run, thread
        self._waiting: list[tuple[list[Asked], asyncio.Future[list[Answer]]]] = []
        self._loop: asyncio.AbstractEventLoop | None = None  # while a group forms or runs

    def answer(self, asked: list[Asked]) -> asyncio.Future[list[Answer]]:
        """Return what will be an answer for each request."""
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.get_running_loop()
            # What else has come by then is in the same group.
            if self._thread is None:
                loop.call_soon(self._in_loop, loop, 0)
            else:
                loop.call_soon(self._in_thread, loop)
        mine: asyncio.Future[list[Answer]] = loop.create_future()
        self._waiting.append((asked, mine))
        return mine

    def _group(self) -> list[tuple[list[Asked], asyncio.Future[list[Answer]]]]:
        size, many = 0, 0
        for asked, _ in self._waiting:
            size += len(asked)
            if many and size > MOST:
                break
            many += 1
        group, self._waiting = self._waiting[:many], self._waiting[many:]
        return group

    def _in_loop(self, loop: asyncio.AbstractEventLoop, before: int) -> None:
        if before < len(self._waiting) < ENOUGH:  # while more keep coming, a group of more is less
            loop.call_soon(self._in_loop, loop, len(self._waiting))
            return
        while self._waiting:
            group = self._group()
            try:
                answers = self._run([each for asked, _ in group for each in asked])
            except Exception as error:  # noqa: BLE001  it is the callers' to hear
                _fail(group, error)
            else:
                _hand_out(group, answers)
        self._loop = None

    def _in_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting:
            self._loop = None
            return
        group = self._group()
        asked = [each for one, _ in group for each in one]
        running = loop.run_in_executor(self._thread, self._run, asked)

        def done(ended: asyncio.Future[list[Answer]]) -> None:
            self._in_thread(loop)
            error = ended.exception()
            if error is None:
                _hand_out(group, ended.result())
            else:
                _fail(group, error)

        running.add_done_callback(done)


def _hand_out(
    group: list[tuple[list[Asked], asyncio.Future[list[Answer]]]], answers: list[Answer]
) -> None:
    start = 0
    for asked, mine in group:
        if not mine.done():  # else whoever asked is gone
            mine.set_result(answers[start : start + len(asked)])
        start += len(asked)


def _fail(
    group: list[tuple[list[Asked], asyncio.Future[list[Answer]]]], error: BaseException
) -> None:
    for _, mine in group:
        if not mine.done():
            mine.set_exception(error)
