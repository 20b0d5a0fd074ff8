"""Serving a store with uvicorn: one process or several, on this machine or behind a proxy."""

from __future__ import annotations

import gc
import ipaddress
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

import hush.live
from hush.dashboard.pages import Pages
from hush.dashboard.reader import Reader
from hush.dashboard.site import Site
from hush.errors import MisuseError, StoreError
from hush.live.granting import SCOPES
from hush.service.application import App
from hush.service.board import Board, Showing
from hush.service.core import Core, Settings

__all__ = ["Place", "first_token", "serve", "show"]

STARTING = 30
ENDING = 20  # managers of processes kill after 30 seconds
AWAY = 20.0
BACKLOG = 2_048


@dataclass(frozen=True)
class Place:
    """The store that is served, by its addresses; workers are told of it and open it themselves.

    Its repr leaves out the addresses, which may hold passwords.
    """

    public: str = field(repr=False)
    private: str | None = field(default=None, repr=False)
    secret: Path | None = field(default=None, repr=False)

    def open(self) -> hush.live.Store:
        """Open the store; every process has its own worker id."""
        return hush.live.open(self.public, private=self.private, secret=self.secret)


@dataclass(frozen=True)
class _Application:
    """Makes the application in a worker: plain data, so that it can be sent there."""

    place: Place
    settings: Settings

    def __call__(self) -> App:
        keep_log()
        gc.collect()
        gc.freeze()  # what was imported stays: it need not be looked through again and again
        gc.set_threshold(50_000, 20, 100)  # requests make many objects, and hardly a cycle
        return App(self._core)

    def _core(self) -> Core:
        """Open the store; a database that is away for a moment must not end the service."""
        until = time.monotonic() + AWAY
        while True:
            try:
                return Core(self.place.open(), self.settings)
            except StoreError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)


@dataclass(frozen=True)
class _Dashboard:
    """Makes the pages alone."""

    public: str = field(repr=False)
    local: bool = True

    def __call__(self) -> Showing:
        return Showing(Board(Site(Pages(Reader.open(self.public))), local=self.local))


class _Workers(Multiprocess):
    """Processes that share the work, each replaced when it dies."""

    def keep_subprocess_alive(self) -> None:
        """Look after all of them, one by one."""
        for each in self.processes:
            # The worker has its own end: else one that dies while it is asked is waited for.
            each.child_conn.close()
        super().keep_subprocess_alive()

    def run(self) -> None:
        """Serve until a signal comes."""
        super().run()
        if any(each.exitcode == STARTUP_FAILURE for each in self.processes):
            raise StoreError("a worker could not start; its own words are above")


def keep_log() -> None:
    """Let a process log to its error output, with the time; the workers of many do it each."""
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def first_token(place: Place) -> str | None:
    """Return a token for everything, where the store has none yet; it is shown this once."""
    with place.open() as store:
        if store.tokens.all():
            return None
        return store.tokens.create(SCOPES, note="the first one")


def serve(
    place: Place,
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    behind_proxy: bool = False,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a store until a signal ends it; what is under way is finished first.

    Parameters
    ----------
    host, port
        Where to listen; port 0 takes a free one.
    behind_proxy
        Whether a proxy in front has TLS: else only this machine may connect.
    ready
        Told the address, once it is bound.
    """
    _run(_Application(place, settings), settings.workers, host, port, behind_proxy, ready)


def show(
    public: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8001,
    behind_proxy: bool = False,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Show a public store in a browser, read-only, until a signal ends it.

    Parameters
    ----------
    public
        The public store: a path or an address. The private one is not needed.
    host, port, behind_proxy, ready
        As for :func:`serve`; whoever can connect may look.
    """
    Reader.open(public).close()  # what is wrong with it is said before anything listens
    _run(_Dashboard(public, not behind_proxy), 1, host, port, behind_proxy, ready)


def _run(
    application: Callable[[], Any],
    workers: int,
    host: str,
    port: int,
    behind_proxy: bool,
    ready: Callable[[str], None],
) -> None:
    if not behind_proxy and not _is_loopback(host):
        raise MisuseError(
            f"{host} can be reached from elsewhere, and tokens and people would cross the network "
            "in the open: put a proxy with TLS in front and say --behind-proxy"
        )
    config = uvicorn.Config(
        application,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=ENDING,
        timeout_worker_healthcheck=STARTING,
    )
    keep_log()
    listening = _bound(host, port)
    name, taken = listening.getsockname()[:2]
    try:
        ready(f"http://{f'[{name}]' if ':' in name else name}:{taken}")
        if workers > 1:
            _Workers(config, [listening]).run()
        else:
            server = uvicorn.Server(config)
            with _ended_by_signals(server):
                server.run([listening])
    finally:
        listening.close()


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let signals end a server and not the process: uvicorn raises them again when it has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        server.should_exit = True

    before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; uvicorn would not say where it cannot.

    It listens at once: two that are only bound may share a port, and one of them would wait for
    callers in vain.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError as error:
        raise StoreError(f"{host}:{port} cannot be listened on: {error.strerror}") from None
    made.set_inheritable(True)
    return made
