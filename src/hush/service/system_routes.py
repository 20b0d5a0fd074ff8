"""What machines ask: is it alive, is it ready, what can it do, how is it going."""

from __future__ import annotations

from functools import cache

from hush.service.answers import Health
from hush.service.endpoint import ENCODE
from hush.service.metrics import metrics as rendered
from hush.service.openapi import document
from hush.service.operations import OPERATIONS, Answer, Call, operation
from hush.version import __version__

__all__: list[str] = []

PROMETHEUS = "text/plain; version=1.0.0; charset=utf-8"


@operation("GET", "/healthz", None, "all", answers={200: Health})
async def healthz(call: Call) -> Answer:  # noqa: ARG001
    """Tell whether the process answers."""
    return Answer(200, Health("alive"))


@operation("GET", "/readyz", None, "all", answers={200: Health}, problems=("not-ready",))
async def readyz(call: Call) -> Answer:
    """Tell whether both stores answer. Whether they settle is among the metrics.

    A clock that is not believed holds settlement and no decision, so it is no reason to send
    people elsewhere.
    """
    await call.core.aside(call.core.touch)
    return Answer(200, Health("ready"))


@operation("GET", "/openapi.json", None, "all", answers={200: "application/json"})
async def openapi(call: Call) -> Answer:  # noqa: ARG001
    """Describe the interface."""
    return Answer(200, _document())


@cache
def _document() -> bytes:
    return ENCODE(document(OPERATIONS, __version__))


@operation("GET", "/metrics", "read", "all", answers={200: PROMETHEUS})
async def metrics(call: Call) -> Answer:
    """Show metrics for Prometheus: decisions, releases, promises, and how the last tick went."""
    return Answer(200, await call.core.aside(rendered, call.core), PROMETHEUS)
