"""A load for HTTP servers: little Python a request, so that the server is what is measured."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

__all__ = [
    "Load",
    "echo",
    "latencies",
    "post",
    "processor_time",
    "put",
    "serving",
    "throughput",
]

HOST = "127.0.0.1"
CONNECTIONS = 32
PORTS = count(8_700)


def post(path: str, body: bytes, token: str = "", media: str = "application/json") -> bytes:
    """Return the bytes of a request."""
    return _request("POST", path, body, token, media)


def put(path: str, body: bytes, token: str = "") -> bytes:
    """Return the bytes of a request."""
    return _request("PUT", path, body, token, "application/json")


def _request(method: str, path: str, body: bytes, token: str, media: str) -> bytes:
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: {media}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Connection(asyncio.Protocol):
    """Sends a request when the answer to the last is there."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._held = b""
        self._since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._load.free.append(self)

    def ask(self, request: bytes) -> None:
        self._since = time.perf_counter()
        self._transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self._held += data
        head, found, body = self._held.partition(b"\r\n\r\n")
        if not found:
            return
        at = head.lower().find(b"content-length:")
        length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(body) < length:
            return
        self._held = b""
        self._load.answered(self, int(head[9:12]), time.perf_counter() - self._since, body)

    def connection_lost(self, exc: Exception | None) -> None:
        self._load.failed = exc or ConnectionError("the server closed a connection")


class Load:
    """Connections to a server, and what came back over them."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.free: deque[_Connection] = deque()
        self.statuses: dict[int, int] = {}
        self.times: list[float] = []
        self.bodies: list[bytes] | None = None
        self.failed: Exception | None = None
        self._next: Callable[[], bytes] | None = None

    def answered(self, connection: _Connection, status: int, took: float, body: bytes) -> None:
        """Take note of an answer, and ask for the next."""
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.times.append(took)
        if self.bodies is not None:
            self.bodies.append(body)
        if self._next is None:
            self.free.append(connection)
        else:
            connection.ask(self._next())

    async def _open(self, connections: int) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(connections):
            await loop.create_connection(lambda: _Connection(self), HOST, self.port)

    def _stay_awake(self) -> None:
        """Do not sleep on a core of its own: else the server would pay for waking it up."""
        if self._next is not None and len(os.sched_getaffinity(0)) == 1:
            asyncio.get_running_loop().call_soon(self._stay_awake)

    async def closed(self, requests: Iterator[bytes], seconds: float, connections: int) -> float:
        """Let every connection ask as soon as it was answered; return answers a second."""
        await self._open(connections)
        self._next = requests.__next__
        self._stay_awake()
        start = time.perf_counter()
        for each in [self.free.popleft() for _ in range(connections)]:
            each.ask(next(requests))
        await asyncio.sleep(seconds)
        took, many = time.perf_counter() - start, len(self.times)
        self._next = None
        await self._end(connections)
        return many / took

    async def paced(self, requests: Iterator[bytes], seconds: float, rate: float) -> None:
        """Ask at a steady rate, whatever is answered."""
        await self._open(4 * CONNECTIONS)
        start = time.perf_counter()
        for number in range(int(seconds * rate)):
            ahead = start + number / rate - time.perf_counter()
            if ahead > 0:
                await asyncio.sleep(ahead)
            while not self.free:
                await asyncio.sleep(0)
            self.free.popleft().ask(next(requests))
        await self._end(4 * CONNECTIONS)

    async def _end(self, connections: int) -> None:
        while len(self.free) < connections and self.failed is None:
            await asyncio.sleep(0.01)
        failed = self.failed
        for each in self.free:
            each._transport.close()
        if failed is not None:
            raise failed


def throughput(
    port: int,
    requests: Iterator[bytes],
    seconds: float,
    wanted: set[int],
    connections: int = CONNECTIONS,
) -> float:
    """Return answers a second; raise where one had another status."""
    load = Load(port)
    rate = _run(load.closed(requests, seconds, connections))
    if not set(load.statuses) <= wanted:
        raise RuntimeError(f"statuses {load.statuses}, not {wanted}")
    return rate


def latencies(port: int, requests: Iterator[bytes], seconds: float, rate: float) -> list[float]:
    """Return the latencies of requests at a steady rate, sorted."""
    load = Load(port)
    _run(load.paced(requests, seconds, rate))
    return sorted(load.times)


def echo(port: int, requests: list[bytes]) -> list[bytes]:
    """Ask for each once, and return the bodies that came."""
    load = Load(port)
    load.bodies = []

    async def run() -> None:
        await load._open(1)
        for each in requests:
            load.free.popleft().ask(each)
            while not load.free and load.failed is None:
                await asyncio.sleep(0)

    _run(run())
    return load.bodies


def _run(work: object) -> float:
    import uvloop

    return uvloop.run(work)  # type: ignore[arg-type]


@contextmanager
def serving(arguments: list[str], core: int | None = 0) -> Iterator[tuple[int, int, str]]:
    """Run a server; yield its port, its process, and the token that it printed."""
    port = next(PORTS)
    process = subprocess.Popen(
        [sys.executable, *arguments, "--port", str(port)], stdout=subprocess.PIPE, text=True
    )
    if core is not None:
        os.sched_setaffinity(process.pid, {core})  # before it has threads
    token = ""
    assert process.stdout is not None
    for line in process.stdout:
        if "shown this once" in line:
            token = line.split()[-1]
        if "Serving" in line:
            break
    try:
        _wait(port)
        yield port, process.pid, token
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _wait(port: int) -> None:
    for _ in range(600):
        try:
            echo(port, [b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"])
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the server does not answer")


def processor_time(pid: int) -> float:
    """Return the processor time of a process and all below it, in seconds."""
    ticks = os.sysconf("SC_CLK_TCK")
    total, waiting = 0.0, [pid]
    while waiting:
        each = waiting.pop()
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            waiting += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) / ticks
    return total
