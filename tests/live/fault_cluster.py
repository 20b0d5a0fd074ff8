"""A PostgreSQL server of the tests' own, in a temporary directory, on a socket there."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
needs_postgres = pytest.mark.skipif(not FOUND, reason="PostgreSQL's server is not installed here")


class Cluster:
    """A server that can be stopped, killed and started again."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="hush-pg-"))
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self._schemas = 0
        self._call("initdb", "-D", str(self.folder / "data"), "-A", "trust", "-U", "postgres", "-N")
        self.start()

    def _call(self, program, *given):
        command = [str(FOUND[-1].with_name(program)), *given]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(
            command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, timeout=60,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self):
        """Start the server."""
        # Writes reach the system, which goes on living: nothing here cuts the power.
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c max_connections=30"
        log = str(self.folder / "log")
        self._call(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", options, "start"
        )

    def stop(self, mode="fast"):
        """Stop the server; ``immediate`` is a crash."""
        self._call("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", mode, "stop")

    @property
    def address(self):
        """Where the server is reached."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def place(self):
        """Return addresses of a new pair of stores: two schemas, as good as two databases."""
        self._schemas += 1
        found = {}
        with psycopg.connect(self.address, autocommit=True) as connection:
            for half in ("private", "public"):
                name = f"{half}_{self._schemas}"
                connection.execute(f"CREATE SCHEMA {name}")
                found[half] = f"{self.address}&options=-csearch_path%3D{name}"
        return found

    def close(self):
        """Stop the server and leave nothing."""
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster():
    """Return a running server."""
    made = Cluster()
    yield made
    made.close()
