"""What registering costs on the driver's connection, against the same by SQLAlchemy Core.

The statements are those of one group of decisions: count every person, insert the pending rows,
write the lane back, commit. Set ``HUSH_BENCH_POSTGRES`` to the address of an empty database to
measure PostgreSQL too.
"""

from __future__ import annotations

import functools
import itertools
import os
import tempfile
from collections.abc import Callable
from contextlib import closing
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, create_engine, event, insert, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.pool import NullPool, StaticPool

from benchmarks.measure import interleave, processor_seconds
from benchmarks.report import Row, Table
from hush.live.connecting import connect
from hush.live.database import Database
from hush.live.lanes import CHANGED, Lane, Lanes
from hush.live.migrating import create_or_check
from hush.live.registering import COUNT, REGISTER
from hush.live.schema import PRIVATE
from hush.live.sqlite import SQLite

__all__ = ["run"]

GROUPS = (1, 10, 100)
BOUND = 3
DIALECTS = {"sqlite": sqlite, "postgresql": postgresql}
VARIABLE = "HUSH_BENCH_POSTGRES"


def run(quick: bool) -> list[Table]:
    """Measure groups of decisions on every database that there is."""
    repeats, rounds = (2, 50) if quick else (9, 400)
    table = Table(
        "Registering a group of decisions: microseconds a decision, by the driver and by Core",
        notes=(f"Medians of {repeats} interleaved repeats of {rounds} decisions, processor time.",),
    )
    with tempfile.TemporaryDirectory() as folder:
        table.rows += _rows("SQLite", f"{folder}/private.db", repeats, rounds)
    if VARIABLE in os.environ:
        table.rows += _rows("PostgreSQL", os.environ[VARIABLE], repeats, rounds)
    return [table]


def _rows(name: str, address: str, repeats: int, rounds: int) -> list[Row]:
    rows: list[Row] = []
    with closing(connect(address)) as database, _engine(database).connect() as connection:
        create_or_check(database, PRIVATE)
        with database.transaction():
            Lanes(database).make(1, 0, 0)
        for size in GROUPS:
            times = max(rounds // size, 4)
            ways = {"driver": _driver(database), "core": _core(connection)}
            tasks = {way: functools.partial(_cost, ways[way], size, times) for way in ways}
            found = {way: each.median for way, each in interleave(tasks, repeats).items()}
            ratio = found["core"] / found["driver"]
            rows.append({"database": name, "group": size, **found, "core/driver": ratio})
    return rows


def _cost(way: Callable[[list[int]], None], size: int, times: int) -> float:
    groups = [[next(NUMBERS) for _ in range(size)] for _ in range(times)]

    def work() -> None:
        for group in groups:
            way(group)

    return 1e6 / (size * times) * processor_seconds(work)


NUMBERS = itertools.count(1)


def _driver(database: Database) -> Callable[[list[int]], None]:
    lanes, lane = Lanes(database), Lane(1, 1, 0, 0)

    def way(group: list[int]) -> None:
        with database.transaction():
            database.many(COUNT, [(1, _person(each), BOUND) for each in group])
            database.many(REGISTER, [(0, 1, each, 0, 0, _person(each)) for each in group])
            lanes.put([lane])

    return way


def _engine(database: Database) -> Engine:
    """Return an engine that commits as the driver does: without waiting for the disk."""
    if isinstance(database, SQLite):
        made = create_engine("sqlite://", creator=lambda: database.connection, poolclass=StaticPool)
        event.listen(made, "begin", lambda each: each.exec_driver_sql("BEGIN IMMEDIATE"))
        return made
    hasty = {"options": "-c synchronous_commit=off"}
    address = database._address.replace("postgresql://", "postgresql+psycopg://")
    return create_engine(address, poolclass=NullPool, connect_args=hasty)


def _core(connection: Connection) -> Callable[[list[int]], None]:
    people, pending, lanes = (PRIVATE.tables[name] for name in ("people", "pending", "lanes"))
    made: Any = DIALECTS[connection.dialect.name].insert(people)
    count = made.on_conflict_do_update(
        index_elements=["experiment", "person"],
        set_={"given": people.c.given + 1},
        where=people.c.given < BOUND,
    ).returning(people.c.given)
    register = insert(pending)
    names = [name for name in CHANGED if name not in ("closes", "folds")]
    put = (
        update(lanes)
        .where(lanes.c.lane == bindparam("mine"))
        .values({name: bindparam(f"new_{name}") for name in names})
    )
    row = {"mine": 1, **{f"new_{name}": 0 for name in names}}

    def way(group: list[int]) -> None:
        with connection.begin():
            for each in group:  # every person has an answer of her own
                values = {"experiment": 1, "person": _person(each), "given": 1}
                connection.execute(count, values).fetchall()
            connection.execute(
                register,
                [
                    {"batch": 0, "worker": 1, "ordinal": each, "bit": 0, "deadline": 0,
                     "person": _person(each)}
                    for each in group
                ],
            )  # fmt: skip
            connection.execute(put, row)

    return way


def _person(number: int) -> bytes:
    return number.to_bytes(16, "big")
