"""The service as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.exceptions import HTTPException
from starlette.routing import Route, Router

from hush.service import (  # noqa: F401  they enter themselves into the table
    admin_routes,
    decision_routes,
    read_routes,
    reward_routes,
    system_routes,
)
from hush.service.core import Core
from hush.service.endpoint import Endpoint, Receive, Scope, Send, problem, send
from hush.service.operations import OPERATIONS
from hush.service.problems import Refused

__all__ = ["App"]

NOT_FOUND = 404


class App:
    """Routes requests to their operations; and ticks while it runs.

    Parameters
    ----------
    core
        Returns the core, when the server starts; it is closed when the server ends.
    """

    def __init__(self, core: Callable[[], Core]) -> None:
        self._make = core
        self._core: Core | None = None
        self._router = Router(redirect_slashes=False, default=self._unknown, lifespan=self._life)

    def begin(self) -> Core:
        """Make the core and the routes: servers do it when they start."""
        core = self._core = self._make()
        self._router.routes = [
            Route(each.path, Endpoint(core, each), methods=[each.method])
            for each in sorted(OPERATIONS, key=lambda each: each.name not in HOT)
        ]
        return core

    async def __call__(self, scope: Scope, receive: Receive, send_: Send) -> None:
        """Answer what comes."""
        if scope["type"] == "websocket":
            await send_({"type": "websocket.close", "code": 1000})
            return
        scope["app"] = self  # so that the router raises what it would answer itself
        try:
            await self._router(scope, receive, send_)
        except HTTPException as error:
            kind = "unknown-route" if error.status_code == NOT_FOUND else "wrong-method"
            headers = {name.lower(): value for name, value in (error.headers or {}).items()}
            assert self._core is not None  # noqa: S101
            await send(send_, problem(self._core, Refused(kind, headers=headers)))

    async def _unknown(self, *_: object) -> None:
        raise HTTPException(NOT_FOUND)

    @asynccontextmanager
    async def _life(self, _: Any) -> AsyncIterator[None]:  # noqa: ANN401
        core = self.begin()
        ticking = asyncio.create_task(core.tick_for_ever())
        try:
            yield
        finally:
            ticking.cancel()
            with suppress(asyncio.CancelledError):
                await ticking
            await asyncio.to_thread(core.close)


HOT = ("decide", "reward", "decide_many", "reward_many")
