"""What a database must keep for one connection; :mod:`~hush.live.database_checks` runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from hush.errors import HushError, MisuseError, StoreError
from hush.live.database import Database, Overtaken, Row

__all__ = ["RULES", "DatabaseFault", "Make", "all_rows", "equal", "put", "refused", "require"]

Make = Callable[[], Database]
MOST = 2**63 - 1


class DatabaseFault(AssertionError):  # noqa: N818  as a failed assertion it is reported
    """A database broke one of the rules; the message says which."""


def require(condition: bool, message: str) -> None:
    """Raise if a rule is broken."""
    if not condition:
        raise DatabaseFault(message)


def equal(found: object, wanted: object, message: str) -> None:
    """Raise unless two values are equal."""
    require(found == wanted, message)


def refused(error: type[HushError], work: Callable[[], object], message: str) -> None:
    """Raise unless something is refused."""
    try:
        work()
    except error:
        return
    raise DatabaseFault(message)


def put(database: Database, *rows: Sequence[object], durable: bool = False) -> None:
    """Insert rows in one transaction."""
    with database.transaction(durable=durable):
        database.many("INSERT INTO kit VALUES (?, ?)", rows)


def all_rows(database: Database) -> list[Row]:
    """Return all rows."""
    return database.run("SELECT x, y FROM kit ORDER BY x")


def an_error_undoes_the_transaction(make: Make) -> None:
    """After an exception of anybody's nothing is left, and the next transaction works."""
    with closing(make()) as database:

        def fails() -> None:
            with database.transaction():
                database.run("INSERT INTO kit VALUES (1, 1)")
                raise StoreError("planted")

        refused(StoreError, fails, "an error inside a transaction was swallowed")
        equal(all_rows(database), [], "an error left rows behind")
        refused(
            StoreError, lambda: put(database, (1, 1), (1, 2)), "a second row of one key was taken"
        )
        equal(all_rows(database), [], "a refused statement left rows behind")
        put(database, (3, 3))
        equal(all_rows(database), [(3, 3)], "after an error the next transaction was lost")


def an_error_is_never_swallowed_by_the_commit(make: Make) -> None:
    """Where a caller goes on after a refused statement, all the rest is kept, or he is told."""
    with closing(make()) as database:
        told = False
        try:
            with database.transaction():
                database.run("INSERT INTO kit VALUES (1, 1)")
                try:
                    database.run("INSERT INTO kit VALUES (1, 2)")
                except StoreError:
                    pass
                else:
                    raise DatabaseFault("a second row of one key was taken")
        except StoreError:
            told = True
        equal(all_rows(database), [] if told else [(1, 1)], "a transaction was lost without a word")


def errors_hold_no_values(make: Make) -> None:
    """Messages end up in logs; a row does not."""
    with closing(make()) as database:
        put(database, (271828182845, 0))
        try:
            database.run("INSERT INTO kit VALUES (?, ?)", (271828182845, 314159265358))
        except StoreError as error:
            text = f"{error} {error.__cause__}"
            require("271828" not in text and "314159" not in text, "an error showed a row")
        else:
            raise DatabaseFault("a second row of one key was taken")


def durable_transactions_are_taken(make: Make) -> None:
    """Keep what a durable transaction wrote; the next one need not be durable."""
    with closing(make()) as database:
        put(database, (1, 1), durable=True)
        put(database, (2, 2))
        put(database, (3, 3), durable=True)
    with closing(make()) as database:
        equal([x for x, _ in all_rows(database)], [1, 2, 3], "a durable transaction lost rows")


def what_was_sure_and_is_not_undoes_the_transaction(make: Make) -> None:
    """Undo a transaction by the commit at the latest, where a statement finds nothing."""
    add = "UPDATE kit SET y = y + ? WHERE x = ? AND y = ? RETURNING x"
    with closing(make()) as database:
        put(database, (1, 1), (2, 2))
        with database.transaction():
            database.surely(add, [(10, 1, 1), (10, 2, 2)])
        equal(all_rows(database), [(1, 11), (2, 12)], "a statement that found its row was lost")
        try:
            with database.transaction():
                database.many("INSERT INTO kit VALUES (?, ?)", [(3, 3)])
                database.surely(add, [(10, 1, 11), (10, 2, 2)])
        except Overtaken:
            pass
        else:
            raise DatabaseFault("a statement that found nothing was taken")
        equal(all_rows(database), [(1, 11), (2, 12)], "what was overtaken left rows behind")
        put(database, (4, 4))


def returning_returns(make: Make) -> None:
    """INSERT, UPDATE and DELETE say what they did."""
    with closing(make()) as database:
        run = database.run
        made = run("INSERT INTO kit VALUES (?, ?) RETURNING y", (1, 10))
        equal(made, [(10,)], "INSERT ... RETURNING returned something else")
        changed = run("UPDATE kit SET y = y + ? WHERE x = ? RETURNING y", (5, 1))
        equal(changed, [(15,)], "UPDATE ... RETURNING returned something else")
        gone = run("DELETE FROM kit WHERE y > ? RETURNING x", (0,))
        equal(gone, [(1,)], "DELETE ... RETURNING returned something else")
        equal(run("DELETE FROM kit RETURNING x"), [], "DELETE of nothing returned a row")


BOUNDED = (
    "INSERT INTO kit VALUES (?, 1) ON CONFLICT (x) DO UPDATE SET y = kit.y + 1 WHERE kit.y < ?"
)


def an_upsert_stops_at_its_bound(make: Make) -> None:
    """Change nothing beyond the bound, and tell: the statement counts a person's decisions."""
    with closing(make()) as database, database.transaction():
        found = database.changed(BOUNDED, [(7, 3)] * 5)
        equal(found, [True, True, True, False, False], "the bound did not hold")
        equal(all_rows(database), [(7, 3)], "the bound did not hold")


def many_go_in_order(make: Make) -> None:
    """Each row of values is run in its turn, and those that changed nothing are told."""
    with closing(make()) as database:
        put(database, *((x, -x) for x in range(50)))
        database.many("UPDATE kit SET y = 2 * y + ? WHERE x = ?", [(1, 40), (1, 99), (3, 40)])
        equal(database.run("SELECT y FROM kit WHERE x = 40"), [(-155,)], "rows were out of order")
        found = database.changed("DELETE FROM kit WHERE x = ?", [(40,), (3,), (99,)])
        equal(found, [True, True, False], "which rows changed something was told wrongly")
        equal(database.changed("DELETE FROM kit WHERE x = ?", []), [], "nothing changed something")
        percent = database.run("SELECT x % 7 FROM kit WHERE x = 9")
        equal(percent, [(2,)], "a percent sign was taken for something else")


def transactions_do_not_nest(make: Make) -> None:
    """Refuse a transaction inside another: it would commit half of it."""
    with closing(make()) as database:
        with database.transaction():
            database.run("INSERT INTO kit VALUES (1, 1)")
            refused(MisuseError, lambda: put(database, (2, 2)), "a transaction was nested")
        equal(all_rows(database), [(1, 1)], "a refused inner transaction broke the outer one")


EXTREMES: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("BIGINT", (MOST, -MOST - 1, 0, None)),
    ("FLOAT", (5e-324, -1.7976931348623157e308, 0.1, 0.0, None)),
    ("TEXT", ("", "a'b\"c\\d?%s %", "\u00e9\u4e2d\U0001f600", "x" * 100_000, None)),
)


def values_come_back(make: Make) -> None:
    """Whole numbers, floats, texts, bytes and None come back as they were, at their extremes."""
    with closing(make()) as database:
        for kind, values in EXTREMES:
            found = _round_trip(database, kind, values)
            equal(found, list(values), f"a value of type {kind} changed")
            same = all(type(a) is type(b) for a, b in zip(found, values, strict=True))
            require(same, f"a value of type {kind} came back as another type")
        blob = "BLOB" if database.engine().dialect.name == "sqlite" else "BYTEA"
        raw = (b"", bytes(range(256)), b"\0" * 1_000, None)
        found = [each if each is None else bytes(each) for each in _round_trip(database, blob, raw)]
        equal(found, list(raw), "bytes changed")


def _round_trip(database: Database, kind: str, values: Sequence[object]) -> list[Any]:
    with database.transaction():
        database.run(f"CREATE TABLE kit_values (x INTEGER, y {kind})")
        database.many("INSERT INTO kit_values VALUES (?, ?)", enumerate(values))
        found = [row[0] for row in database.run("SELECT y FROM kit_values ORDER BY x")]
        database.run("DROP TABLE kit_values")
    return found


def schema_changes_are_whole(make: Make) -> None:
    """Leave nothing behind of a change of the schema that fails."""
    with closing(make()) as database:

        def fails() -> None:
            with database.engine().begin() as connection:
                connection.exec_driver_sql("CREATE TABLE kit_left (x INTEGER)")
                raise StoreError("planted")

        refused(StoreError, fails, "an error inside a transaction was swallowed")
        require("kit_left" not in database.tables(), "half a change of the schema was left")


def statements_are_announced(make: Make) -> None:
    """Call the probe before any statement and around a commit: tests stop a process there."""
    with closing(make()) as database:
        seen: list[str] = []
        database.probe = seen.append
        with database.transaction():
            database.run("INSERT INTO kit VALUES (1, 1)")
        wanted = ["INSERT INTO kit VALUES (1, 1)", "COMMIT", "COMMITTED"]
        equal(seen[-3:], wanted, "a statement ran without a word")


RULES = (
    an_error_undoes_the_transaction,
    an_error_is_never_swallowed_by_the_commit,
    errors_hold_no_values,
    durable_transactions_are_taken,
    what_was_sure_and_is_not_undoes_the_transaction,
    returning_returns,
    an_upsert_stops_at_its_bound,
    many_go_in_order,
    transactions_do_not_nest,
    values_come_back,
    schema_changes_are_whole,
    statements_are_announced,
)
