"""A caller over sockets: it may send a request in two parts, send half of it, or not wait."""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from urllib.parse import urlsplit

from tests.service.histories import Op

OFFSET = time.time() - time.monotonic()
LONGEST = 60.0


def now():
    """Return the time of day, by a clock that nobody sets meanwhile."""
    return time.monotonic() + OFFSET


@dataclass(frozen=True)
class Told(Op):
    """What came of a request; torn where an answer began and did not end."""

    torn: bool = False

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def times(self):
        """What a history needs of it."""
        return {name: getattr(self, name) for name in ("began", "ended", "status", "body", "whole")}


class Caller:
    """Asks a service, by as many connections as are needed at a time.

    Faults of a request: ``late``, ``parts`` with a pause in between, ``half`` and cut, ``unread``:
    cut before the answer is read.
    """

    def __init__(self, address, token, draw):
        parts = urlsplit(address)
        self.place, self._token, self._draw = (parts.hostname, parts.port), token, draw
        self._idle, self.answered = [], 0

    async def ask(self, method, path, body=None, *, fault="", **headers):
        """Ask for something; whatever happens to it is told, nothing is raised."""
        raw = self.written(method, path, body, headers)
        began, whole, connection, answer = now(), True, None, b""
        try:
            async with asyncio.timeout(LONGEST):
                if fault == "late":
                    await asyncio.sleep(self._draw.uniform(0, 0.03))
                connection = await self._connection()
                whole = await self._send(connection[1], raw, fault)
                if whole and fault != "unread":
                    answer = await connection[0].readuntil(b"\r\n\r\n")
                    return await self._heard(connection, began, answer)
        except asyncio.IncompleteReadError as error:
            answer += error.partial
        except (OSError, TimeoutError):
            pass
        if connection is not None:
            connection[1].transport.abort()
        return Told(began, inf, 0, b"", whole, bool(answer))

    async def _send(self, writer, raw, fault):
        """Send a request, or a part of it; tell whether it was all."""
        if fault == "half":
            writer.write(raw[: self._draw.randrange(1, len(raw))])
            await asyncio.sleep(self._draw.uniform(0, 0.003))
            return False
        if fault == "parts":
            cut = self._draw.randrange(1, len(raw))
            writer.write(raw[:cut])
            await asyncio.sleep(self._draw.uniform(0, 0.02))
            raw = raw[cut:]
        writer.write(raw)
        if fault == "unread":
            await asyncio.sleep(self._draw.uniform(0, 0.006))
        return True

    async def _heard(self, connection, began, head):
        status = int(head[9:12])
        fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:-2])
        body = await connection[0].readexactly(int(fields.get(b"content-length", 0)))
        ended = now()
        self.answered += 1
        if fields.get(b"connection") == b"close":
            connection[1].close()
        else:
            self._idle.append(connection)
        return Told(began, ended, status, body)

    async def _connection(self):
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(*self.place)

    def written(self, method, path, body, headers):
        """Return a request as it is sent."""
        raw = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        given = {
            "host": "{}:{}".format(*self.place),
            "authorization": f"Bearer {self._token}",
            "content-type": "application/json",
            "content-length": str(len(raw)),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items())]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + raw

    async def close(self):
        """Let go of all connections."""
        for _, writer in self._idle:
            writer.close()
        for _, writer in self._idle:
            with suppress(OSError):
                await writer.wait_closed()
        self._idle.clear()
