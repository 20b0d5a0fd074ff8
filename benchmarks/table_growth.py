"""How the tables of live experiments grow: ``python -m benchmarks.table_growth``.

A store of files is filled with decisions, people, replies and releases, and SQLite is asked how
many bytes each table and its indices take.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import hush
import hush.live
from hush.live.database import Database

PEOPLE, CHUNK, SEGMENTS = 50_000, 1_000, 100
SIZE = (
    "SELECT sum(pgsize) FROM dbstat "
    "WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ?)"
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = hush.live.ManualClock()
        store = hush.live.open(Path(folder) / "x.db", clock=clock, noise=hush.SeededNoise(1))
        _fill(store)
        rows = [
            ("a pending decision, until its window is over", _each(store._private, "pending")),
            ("a person, in each experiment that learns from her", _each(store._private, "people")),
            ("an idempotency key, for a window or a day", _each(store._private, "replies")),
        ]
        _release(store, clock)
        journal = _each(store._private, "journal"), _each(store._public, "journal")
        rows.append(("a release, in each of the two stores, for ever", max(journal)))
        for name, size in rows:
            print(f"{size:6.0f} bytes  {name}")
        store.close()


def _fill(store: hush.live.Store) -> None:
    exp = store.create(
        "full", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0, window="30d"
    )
    exp.start()
    for start in range(0, PEOPLE, CHUNK):
        exp.decide_many(
            {"person": f"person {n}", "key": f"request {n}"} for n in range(start, start + CHUNK)
        )


def _release(store: hush.live.Store, clock: hush.live.ManualClock) -> None:
    segments = [f"segment-{n}" for n in range(SEGMENTS)]
    exp = store.create(
        "quick",
        policy="NoiseAwareTS",
        arms=["old", "new"],
        person_epsilon=1.0,
        window="1m",
        segments=segments,
    )
    exp.start()
    for n in range(20):
        exp.decide_many({"person": f"{n} {each}", "segment": each} for each in segments)
    clock.advance("5m")
    store.settle()


def _each(database: Database, table: str) -> float:
    ((size,),) = database.run(SIZE, (table,))
    ((count,),) = database.run(f"SELECT count(*) FROM {table}")
    return float(size) / float(count)


if __name__ == "__main__":
    main()
