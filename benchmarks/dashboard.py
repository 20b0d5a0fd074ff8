"""The dashboard: pages among many experiments, and what readers cost those who decide."""

from __future__ import annotations

import http.client
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import hush.live
from benchmarks.http_load import HOST, throughput
from benchmarks.measure import interleave
from benchmarks.report import Table
from benchmarks.service import _begin, _Requests, _served
from hush.dashboard.pages import Pages, Viewer
from hush.dashboard.reader import Reader
from hush.dashboard.site import Site

__all__ = ["run"]

ARMS = ["old", "new", "other"]
READERS = 20


def run(quick: bool) -> list[Table]:
    """Measure pages, and decisions with and without readers."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        return [_pages(quick), _readers(quick)]
    finally:
        os.sched_setaffinity(0, before)


def _pages(quick: bool) -> Table:
    many, pages = (200, 2) if quick else (10_000, 20)
    table = Table(
        f"Pages of a store with {many:,} experiments, each with releases",
        notes=(
            f"Medians and the slowest of {pages} pages of 50 experiments, each for the first time.",
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "s.db"
        releases = _fill(place, many)
        site = Site(Pages(Reader.open(place)))
        site.answer("/dashboard", {"q": "none"}, Viewer())  # templates are compiled once
        took, sizes = [], []
        for page in range(1, pages + 1):
            start = time.perf_counter()
            reply = site.answer("/dashboard", {"page": str(page)}, Viewer())
            took.append(1e3 * (time.perf_counter() - start))
            sizes.append(len(reply.body) / 1e3)
        start = time.perf_counter()
        site.answer("/dashboard", {"page": "1"}, Viewer())
        again = 1e3 * (time.perf_counter() - start)
        site.pages.close()
    table.rows.append(
        {
            "releases of each": releases,
            "ms": sorted(took)[len(took) // 2],
            "slowest": max(took),
            "again, in its tick": again,
            "kilobytes": max(sizes),
        }
    )
    return table


def _fill(place: Path, many: int) -> int:
    """Make one experiment with releases by the front door, and copies of it by the back door."""
    clock = hush.live.ManualClock()
    with hush.live.open(place, clock=clock) as store:
        made = store.create("e0", policy="NoiseAwareTS", arms=ARMS, person_epsilon=1.0, window="1h")
        made.start()
        for step in range(6):
            asked = [{"person": f"p{step}-{number}"} for number in range(100)]
            found = made.decide_many(asked)
            made.reward_many([(each, number % 3 == 0) for number, each in enumerate(found)])
            clock.advance("2h")
            store.settle()
        releases = len(made.releases)
        public = store._public
        ((last,),) = public.run("SELECT max(seq) FROM journal")
        with public.transaction():
            others = [(number + 1, f"e{number}") for number in range(1, many)]
            public.many(
                "INSERT INTO experiments SELECT ?, ?, state, version, arms, knobs, terms, charges, "
                "released FROM experiments WHERE id = 1",
                others,
            )
            public.many(
                "INSERT INTO journal SELECT seq + ?, at, kind, ?, body, hash FROM journal "
                "WHERE experiment = 1 AND seq <= ?",
                [(last * number, number + 1, last) for number in range(1, many)],
            )
            public.many(
                "INSERT INTO tallies SELECT ?, segment, arm, served, learnt, firsts, expected, "
                "spread FROM tallies WHERE experiment = 1",
                [(number + 1,) for number in range(1, many)],
            )
            public.run("UPDATE experiments SET version = version + (id - 1) * ?", (last,))
            public.many(
                "INSERT INTO plans SELECT ?, segment, version, body FROM plans "
                "WHERE experiment = 1",
                [(number + 1,) for number in range(1, many)],
            )
    return releases


def _readers(quick: bool) -> Table:
    repeats, seconds = (1, 1.0) if quick else (9, 6.0)
    table = Table(
        f"Decisions a second without readers and with {READERS}",
        notes=(
            f"Medians of {repeats} interleaved repeats of {seconds:g} s. Every reader has two "
            "pages open, which come up to date at every tick of 5 s.",
        ),
    )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port, _, token = stack.enter_context(_served(folder / "experiments.db"))
        _begin(port, token)
        asked = _Requests(port, token)

        def alone() -> float:
            return throughput(port, asked.decisions(), seconds, {201})

        def watched() -> float:
            with _watching(port, token):
                return alone()

        found = interleave({"alone": alone, "watched": watched}, repeats)
        pairs = zip(found["watched"].values, found["alone"].values, strict=True)
        ratios = sorted(a / b for a, b in pairs)
        table.rows.append(
            {
                "alone": found["alone"].median,
                "with readers": found["watched"].median,
                "ratio": ratios[len(ratios) // 2],
            }
        )
    return table


@contextmanager
def _watching(port: int, token: str) -> Iterator[None]:
    ending = threading.Event()
    pages = ("/dashboard", "/dashboard/experiments/checkout")

    def watch(reader: int) -> None:
        tags: dict[str, str] = {}
        ending.wait(5.0 * reader / READERS)
        while not ending.is_set():
            for page in pages:
                connection = http.client.HTTPConnection(HOST, port, timeout=30)
                given = {"cookie": f"hush_token={token}", "if-none-match": tags.get(page, "")}
                connection.request("GET", page, headers=given)
                heard = connection.getresponse()
                heard.read()
                tags[page] = heard.getheader("etag") or ""
                connection.close()
            ending.wait(5.0)

    threads = [threading.Thread(target=watch, args=(reader,)) for reader in range(READERS)]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        ending.set()
        for each in threads:
            each.join()
