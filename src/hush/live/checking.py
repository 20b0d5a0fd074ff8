"""Whether a store is in order: its chains, its tables, its sums of decisions, its secret.

Nothing is changed, and others may go on. Findings are plain sentences; they hold no person, no
bit and no sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path

from hush.errors import StoreError
from hush.live.adding_up import adding_up
from hush.live.connecting import connect_existing
from hush.live.database import Database, Row
from hush.live.journal import GENESIS, Entry, Journal
from hush.live.keys import Keys, read_secret
from hush.live.migrating import check_schema, create_or_check
from hush.live.opening import private_address, secret_file
from hush.live.schema import PRIVATE, PUBLIC
from hush.live.sqlite import SQLite

__all__ = ["check"]


def check(
    public: str | Path,
    *,
    private: str | Path | None = None,
    secret: bytes | str | Path | None = None,
) -> list[str]:
    """Look a store over and return what is wrong with it; an empty list if nothing is.

    Both journals must be whole chains, the public one the beginning of the private one; tables
    must be what the journals say; every decision that was ever registered must be in a release, a
    closed batch or an open one, and wait for its reward or not; nobody's count may exceed the
    bound; and the master secret must be the store's.

    Parameters
    ----------
    public, private, secret
        As for :func:`hush.live.open`.

    Examples
    --------
    >>> import tempfile, hush.live
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hush.live.open(f"{folder}/experiments.db").close()
    ...     hush.live.check(f"{folder}/experiments.db")
    []
    """
    hidden = private_address(public) if private is None else private
    with closing(connect_existing(public)) as copy, closing(connect_existing(hidden)) as origin:
        found = [*_schema(copy, "public"), *_schema(origin, "private")]
        if found:
            return found
        # The copy first: what it has, the origin must have had by then.
        with copy.transaction(reading=True), origin.transaction(reading=True):
            found += _secret(public, secret, {"public": copy, "private": origin})
            found += _same_store(copy, origin)
            found += _journal(copy, "public")
            found += _journal(origin, "private")
            found += _prefix(copy, origin)
            found += _plans(copy)
            found += adding_up(origin, copy)
    return found


def _schema(database: Database, name: str) -> Iterator[str]:
    try:
        check_schema(database, {"public": PUBLIC, "private": PRIVATE}[name])
    except StoreError as error:
        yield str(error)


def _about(database: Database, name: str) -> str | None:
    rows = database.run("SELECT value FROM about WHERE name = ?", (name,))
    return rows[0][0] if rows else None


def _secret(
    public: str | Path, secret: bytes | str | Path | None, stores: dict[str, Database]
) -> Iterator[str]:
    try:
        keys = Keys(read_secret(secret, secret_file(public), new=False))
    except StoreError as error:
        yield str(error)
        return
    for name, database in stores.items():
        if _about(database, "check") != keys.check:
            yield f"the {name} store has another master secret than the one that was given"


def _same_store(copy: Database, origin: Database) -> Iterator[str]:
    names = {_about(copy, "store"), _about(origin, "store")}
    if len(names - {"", None}) > 1:  # one that was half made has none
        yield "the private and the public store do not belong together"


def _journal(database: Database, name: str) -> list[str]:
    """Follow the chain, and play it into tables of its own to compare."""
    before, seq, found = GENESIS, 0, []
    with closing(SQLite(":memory:")) as replay:
        create_or_check(replay, PUBLIC)
        played = Journal(replay)
        played.begin()
        totals: dict[str, float] = {}
        for entry in Journal(database).all():
            seq += 1
            if entry.seq != seq or not entry.follows(before):
                return [f"the {name} journal's chain is broken at entry {seq}"]
            before = entry.hash
            found += [f"the {name} journal {each}" for each in _charge(entry, totals)]
            try:
                played.copy(entry)
            except StoreError:
                return [*found, f"the {name} journal's entry {seq} cannot follow the one before"]
        heads = database.run("SELECT seq, hash FROM head")
        if heads != [(seq, before)] and (heads or seq):
            found.append(f"the {name} store's head is not the end of its journal")
        return found + [
            f"the {name} store's table of {table} is not what its journal says ({row[0]})"
            for table, row in _differing(database, replay)
        ]


def _charge(entry: Entry, totals: dict[str, float]) -> Iterator[str]:
    """Add up a population's charges."""
    if entry.kind != "act" or "charge" not in (body := entry.body):
        return
    before = totals.get(body["population"], 0.0)
    after = max(float(Decimal(repr(before)) + Decimal(repr(body["charge"]))), 0.0)
    totals[body["population"]] = body["total"]
    if body["total"] != after:
        yield f"has a wrong total of population {body['population']} at entry {entry.seq}"


TABLES = {
    "experiments": "name, id, state, version, arms, knobs, terms, charges, released",
    "populations": "name, most, total",
    "tokens": "id, digest, scopes, experiments, test, expires, made, revoked, note, seq, version",
}


def _differing(database: Database, replay: Database) -> Iterator[tuple[str, Row]]:
    for table, columns in TABLES.items():
        asked = f"SELECT {columns} FROM {table}"  # noqa: S608
        # Sorted here: databases do not put names into the same order.
        rows, others = (sorted(each.run(asked), key=_first) for each in (database, replay))
        for mine, wanted in zip_longest(rows, others):
            if mine != wanted:
                yield table, mine or wanted
                break


def _first(row: Row) -> str:
    return str(row[0])


def _prefix(copy: Database, origin: Database) -> Iterator[str]:
    mine = Journal(origin).all()
    for entry in Journal(copy).all():
        other = next(mine, None)
        if other is None:
            yield "the private store is older than the public one: opening it quarantines"
            return
        if other.row != entry.row:
            yield f"the two journals differ from entry {entry.seq} on"
            return


def _plans(copy: Database) -> Iterator[str]:
    """Plans are those of the last thing that happened to their experiment."""
    rows = copy.run(
        "SELECT DISTINCT experiments.name FROM experiments LEFT JOIN plans "
        "ON plans.experiment = experiments.id "
        "WHERE plans.version IS NULL OR plans.version <> experiments.version"
    )
    for (name,) in rows:
        yield f"the public store's plan of {name} is not of its last version"
