"""Connections to a real ``hush serve`` that send any bytes."""

import socket
from contextlib import contextmanager
from urllib.parse import urlsplit

from tests.service.running import PATIENCE, Service
from tests.service.sites import Heard

from hush.service import Place


@contextmanager
def served(path, *given):
    """Serve a store for a while, just as it is."""
    made = Service(Place(str(path)), path.parent, *given)
    try:
        yield made.wait_until_ready()
    finally:
        if not made.ended:
            made.process.kill()
            made.process.wait()


class Line:
    """A connection, opened anew whenever the other side has closed it."""

    def __init__(self, service):
        where = urlsplit(service.address)
        self._where, self._socket, self._rest = (where.hostname, where.port), None, b""

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
            self._socket = socket.create_connection(self._where, PATIENCE)
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
