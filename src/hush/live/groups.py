"""Group commit: what threads ask for at the same time shares one transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from hush.errors import StoreError

__all__ = ["Groups"]

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class _Waiting(Generic[Asked, Answer]):
    def __init__(self, asked: list[Asked]) -> None:
        self.asked = asked
        self.answers: list[Answer | Exception] | None = None


class Groups(Generic[Asked, Answer]):
    """Runs requests of many threads together; whoever comes first runs those that wait.

    A group that fails as a whole is run again one request at a time, so that nobody's request
    decides on another's.

    Parameters
    ----------
    run
        Answers a list of requests in one transaction, with an exception where one cannot be met;
        it raises where the transaction failed.
    most
        How many requests share a transaction at most.

    Examples
    --------
    >>> groups = Groups(lambda asked: [10 * each for each in asked])
    >>> groups.answer([1, 2])
    [10, 20]
    """

    def __init__(
        self, run: Callable[[list[Asked]], list[Answer | Exception]], most: int = 1_000
    ) -> None:
        self._run = run
        self._most = most
        self._queue: list[_Waiting[Asked, Answer]] = []
        self._running = threading.Lock()

    def answer(self, asked: list[Asked]) -> list[Answer | Exception]:
        """Return an answer, or an exception, for each request."""
        mine: _Waiting[Asked, Answer] = _Waiting(asked)
        self._queue.append(mine)
        with self._running:
            while mine.answers is None:
                self._run_some()
        return mine.answers

    def _run_some(self) -> None:
        some: list[_Waiting[Asked, Answer]] = []
        size = 0
        try:
            while self._queue and (not some or size + len(self._queue[0].asked) <= self._most):
                some.append(self._queue[0])
                del self._queue[0]
                size += len(some[-1].asked)
            answers = self._answers([each for waiting in some for each in waiting.asked])
        except BaseException:  # an interrupt is one thread's; the others ask again
            for waiting in some:
                waiting.answers = [StoreError("interrupted; ask again")] * len(waiting.asked)
            raise
        for waiting in some:
            waiting.answers = answers[: len(waiting.asked)]
            answers = answers[len(waiting.asked) :]

    def _answers(self, asked: list[Asked]) -> list[Answer | Exception]:
        try:
            return self._run(asked)
        except Exception as error:  # noqa: BLE001  it is the callers' to hear, each his own
            if len(asked) == 1:
                return [error]
        return [self._answers([each])[0] for each in asked]
