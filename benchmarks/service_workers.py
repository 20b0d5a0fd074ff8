"""The service on PostgreSQL: what a second worker costs in processor time and lock waits."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from tests.live import servers

from benchmarks.http_load import CONNECTIONS, processor_time, serving, throughput
from benchmarks.report import Table
from benchmarks.service import SERVE, _begin, _Requests

__all__ = ["run"]

WAITING = (
    "SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FROM pg_stat_activity "
    "WHERE state = 'active' AND datname LIKE '%%' AND pid <> pg_backend_pid()"
)


def run(quick: bool) -> list[Table]:
    """Measure decisions on PostgreSQL with one worker and with two."""
    table = Table(
        "Decisions on PostgreSQL by the number of workers, on all cores",
        notes=(
            f"{CONNECTIONS} connections to each worker.",
            "Processor time is that of the workers, and of the database's processes beside it;",
            "lock waits are the share of looks, every 5 ms, at backends that were busy and waited.",
        ),
    )
    if servers.binaries() is None:
        table.rows.append({"workers": "1, 2", "failed": servers.MISSING})
        return [table]
    repeats, seconds = (1, 1.0) if quick else (5, 5.0)
    server = servers.Server(durable=True)
    try:
        found: dict[int, list[dict[str, float]]] = {1: [], 2: []}
        for _ in range(repeats):
            for workers, runs in found.items():
                runs.append(_measured(server, workers, seconds))
    finally:
        server.close()
    first = None
    for workers, runs in found.items():
        middle = {key: sorted(each[key] for each in runs)[len(runs) // 2] for key in runs[0]}
        first = first or middle
        table.rows.append(
            {
                "workers": workers,
                **middle,
                "times one worker's": middle["worker us"] / first["worker us"],
            }
        )
    return [table]


def _measured(server: servers.Server, workers: int, seconds: float) -> dict[str, float]:
    with server.databases("public", "private") as (public, private):
        command = [*SERVE, public, "--private", private, "--decisions", "0"]
        with (
            _secret(),
            serving([*command, "--workers", str(workers)], core=None) as (port, pid, token),
        ):
            _begin(port, token)
            asked = _Requests(port, token)
            load = CONNECTIONS * workers
            throughput(port, asked.decisions(), seconds / 5, {201}, load)
            before, backends = processor_time(pid), processor_time(server._process.pid)
            with _looking(private) as looks:
                rate = throughput(port, asked.decisions(), seconds, {201}, load)
            many = rate * seconds
            waited, busy = sum(a for a, _ in looks), sum(b for _, b in looks)
            return {
                "a second": rate,
                "worker us": 1e6 * (processor_time(pid) - before) / many,
                "database us": 1e6 * (processor_time(server._process.pid) - backends) / many,
                "lock waits": waited / max(busy, 1),
            }


@contextmanager
def _secret() -> Iterator[None]:
    os.environ["HUSH_MASTER_SECRET"] = os.urandom(32).hex()
    try:
        yield
    finally:
        del os.environ["HUSH_MASTER_SECRET"]


@contextmanager
def _looking(address: str) -> Iterator[list[tuple[int, int]]]:
    looks: list[tuple[int, int]] = []
    ending = threading.Event()

    def look() -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            while not ending.wait(0.005):
                row = connection.execute(WAITING).fetchone()
                looks.append(row or (0, 0))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield looks
    finally:
        ending.set()
        thread.join()
