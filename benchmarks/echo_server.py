"""A bare echo on the same server: decodes a decision's request, and encodes an answer like it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

import msgspec
import uvicorn

from hush.service.answers import Decided
from hush.service.messages import DecisionRequest

DECODE = msgspec.json.Decoder(DecisionRequest).decode
ENCODE = msgspec.json.Encoder().encode
SAID = Decided("x" * 64, "new", 1, 4, 0.5, datetime(2026, 1, 1, tzinfo=UTC))


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answer whatever comes as a decision."""
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    body = (await receive())["body"]
    if body:
        DECODE(body)
    content = ENCODE(SAID)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
    ]
    await send({"type": "http.response.start", "status": 201, "headers": headers})
    await send({"type": "http.response.body", "body": content})


if __name__ == "__main__":
    print("Serving", flush=True)
    uvicorn.run(
        application,
        port=int(sys.argv[-1]),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
    )
