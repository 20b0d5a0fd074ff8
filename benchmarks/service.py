"""The service: decisions and rewards over HTTP beside a bare echo of the same server."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import timeit
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import hush.live
from benchmarks.experiments import ARMS, _fill_experiments
from benchmarks.http_load import (
    CONNECTIONS,
    echo,
    latencies,
    post,
    processor_time,
    put,
    serving,
    throughput,
)
from benchmarks.measure import Measured, interleave
from benchmarks.report import Table
from hush.service.access import Gate, _genuine

__all__ = ["run"]

SERVE = ["-c", "from hush.cli import main; main()", "serve"]
TERMS = {
    "name": "checkout",
    "policy": "NoiseAwareTS",
    "arms": ARMS,
    "person_epsilon": 1.0,
    "person_bound": 4,
}
DECISIONS = "/v1/experiments/checkout/decisions"
LINES = "application/x-ndjson"


def run(quick: bool) -> list[Table]:
    """Measure throughput, latencies, the check of a token, and many experiments."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})  # the server has the other core
    try:
        return [*_beside_echo(quick), _token_check(quick), _experiments(quick)]
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def _served(store: Path, *more: str) -> Iterator[tuple[int, int, str]]:
    with serving([*SERVE, str(store), "--decisions", "0", *more]) as served:
        yield served


def _begin(port: int, token: str) -> None:
    said = echo(
        port,
        [
            post("/v1/experiments", json.dumps(TERMS).encode(), token),
            post("/v1/experiments/checkout/start", b"{}", token),
        ],
    )
    assert json.loads(said[1])["state"] == "running", said


def _people() -> Iterator[str]:
    return (f"person-{number}" for number in count())


class _Requests:
    """Requests for one server, each of another person or decision."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token, self._people = port, token, _people()

    def decisions(self) -> Iterator[bytes]:
        for person in self._people:
            yield post(DECISIONS, b'{"person":"%s"}' % person.encode(), self.token)

    def batches(self, size: int = 100) -> Iterator[bytes]:
        while True:
            lines = b"".join(
                b'{"experiment":"checkout","person":"%s"}\n' % next(self._people).encode()
                for _ in range(size)
            )
            yield post("/v1/batch/decisions", lines, self.token, LINES)

    def rewards(self, many: int) -> Iterator[bytes]:
        made: list[str] = []
        batches = self.batches(1_000)
        while len(made) < many:
            (body,) = echo(self.port, [next(batches)])
            made += [json.loads(line)["decision"] for line in body.splitlines()]
        said = [put(f"/v1/decisions/{each}/reward", b'{"value":1}', self.token) for each in made]
        return (said[number % len(said)] for number in count())


def _beside_echo(quick: bool) -> list[Table]:
    repeats, seconds = (1, 0.5) if quick else (21, 1.0)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bare, bare_pid, _ = stack.enter_context(serving(["-m", "benchmarks.echo_server"]))
        port, pid, token = stack.enter_context(_served(folder / "experiments.db"))
        crowded, crowded_pid, its = stack.enter_context(_served(folder / "crowded.db"))
        _begin(port, token)
        _begin(crowded, its)
        asked, crowd = _Requests(port, token), _Requests(crowded, its)
        pool = int(4_000 * seconds)
        costs: dict[str, list[float]] = {}

        def task(
            name: str, at: tuple[int, int], make: Make, wanted: int, connections: int, size: int
        ) -> Callable[[], float]:
            def work() -> float:
                requests, before = make(), processor_time(at[1])
                rate = size * throughput(at[0], requests, seconds, {wanted}, connections)
                took = processor_time(at[1]) - before
                costs.setdefault(name, []).append(1e6 * took / (rate * seconds))
                return rate

            return work

        own, other = (port, pid), (crowded, crowded_pid)
        given: dict[str, tuple[tuple[int, int], Make, int, int, int]] = {
            "echo": ((bare, bare_pid), asked.decisions, 201, CONNECTIONS, 1),
            "decide": (own, asked.decisions, 201, CONNECTIONS, 1),
            "reward": (other, lambda: crowd.rewards(pool), 204, CONNECTIONS, 1),
            "decide, 100 lines": (other, crowd.batches, 200, 4, 100),
        }
        found = interleave({name: task(name, *each) for name, each in given.items()}, repeats)
        table = Table(
            "The service on one core: requests a second beside a bare echo",
            notes=(
                f"Medians of {repeats} interleaved repeats of {seconds:g} s; {CONNECTIONS} "
                "connections, from the other core.",
                "Echo: the same server and messages, no routes, tokens or store. Of its processor",
                "time: the echo's over the request's, which hardly depends on what else runs.",
                "Lines, and the decisions that rewards are for, are in a store of their own: they",
                "would make that of single decisions grow five times as fast as those do.",
            ),
        )
        for name, each in found.items():
            if each.failure is not None:
                table.rows.append({"request": name, "failed": each.failure})
                continue
            table.rows.append(
                {
                    "request": name,
                    "a second": each.median,
                    "of the echo": _ratio(each.values, found["echo"].values),
                    "processor us": statistics.median(costs[name]),
                    "of its processor time": _ratio(costs["echo"], costs[name]),
                }
            )
        return [table, _half_load(quick, {"echo": bare, "decide": port}, asked, found["decide"])]


Make = Callable[[], Iterator[bytes]]


def _ratio(above: list[float], below: list[float]) -> float:
    """Return the median of the ratios of values that were measured in turns."""
    return statistics.median(a / b for a, b in zip(above, below, strict=False))


def _half_load(quick: bool, ports: dict[str, int], asked: _Requests, most: Measured) -> Table:
    rate, length, times = most.median / 2, 1.0 if quick else 10.0, 1 if quick else 3
    table = Table(
        "Latency at half of that load: milliseconds",
        notes=(
            f"{rate:,.0f} requests a second for {length:g} s, three times, in turns; medians.",
            "Stolen: the share of this machine's time that its host gave to others.",
            "Times the echo's: p99 / p50 over that of the echo just before.",
        ),
    )
    found: dict[str, list[dict[str, float]]] = {name: [] for name in ports}
    for _ in range(times):
        for name, port in ports.items():
            found[name].append(_waits(port, asked, rate, length))
    for name, runs in found.items():
        row = {key: statistics.median(each[key] for each in runs) for key in runs[0]}
        tails = [[each["p99 / p50"] for each in some] for some in (runs, found["echo"])]
        table.rows.append({"request": name, **row, "times the echo's": _ratio(*tails)})
    return table


def _waits(port: int, asked: _Requests, rate: float, seconds: float) -> dict[str, float]:
    before = _stolen()
    times = latencies(port, asked.decisions(), seconds, rate)
    after = _stolen()
    share = {name: 1e3 * times[int(len(times) * at)] for name, at in SHARES.items()}
    stolen = (after[0] - before[0]) / max(after[1] - before[1], 1)
    return {**share, "p99 / p50": share["p99"] / share["p50"], "stolen": stolen}


def _stolen() -> tuple[int, int]:
    """Return the time that was stolen from this machine, and all time, in ticks."""
    with open("/proc/stat") as file:  # noqa: PTH123
        ticks = [int(each) for each in file.readline().split()[1:9]]
    return ticks[7], sum(ticks)


SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


def _token_check(quick: bool) -> Table:
    with hush.live.open(":memory:") as store:
        texts = [store.tokens.create(["decide"]) for _ in range(100)]
        gate = Gate(store._clock.read)
        gate.learn(store.tokens.all())
    header = f"Bearer {texts[50]}".encode()
    wrong = f"Bearer {texts[50][:-1]}".encode()
    number = 1_000 if quick else 100_000
    table = Table("The check of a token: microseconds", notes=("Least of 5 repeats.",))
    known, _ = gate._tokens
    for name, check in {
        "valid": lambda: gate.access(header),
        "valid, the first time": lambda: _genuine(header, known),
        "not one": lambda: gate.access(wrong),
    }.items():
        took = min(timeit.repeat(check, number=number, repeat=5))
        table.rows.append({"token": name, "a check": 1e6 * took / number})
    return table


def _experiments(quick: bool) -> Table:
    """Measure throughput with one experiment, and spread over many."""
    repeats, seconds, many = (1, 0.5, 50) if quick else (5, 3.0, 10_000)
    table = Table(
        "Decisions a second by the number of running experiments",
        notes=(f"Medians of {repeats} interleaved repeats; each request to another of them.",),
    )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        tasks: dict[str, Callable[[], float]] = {}
        for number in (1, many):
            place = folder / f"many-{number}.db"
            with hush.live.open(place) as store:
                _fill_experiments(store, number)
            port, _, token = stack.enter_context(_served(place))
            tasks[str(number)] = _spread(port, token, number, seconds)
        for task in tasks.values():
            task()
        found = interleave(tasks, repeats)
        first = found["1"].median
        for name, each in found.items():
            table.rows.append(
                {
                    "experiments": int(name),
                    "a second": each.median,
                    "times fewer": first / each.median,
                }
            )
    return table


def _spread(port: int, token: str, number: int, seconds: float) -> Callable[[], float]:
    people, places = _people(), count()

    def requests() -> Iterator[bytes]:
        for place in places:
            path = f"/v1/experiments/e{place * 7919 % number}/decisions"
            yield post(path, b'{"person":"%s"}' % next(people).encode(), token)

    warm = [request for request, _ in zip(requests(), range(number), strict=False)]
    echo(port, warm)
    return lambda: throughput(port, requests(), seconds, {201})
