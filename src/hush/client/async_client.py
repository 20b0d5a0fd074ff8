"""A client that is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeVar

import httpx

from hush.client.calls import Failed, Heard, Reply, Send, Steps, Talk, Wait
from hush.client.client_methods import ClientMethods
from hush.client.either_way import Awaits
from hush.client.remote_deciding import RemoteDeciding
from hush.client.sync_client import UNSENT

__all__ = ["AsyncClient", "AsyncRemoteExperiment"]

Found = TypeVar("Found")


class AsyncClient(Awaits, ClientMethods["AsyncRemoteExperiment", httpx.AsyncBaseTransport]):
    """:class:`~hush.Client` for asyncio: every method is awaited, but :meth:`experiment`.

    What is a property there is a method here, since a property cannot be awaited politely:
    ``await exp.plan()``, ``await client.names()``.

    Parameters
    ----------
    url, token, timeout, tries, flush, keep
        As for :class:`~hush.Client`.
    transport
        How requests travel: one of httpx's that can be awaited.

    Examples
    --------
    >>> import asyncio
    >>> import hush.live
    >>> from hush.client.in_process import connected_async
    >>> async def example():
    ...     async with connected_async(hush.live.open(":memory:")) as client:
    ...         exp = await client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                                   person_epsilon=1.0)
    ...         await exp.start()
    ...         decision = await exp.decide("u17")
    ...         await exp.reward(decision, 1)
    ...         return await exp.state()
    >>> asyncio.run(example())
    'running'
    """

    _sleep: Callable[[float], Awaitable[None]] = staticmethod(asyncio.sleep)

    def _begin(self, transport: httpx.AsyncBaseTransport | None) -> None:
        self._transport = httpx.AsyncHTTPTransport() if transport is None else transport
        self._flushing = asyncio.Lock()
        self._ticking: asyncio.Task[None] | None = None

    def _named(self, name: str) -> AsyncRemoteExperiment:
        return AsyncRemoteExperiment(self, name)

    async def _run(self, steps: Steps[Found]) -> Found:
        self._check()
        if self._ticking is None and self._session.buffer is not None:
            ticking = self._tick(self._session.buffer.due)
            self._ticking = asyncio.get_running_loop().create_task(ticking)
        talk, heard = Talk(steps), None
        while (step := talk.next(heard)) is not None:
            heard = await self._do(step)
        return talk.found

    async def _do(self, step: Send | Wait) -> Heard:
        if isinstance(step, Send):
            return await self._send(step)
        await self._sleep(step.seconds)
        return None

    async def _send(self, step: Send) -> Heard:
        try:
            async with asyncio.timeout(step.seconds):
                response = await self._transport.handle_async_request(self._request(step))
                try:
                    body = await response.aread()
                finally:
                    await response.aclose()
        except TimeoutError:
            return Failed(sent=True, late=True)
        except httpx.RequestError as error:
            return Failed(sent=not isinstance(error, UNSENT))
        return Reply(response.status_code, response.headers, body)

    async def _tick(self, due: Callable[[], float]) -> None:
        while True:
            await self._sleep(due())
            with suppress(Exception):  # whatever it is: they wait, and are tried again
                await self.flush()

    async def flush(self) -> None:
        """Send the rewards that wait, now; see :meth:`Client.flush`.

        >>> import asyncio
        >>> import hush.live
        >>> from hush.client.in_process import connected_async
        >>> async def example():
        ...     async with connected_async(hush.live.open(":memory:"), flush=60.0) as client:
        ...         await client.flush()
        >>> asyncio.run(example())
        """
        async with self._flushing:
            await self._run(self._session.flush())

    async def close(self) -> None:
        """Send the rewards that wait, and end all connections; see :meth:`Client.close`.

        >>> import asyncio
        >>> import hush.live
        >>> from hush.client.in_process import connected_async
        >>> asyncio.run(connected_async(hush.live.open(":memory:")).close())
        """
        if self._process is None:
            return
        self._check()
        try:
            await self.flush()
        finally:
            self._process = None
            if self._ticking is not None:
                self._ticking.cancel()
                with suppress(asyncio.CancelledError):
                    await self._ticking
            await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class AsyncRemoteExperiment(Awaits, RemoteDeciding):
    """An experiment of a service, for asyncio. Made by :class:`AsyncClient`.

    Every method of :class:`RemoteExperiment` is awaited, and its properties are methods.

    Examples
    --------
    >>> import asyncio
    >>> import hush.live
    >>> from hush.client.in_process import connected_async
    >>> async def example():
    ...     async with connected_async(hush.live.open(":memory:")) as client:
    ...         exp = await client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                                   person_epsilon=1.0)
    ...         return exp, await exp.arms()
    >>> asyncio.run(example())
    (<experiment checkout of http://in-process>, ('old', 'new'))
    """

    def __init__(self, client: AsyncClient, name: str) -> None:
        self._client, self._session, self.name = client, client._session, name

    async def _run(self, steps: Steps[Found]) -> Found:
        return await self._client._run(steps)

    def __repr__(self) -> str:
        return f"<experiment {self.name} of {self._client._place}>"
