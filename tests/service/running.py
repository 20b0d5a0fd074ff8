"""A service in processes of its own: ``hush serve``, started, stopped, and its workers killed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from tests.service.sites import EVERYTHING, Heard

import hush.live

COMMAND = (sys.executable, "-c", "from hush.cli import main; main()")
PATIENCE = 60.0
LONG = {
    "name": "long",
    "policy": "NoiseAwareTS",
    "arms": ["old", "new"],
    "person_epsilon": 60.0,
    "person_bound": 2,
    "window": "1h",
}
# Settles while it is watched. At this epsilon noise is 0 but for a chance of e^-30.
SHORT = {
    **LONG,
    "name": "short",
    "window": "1.5s",
    "tick": "0.2s",
    "grace": "0.3s",
    "max_age": "0.5s",
}


def until(true, what, patience=PATIENCE):
    """Wait until something is true, and return it."""
    end = time.monotonic() + patience
    while not (found := true()):
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)
    return found


class Service:
    """A process of ``hush serve`` with its output in files.

    Parameters
    ----------
    given
        What the command is told besides the store.
    """

    def __init__(self, place, folder, *given, port=0):
        words = [place.public, "--port", str(port), *given]
        for option, value in (("--private", place.private), ("--secret", place.secret)):
            words += [option, str(value)] if value is not None else []
        self.files = [Path(folder) / f"{name}-{time.monotonic_ns()}" for name in ("out", "err")]
        with self.files[0].open("wb") as out, self.files[1].open("wb") as err:
            self.process = subprocess.Popen([*COMMAND, "serve", *words], stdout=out, stderr=err)
        self.place, self.token = place, ""

    @property
    def out(self):
        return self.files[0].read_text()

    @property
    def err(self):
        return self.files[1].read_text()

    @property
    def printed(self):
        """Everything that it said."""
        return self.out + self.err

    @property
    def address(self):
        found = re.search(r"Serving (http://\S+) with", self.out)
        return found and found[1]

    def wait_until_ready(self):
        """Wait until a worker answers; return the service."""
        until(lambda: self.address or self.ended, "it says its address")
        assert not self.ended, self.printed
        until(self._is_ready, "it is ready")
        return self

    @property
    def ended(self):
        return self.process.poll() is not None

    def _is_ready(self):
        assert not self.ended, self.printed
        try:
            return self.ask("GET", "/readyz", timeout=2).status == 200
        except OSError:
            return False

    def ask(self, method, path, body=None, *, timeout=30, **headers):
        """Ask for something, once, by a connection of its own."""
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given.setdefault("authorization", f"Bearer {self.token}")
        given.setdefault("content-type", "application/json")
        asked = urllib.request.Request(self.address + path, raw, given, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(asked, timeout=timeout) as told:  # noqa: S310
                return Heard(told.status, dict(told.headers), told.read())
        except urllib.error.HTTPError as told:
            with told:
                return Heard(told.code, dict(told.headers), told.read())

    def begun(self, *terms):
        """Make experiments and start them."""
        for each in terms:
            assert self.ask("POST", "/v1/experiments", each).status == 201
            assert self.ask("POST", f"/v1/experiments/{each['name']}/start", {}).status == 200

    @property
    def workers(self):
        """The processes that answer, of several; a tracker of resources is none of them."""
        pid = self.process.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(each) for each in found if b"spawn_main" in _command(each)]

    def kill_worker(self, which=0):
        """Kill a worker at once; tell whether there was one."""
        workers = self.workers
        if workers:
            os.kill(workers[which % len(workers)], signal.SIGKILL)
        return bool(workers)

    def stop(self):
        """Ask it to end; return its code and how many seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        return code, time.monotonic() - began


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@contextmanager
def serving(place, folder, *given, **options):
    """Serve a store for a while, with a token that may do everything."""
    with hush.live.open(place.public, private=place.private, secret=place.secret) as store:
        token = store.tokens.create(EVERYTHING)
    made = Service(place, folder, *given, **options)
    made.token = token
    try:
        yield made.wait_until_ready()
    finally:
        if not made.ended:
            for each in made.workers:
                os.kill(each, signal.SIGKILL)
            made.process.kill()
            made.process.wait()


def wrong_with(place):
    """Look a store over."""
    return hush.live.check(place.public, private=place.private, secret=place.secret)


def stop_database(server):
    """Let a PostgreSQL server end in good order: connections are cut, and all is kept."""
    server._process.send_signal(signal.SIGINT)
    server._process.wait(PATIENCE)
