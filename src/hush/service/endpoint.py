"""From a request to an answer: authorise, read, decode, handle, send. The same for every route."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from hush.service.access import NOBODY, Access
from hush.service.answers import Problem
from hush.service.core import Core
from hush.service.operations import JSON, LINES, Answer, Call, Operation
from hush.service.problems import KINDS, Refused, refused

__all__ = ["Endpoint", "Gone", "problem", "read_body", "send"]

log = logging.getLogger("hush.service")
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ENCODE = msgspec.json.Encoder().encode
PROBLEM = "application/problem+json"
MOST_LINES = 1_000
NOTHING: Mapping[str, str] = {}
NO_STORE = (b"cache-control", b"no-store")
UNFIT = "the body does not fit; /openapi.json describes it"


class Gone(Exception):  # noqa: N818  nobody is left to answer
    """The caller went away before the request was whole."""


class Endpoint:
    """One operation as an ASGI application."""

    def __init__(self, core: Core, operation: Operation) -> None:
        self._core, self._operation = core, operation
        self._decode: Callable[[bytes], Any] | None = None
        if operation.asks is not None:
            self._decode = msgspec.json.Decoder(operation.asks).decode
        self._media = (LINES if operation.lines else JSON).encode()
        self._limit = operation.limit

    async def __call__(
        self, scope: Scope, path: Mapping[str, str], receive: Receive, send_: Send
    ) -> None:
        """Answer a request; ``path`` has what varies in its address."""
        body: Any = None
        operation = self._operation
        try:
            headers = dict(scope["headers"])
            access = NOBODY if operation.scope is None else self._access(headers, path)
            if self._decode is not None:
                self._check_media(headers)
                message = await receive()
                raw = message.get("body", b"")
                more = message.get("more_body", message["type"] != "http.request")
                if more or len(raw) > self._limit:
                    raw = await read_body(receive, self._limit, message)
                body = self._lines(raw) if operation.lines else self._decoded(raw)
            asked: bytes = scope["query_string"]
            query = dict(parse_qsl(asked.decode("latin-1"))) if asked else NOTHING
            call = Call(self._core, access, path, query, headers, body, operation)
            answer = await operation.handler(call)
        except Gone:
            return
        except Exception as error:  # noqa: BLE001  whatever it is, nothing of it is shown
            answer = problem(self._core, error, (body, *path.values()))
        await send(send_, answer)

    def _access(self, headers: Mapping[bytes, bytes], path: Mapping[str, str]) -> Access:
        operation = self._operation
        scope = operation.scope or ""
        access = self._core.gate.access(headers.get(b"authorization"))
        if access is None:
            raise Refused("no-token", headers={"www-authenticate": "Bearer"})
        if operation.over == "path":
            allowed = access.allows(scope, path["name"])
        elif operation.over == "body":
            allowed = scope in access.scopes
        else:
            allowed = access.on_all(scope)
        if not allowed:
            raise Refused("not-allowed")
        return access

    def _check_media(self, headers: Mapping[bytes, bytes]) -> None:
        media = headers.get(b"content-type", b"")
        if media != self._media and media.partition(b";")[0].strip().lower() != self._media:
            raise Refused("wrong-media", "a message on every line" if self._operation.lines else "")

    def _lines(self, raw: bytes) -> list[Any]:
        lines = raw.split(b"\n")
        if lines and not lines[-1].strip():
            del lines[-1]
        if len(lines) > MOST_LINES:
            raise Refused("too-large", f"at most {MOST_LINES:,} lines")
        return [self._line(each) for each in lines]

    def _line(self, line: bytes) -> Any:  # noqa: ANN401
        try:
            return self._decoded(line)
        except Refused as error:
            return error

    def _decoded(self, raw: bytes) -> Any:  # noqa: ANN401
        """Return a message; whatever is wrong with its bytes, it does not fit."""
        try:
            return self._decode(raw)  # type: ignore[misc]  # there is one
        except (ValueError, RecursionError):  # not UTF-8, or too deep, besides what is no JSON
            raise Refused("malformed", UNFIT) from None


async def read_body(receive: Receive, limit: int, message: Message | None = None) -> bytes:
    """Return a request's body, of which a message may have come, unless it is too large."""
    parts, size = [], 0
    while True:
        message = message or await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise Refused("too-large", f"at most {limit:,} bytes")
        parts.append(part)
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)
        message = None


def problem(core: Core, error: Exception, sent: object = None) -> Answer:
    """Return an error as an answer; one that nobody expected is logged by its place alone."""
    found, name = refused(error, sent), core.request_id()
    kind = KINDS[found.kind]
    if found.kind == "unexpected":
        frames = traceback.extract_tb(error.__traceback__)
        places = " < ".join(f"{each.name}:{each.lineno}" for each in reversed(frames))
        log.error("request %s: %s in %s", name, type(error).__name__, places)
    body = Problem(kind.type, kind.title, kind.status, found.detail or None, name)
    return Answer(kind.status, body, PROBLEM, found.headers)


@lru_cache(maxsize=64)
def _content_type(media: str) -> tuple[bytes, bytes]:
    return b"content-type", media.encode()


async def send(send_: Send, answer: Answer) -> None:
    """Send an answer."""
    body, given = answer.body, answer.headers
    headers = [] if "cache-control" in given else [NO_STORE]
    if body is None:
        content = b""
    else:
        content = body if isinstance(body, bytes) else ENCODE(body)
        headers.append(_content_type(answer.media))
    if answer.status != 204:
        headers.append((b"content-length", b"%d" % len(content)))
    for name, value in given.items():
        headers.append((name.encode(), value.encode()))
    await send_({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send_({"type": "http.response.body", "body": content})
