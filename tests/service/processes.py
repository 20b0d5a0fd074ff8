"""A real ``hush serve``, in a process of its own, and connections to it that send any bytes."""

import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.service.sites import Heard

COMMAND = [sys.executable, "-c", "from hush.cli import main; main()", "serve"]
PATIENCE = 60.0


@dataclass
class Served:
    """A service that runs: where, and the file that has all that it said."""

    host: str
    port: int
    output: Path
    process: subprocess.Popen

    def said(self):
        return self.output.read_bytes()

    def stop(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)


@contextmanager
def served(store, *options):
    """Serve a store for a while, on a free port."""
    output = store.parent / "said.txt"
    with output.open("wb") as file:
        command = [*COMMAND, str(store), "--port", "0", *options]
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    try:
        yield Served(*_address(process, output), output, process)
    finally:
        process.kill()
        process.wait()


def _address(process, output):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        found = re.search(rb"Serving http://([0-9.]+):([0-9]+)", output.read_bytes())
        if found and _listens(where := (found[1].decode(), int(found[2]))):
            return where
        time.sleep(0.05)
    raise AssertionError(f"it did not start: {output.read_text()}")


def _listens(where):
    """Tell whether it listens yet: the address is said as soon as it is bound."""
    with socket.socket() as probe:
        return probe.connect_ex(where) == 0


class Line:
    """A connection, opened anew whenever the other side has closed it."""

    def __init__(self, at):
        self._at, self._socket, self._rest = at, None, b""

    def close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket, self._rest = None, b""

    def ask(self, sent):
        """Send a request as it is, and return what is answered."""
        head = [sent.method.encode() + b" " + sent.target + b" HTTP/1.1", b"host: localhost"]
        head += [name + b": " + value for name, value in sent.headers]
        if sent.body or sent.method in ("POST", "PUT"):
            head.append(b"content-length: %d" % len(sent.body))
        return self.send(b"\r\n".join(head) + b"\r\n\r\n" + sent.body, sent.method)

    def send(self, raw, method="POST", *, ends=False):
        """Send any bytes; ``ends``: and nothing after them. A status of 0: it just hung up."""
        for attempt in range(2):
            fresh = self._socket is None
            try:
                self._open().sendall(raw)
                if ends:
                    self._socket.shutdown(socket.SHUT_WR)
                return self._heard(method)
            except (BrokenPipeError, ConnectionResetError, EOFError):
                self.close()
                if fresh or attempt:
                    break
        return Heard(0)

    def _open(self):
        if self._socket is None:
            self._socket = socket.create_connection((self._at.host, self._at.port), PATIENCE)
        return self._socket

    def _heard(self, method):
        while b"\r\n\r\n" not in self._rest:
            self._more()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        first, *rows = head.split(b"\r\n")
        headers = dict(row.split(b": ", 1) for row in rows)
        heard = Heard(int(first.split()[1]), headers)
        size = int(headers.get(b"content-length", 0))
        if method != "HEAD" and heard.status not in (204, 304):
            while len(self._rest) < size:
                self._more()
            heard.body, self._rest = self._rest[:size], self._rest[size:]
        if headers.get(b"connection") == b"close":
            self.close()
        return heard

    def _more(self):
        found = self._socket.recv(1 << 16)
        if not found:
            raise EOFError
        self._rest += found
