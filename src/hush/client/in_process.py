"""A service in this process, without a network: for tests of what uses a client."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import httpx

from hush.client.async_client import AsyncClient
from hush.client.sync_client import Client
from hush.live import Store
from hush.live.granting import SCOPES
from hush.service.application import App
from hush.service.core import Core, Settings

__all__ = ["InProcess", "connected", "connected_async"]

URL = "http://in-process"


def connected(store: Store, *, test: bool = False, **given: Any) -> Client:  # noqa: ANN401
    """Return a client of a store in this process, with a token for everything.

    Parameters
    ----------
    store
        The store; it is closed with the client.
    test
        Whether the token is for rehearsals.
    given
        What :class:`~hush.Client` takes beside address, token and transport.

    Examples
    --------
    >>> import hush.live
    >>> connected(hush.live.open(":memory:"), timeout=1.0)
    <client of http://in-process>
    """
    token = store.tokens.create(SCOPES, test=test)
    return Client(URL, token, transport=InProcess(store), **given)


def connected_async(store: Store, *, test: bool = False, **given: Any) -> AsyncClient:  # noqa: ANN401
    """Return a client for asyncio of a store in this process; see :func:`connected`.

    >>> import hush.live
    >>> connected_async(hush.live.open(":memory:"))
    <client of http://in-process>
    """
    token = store.tokens.create(SCOPES, test=test)
    return AsyncClient(URL, token, transport=InProcess(store), **given)


class InProcess(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Hands requests to a service on a store in this process; any client of httpx can use it.

    The service runs on a thread of its own and does not settle: call ``store.settle()``, or let a
    :class:`~hush.live.ManualClock` pass and call it then.

    Parameters
    ----------
    store
        The store; it is closed with the transport.

    Examples
    --------
    >>> import hush.live
    >>> transport = InProcess(hush.live.open(":memory:"))
    >>> httpx.Client(transport=transport).get("http://any/healthz").json()
    {'status': 'alive'}
    """

    def __init__(self, store: Store) -> None:
        app = App(lambda: Core(store, Settings(tick=None, decisions=None)))
        self._core = app.begin()
        self._inner = httpx.ASGITransport(app)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="hush-in-process", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self._core.learn_tokens()  # those that were made a moment ago, too
        found = await self._inner.handle_async_request(request)
        body = await found.aread()
        return httpx.Response(found.status_code, headers=found.headers, content=body)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        return asyncio.run_coroutine_threadsafe(self._answer(request), self._loop).result()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request that is awaited."""
        asked = asyncio.run_coroutine_threadsafe(self._answer(request), self._loop)
        return await asyncio.wrap_future(asked)

    def close(self) -> None:
        """End the service, and close the store."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._core.close()

    async def aclose(self) -> None:
        """End the service, and close the store."""
        self.close()
