"""Where scripts are played: in memory, in files, on a server; and the noise that they meet."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import numpy as np
import psycopg
import pytest

import hush.live
from hush.live.schema import PRIVATE, PUBLIC
from hush.live.sqlite import SQLite
from hush.noise import NoiseSource

SECRET = bytes(range(32))
BINARIES = Path("/usr/lib/postgresql/15/bin")


@dataclass(frozen=True)
class Draw:
    """What went into a release, and what came out; every outcome is another number."""

    value: float
    total: int
    epsilon: float


class FrozenOutcomes(NoiseSource):
    """Noise whose outcomes are the same whatever the sums are, and which notes the sums.

    It passes for the deployed source, so nothing can tell a test by it.
    """

    secure = True

    def __init__(self, seed: int = 0) -> None:
        draws = np.random.SeedSequence(seed).spawn(3)
        self._values, self._selection, self._coins = map(np.random.default_rng, draws)
        self._numbers = count(1)
        self.met: list[Draw] = []

    def laplace_ahead(self, *, epsilon: float, sensitivity: int = 1) -> Callable[[int], float]:
        """Take an outcome; what comes back gives it for any sum."""
        value = float(self._values.integers(-2, 8)) + next(self._numbers) * 2.0**-20

        def outcome(total: int) -> float:
            self.met.append(Draw(value, total, epsilon))
            return value

        return outcome

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> float:
        return self.laplace_ahead(epsilon=epsilon)(total)

    def argmax(self, totals, *, epsilon, law, neighbours):
        raise NotImplementedError

    def toss(self, bit, *, chances):
        raise NotImplementedError

    @property
    def selection(self) -> np.random.Generator:
        return self._selection

    @property
    def coins(self) -> np.random.Generator:
        return self._coins

    def state(self) -> dict:
        return {"kind": "secure"}

    def __repr__(self) -> str:
        return "SecureNoise()"


class SameBytes:
    """Random bytes that are the same for every twin."""

    def __init__(self) -> None:
        self._numbers = count()

    def __call__(self, size: int) -> bytes:
        return blake2b(str(next(self._numbers)).encode(), digest_size=size).digest()


def _template(metadata) -> SQLite:
    database = SQLite(":memory:")
    with database.engine().begin() as connection:
        metadata.create_all(connection)
    return database


class _Place:
    """What a place may leave out."""

    def mark(self) -> None:
        """Remember the private store as it is, for a power cut."""

    def unmark(self) -> None:
        """Everything is durable."""

    def forget(self) -> None:
        """Lose power: what came after the mark is forgotten."""

    def end(self) -> bytes:
        """Return what is left on the disk of the public store."""
        return b""


class InMemory(_Place):
    """Two databases without files; a restart makes a new store on the same ones."""

    handles = 1
    _templates: ClassVar[dict[str, SQLite]] = {}

    def __init__(self) -> None:
        if not self._templates:
            self._templates.update(private=_template(PRIVATE), public=_template(PUBLIC))
        self._databases = {name: self._empty(name) for name in self._templates}
        self._marked: bytes | None = None

    def _empty(self, name: str) -> SQLite:
        made = SQLite(":memory:")
        self._templates[name].connection.backup(made.connection)
        return made

    def open(self, **given) -> list[hush.live.Store]:
        with (
            patch.object(hush.live, "_connect", self._databases.__getitem__),
            patch.object(hush.live, "_prepare", _without_inspection),
        ):
            return [hush.live.open("public", private="private", secret=SECRET, **given)]

    def close(self, stores: list[hush.live.Store]) -> None:
        """Keep the databases, which would be gone."""

    def mark(self) -> None:
        if self._marked is None:
            self._marked = self._databases["private"].connection.serialize()

    def unmark(self) -> None:
        self._marked = None

    def forget(self) -> None:
        if self._marked is not None:
            self._databases["private"].connection.deserialize(self._marked)
            self._marked = None

    def lose(self) -> None:
        self._marked = None
        self._databases["private"] = self._empty("private")

    def end(self) -> bytes:
        for database in self._databases.values():
            database.close()
        return b""


def _without_inspection(database, metadata, keys) -> None:
    with patch("hush.live.opening.create_or_check", lambda *_: None):
        _prepared(database, metadata, keys)


_prepared = hush.live._prepare


class Files(_Place):
    """Two files, opened by two processes' worth of connections."""

    handles = 2

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()

    def open(self, **given) -> list[hush.live.Store]:
        path = self._directory / "store.db"
        return [hush.live.open(path, secret=SECRET, **given) for _ in range(self.handles)]

    def close(self, stores: list[hush.live.Store]) -> None:
        for store in stores:
            store.close()

    def lose(self) -> None:
        for path in self._directory.glob("store.private.db*"):
            path.unlink()

    def end(self) -> bytes:
        """Return every byte of the public store."""
        left = sorted(path.name for path in self._directory.iterdir())
        return repr(left).encode() + (self._directory / "store.db").read_bytes()


class Server:
    """A PostgreSQL server in a directory of its own, reached by a socket there."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        data = directory / "data"
        self._as_postgres("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
        options = f"-k {directory} -c listen_addresses= -c fsync=off -c max_connections=40"
        self._as_postgres("pg_ctl", "-w", "-D", data, "-o", options, "-l", "/dev/null", "start")

    def _as_postgres(self, name: str, *arguments: object) -> None:
        command = [str(BINARIES / name), *map(str, arguments)]
        if os.getuid() == 0:  # the server refuses to run as root
            command = ["runuser", "-u", "postgres", "--", *command]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, check=True, cwd="/", **quiet)

    def create(self, name: str) -> str:
        """Make an empty database, and return its address."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self._address(name)

    def _address(self, name: str) -> str:
        return f"postgresql:///{name}?host={self._directory}&user=postgres"

    def stop(self) -> None:
        """Stop the server at once: nobody needs what it holds."""
        self._as_postgres("pg_ctl", "-D", self._directory / "data", "-m", "immediate", "stop")


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a server for a while; skip the test where none is installed."""
    if not (BINARIES / "initdb").exists():
        pytest.skip("PostgreSQL is not installed: nothing was tried on it")
    # The names of sockets are short, so it is not pytest's directory.
    with tempfile.TemporaryDirectory() as directory:
        if os.getuid() == 0:
            shutil.chown(directory, "postgres")
        server = Server(Path(directory))
        try:
            yield server
        finally:
            server.stop()


class OnServer(_Place):
    """Two databases on a server, emptied for every script, opened twice."""

    handles = 2

    def __init__(self, private: str, public: str) -> None:
        self._private, self._public = private, public
        self._empty(private)
        self._empty(public)

    def _empty(self, address: str) -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname='public'")
            ours = {*PRIVATE.tables, *PUBLIC.tables}  # the schema's version stays
            names = ", ".join(f'"{name}"' for (name,) in rows.fetchall() if name in ours)
            if names:
                connection.execute(f"TRUNCATE {names}")

    def open(self, **given) -> list[hush.live.Store]:
        addresses = {"private": self._private, "secret": SECRET}
        return [hush.live.open(self._public, **addresses, **given) for _ in range(self.handles)]

    def close(self, stores: list[hush.live.Store]) -> None:
        for store in stores:
            store.close()

    def lose(self) -> None:
        self._empty(self._private)
