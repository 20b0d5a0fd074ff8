"""The service as an ASGI application: it finds the operation of a request, and ticks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from hush.dashboard.site import PREFIX
from hush.service import (  # noqa: F401  they enter themselves into the table
    admin_routes,
    decision_routes,
    read_routes,
    reward_routes,
    system_routes,
)
from hush.service.board import Board
from hush.service.core import Core
from hush.service.endpoint import Endpoint, Receive, Scope, Send, problem, send
from hush.service.operations import OPERATIONS
from hush.service.page_data import site_of
from hush.service.problems import Refused

__all__ = ["App"]

VARIES = 3  # the part of an address that may be a name: /v1/experiments/{name}/plan
NOTHING: Mapping[str, str] = {}


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
        self._board: Board | None = None
        self._routes: dict[str, tuple[str, dict[str, Endpoint]]] = {}

    def begin(self) -> Core:
        """Make the core and the routes: servers do it when they start."""
        core = self._core = self._make()
        self._board = Board(site_of(core), core.gate, self, secure=core.settings.tls)
        self._routes = {}
        for each in OPERATIONS:
            parts = each.path.split("/")
            name = parts[VARIES][1:-1] if len(parts) > VARIES and parts[VARIES][0] == "{" else ""
            if name:
                parts[VARIES] = "*"
            _, methods = self._routes.setdefault("/".join(parts), (name, {}))
            methods[each.method] = Endpoint(core, each)
            if each.method == "GET":
                methods["HEAD"] = methods["GET"]
        return core

    # Servers tell by "async" that this is an application of ASGI's third version.
    async def __call__(self, scope: Scope, receive: Receive, send_: Send) -> None:
        """Answer what comes."""
        if scope["type"] == "http":
            await self._answer(scope, receive, send_)
        elif scope["type"] == "lifespan":
            await self._live(receive, send_)
        else:
            await send_({"type": "websocket.close", "code": 1000})

    def _answer(self, scope: Scope, receive: Receive, send_: Send) -> Awaitable[None]:
        path: str = scope["path"]
        found, given = self._routes.get(path), NOTHING
        if found is None or found[0]:
            parts = path.split("/", VARIES + 1)
            if len(parts) > VARIES:
                value, parts[VARIES] = parts[VARIES], "*"
                found = self._routes.get("/".join(parts)) if value else None
                given = {} if found is None else {found[0]: value}
        if found is None:
            if self._board is not None and (path == "/" or path.startswith(PREFIX)):
                return self._board(scope, receive, send_)
            return self._refuse("unknown-route", {}, send_)
        endpoint = found[1].get(scope["method"])
        if endpoint is None:
            return self._refuse("wrong-method", {"allow": ", ".join(found[1])}, send_)
        return endpoint(scope, given, receive, send_)

    async def _refuse(self, kind: str, headers: Mapping[str, str], send_: Send) -> None:
        if self._core is None:
            raise RuntimeError("the application was not started")
        await send(send_, problem(self._core, Refused(kind, headers=headers)))

    async def _live(self, receive: Receive, send_: Send) -> None:
        """Begin when the server starts, and end when it does."""
        await receive()
        core = self.begin()
        ticking = asyncio.create_task(core.tick_for_ever())
        await send_({"type": "lifespan.startup.complete"})
        await receive()
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking
        if self._board is not None:
            await asyncio.to_thread(self._board.close)
        await asyncio.to_thread(core.close)
        await send_({"type": "lifespan.shutdown.complete"})
