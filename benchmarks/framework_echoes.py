"""An echo of a decision in each framework, by name."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import uvicorn

from benchmarks.echo_server import SAID, application
from hush.service.answers import Decided
from hush.service.messages import DecisionRequest

PATH = "/v1/experiments/{name%s}/decisions"
DECODE = msgspec.json.Decoder(DecisionRequest).decode
ENCODE = msgspec.json.Encoder().encode


def bare() -> Any:
    """Return an application without a framework."""
    return application


def starlette() -> Any:
    """Return a Starlette application that decodes and encodes with msgspec."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    async def decide(request: Request) -> Response:
        DECODE(await request.body())
        return Response(ENCODE(SAID), 201, media_type="application/json")

    return Starlette(routes=[Route(PATH % "", decide, methods=["POST"]), _healthz()])


def _healthz() -> Any:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    async def healthz(request: Request) -> Response:  # noqa: ARG001
        return Response(b"{}")

    return Route("/healthz", healthz)


def starlette_router() -> Any:
    """Return Starlette's router alone, in front of the bare application."""
    from starlette.routing import Route, Router

    class Endpoint:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await application(scope, receive, send)

    return Router(routes=[Route(PATH % "", Endpoint(), methods=["POST"]), _healthz()])


def litestar() -> Any:
    """Return a Litestar application: types are read off the handler."""
    from litestar import Litestar, get, post

    @post(PATH % ":str")
    async def decide(name: str, data: DecisionRequest) -> Decided:  # noqa: ARG001
        return SAID

    @get("/healthz")
    async def healthz() -> dict[str, str]:
        return {}

    decide.fn.__annotations__ = {"name": str, "data": DecisionRequest, "return": Decided}
    healthz.fn.__annotations__ = {"return": dict[str, str]}
    return Litestar([decide, healthz], logging_config=None)


FRAMEWORKS = {each.__name__: each for each in (bare, starlette_router, starlette, litestar)}

if __name__ == "__main__":
    made = FRAMEWORKS[sys.argv[1]]()
    print("Serving", flush=True)
    uvicorn.run(
        made,
        port=int(sys.argv[-1]),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
    )
