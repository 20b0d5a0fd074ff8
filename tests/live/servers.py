"""A PostgreSQL server of the tests' own: started when first asked for, gone with the tests."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg

from hush.live.migrating import create_or_check
from hush.live.postgres import PostgreSQL
from hush.live.schema import PRIVATE, PUBLIC

MISSING = "PostgreSQL is missing"
# Nothing here outlives the machine, unless a test says so.
HASTY = ("fsync=off", "full_page_writes=off")
INSTALLED = Path("/usr/lib/postgresql")
SETTINGS = ("listen_addresses=", "shared_buffers=32MB", "max_connections=60", "timezone=UTC")


def binaries():
    """Return the folder of the server's programs, or None."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    folders = INSTALLED.glob("*/bin/initdb")
    newest = max(folders, key=lambda each: int(each.parts[-3]), default=None)
    return newest and newest.parent


class Server:
    """A cluster in a temporary folder, reached by a socket there.

    Parameters
    ----------
    durable
        Whether commits that are meant to reach the disk do.
    """

    def __init__(self, *, durable=False):
        self.folder = Path(tempfile.mkdtemp(prefix="hush-pg-"))
        self.data = self.folder / "data"
        self._settings = SETTINGS if durable else (*SETTINGS, *HASTY)
        # The server refuses to be run by root.
        self._user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self._user:
            shutil.chown(self.folder, "postgres", "postgres")
        self._names = itertools.count(1)
        self._process = None
        self._templates = False
        made = ["initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"]
        subprocess.run(
            [binaries() / made[0], *made[1:], "-D", self.data],
            check=True,
            capture_output=True,
            cwd=self.folder,
            **self._user,
        )
        self.start()

    def start(self):
        """Start the server, and wait until it answers."""
        options = [word for each in self._settings for word in ("-c", each)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [binaries() / "postgres", "-D", self.data, "-k", self.folder, *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **self._user,
            )
        until = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.address("postgres")).close()
            except psycopg.OperationalError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise
                time.sleep(0.02)
            else:
                return

    def crash(self):
        """Let the server die at once, as it would with a broken process; start it anew by hand."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def close(self):
        """Stop the server, and take its folder away."""
        if self._process.poll() is None:
            self.crash()
        shutil.rmtree(self.folder)

    def address(self, name):
        """Return the address of a database."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def run(self, statement):
        """Run a statement as the server's owner."""
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    @contextmanager
    def databases(self, *templates):
        """Lend new databases, empty (``"template0"``) or with a store's tables."""
        self._make_templates()
        names = [f"hush_{os.getpid()}_{next(self._names)}" for _ in templates]
        for name, template in zip(names, templates, strict=True):
            self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield [self.address(name) for name in names]
        finally:
            for name in names:
                self.run(f"DROP DATABASE {name} WITH (FORCE)")

    def _make_templates(self):
        if self._templates:
            return
        for metadata in (PRIVATE, PUBLIC):
            name = metadata.info["name"]
            self.run(f"CREATE DATABASE {name} TEMPLATE template0")
            database = PostgreSQL(self.address(name))
            create_or_check(database, metadata)
            database.close()
        self._templates = True
