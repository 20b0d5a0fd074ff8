"""What a database must keep for several connections, threads and processes."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, closing

from hush.errors import MisuseError
from hush.live.database import Database
from hush.live.database_rules import Make, all_rows, equal, put, require

__all__ = ["CONCURRENT_RULES"]

THREADS, TIMES = 8, 25


def _two(make: Make, stack: ExitStack) -> tuple[Database, Database]:
    first, second = (stack.enter_context(closing(make())) for _ in range(2))
    return first, second


def a_transaction_is_seen_as_a_whole(make: Make) -> None:
    """Others see nothing of a transaction before its end, and all of it afterwards."""
    with ExitStack() as stack:
        one, other = _two(make, stack)
        with one.transaction():
            one.run("INSERT INTO kit VALUES (1, 1)")
            equal(all_rows(other), [], "another connection saw half a transaction")
            one.run("INSERT INTO kit VALUES (2, 2)")
        equal(all_rows(other), [(1, 1), (2, 2)], "another connection did not see a commit")


def rows_that_are_kept_wait(make: Make) -> None:
    """Whoever wants to change a row that another keeps sees what the other made of it."""
    with ExitStack() as stack:
        one, other = _two(make, stack)
        put(one, (1, 0))
        begun = threading.Event()

        def follow() -> None:
            begun.set()
            _add_one(other)

        second = threading.Thread(target=follow)
        with one.transaction():
            value = _kept(one)
            second.start()
            begun.wait()
            second.join(0.05)
            require(second.is_alive(), "a row that was kept was changed by another")
            one.run("UPDATE kit SET y = ? WHERE x = 1", (value + 1,))
        second.join(60.0)
        equal(all_rows(one), [(1, 2)], "a change was lost between two connections")


def _kept(database: Database) -> int:
    ((value,),) = database.run(f"SELECT y FROM kit WHERE x = 1{database.locking}")  # noqa: S608
    return int(value)


def _add_one(database: Database) -> None:
    with database.transaction():
        database.run("UPDATE kit SET y = ? WHERE x = 1", (_kept(database) + 1,))


def rows_that_are_kept_can_be_skipped(make: Make) -> None:
    """Two that take what nobody else has never take the same."""
    with ExitStack() as stack:
        one, other = _two(make, stack)
        put(one, (1, 0), (2, 0))
        take = f"SELECT x FROM kit WHERE y = 0 ORDER BY x LIMIT 1{one.skipping}"  # noqa: S608
        taken: list[int] = []

        def follow() -> None:
            with other.transaction():
                taken.extend(x for (x,) in other.run(take))
                other.run("UPDATE kit SET y = 1 WHERE x = ?", (taken[-1],))

        second = threading.Thread(target=follow)
        with one.transaction():
            ((mine,),) = one.run(take)
            second.start()
            second.join(0.1)
            one.run("UPDATE kit SET y = 1 WHERE x = ?", (mine,))
        second.join(60.0)
        equal([mine, *taken], [1, 2], "two connections took the same row, or none")


def reading_is_of_one_moment(make: Make) -> None:
    """Show a reader no later commit, and keep nobody from one."""
    with ExitStack() as stack:
        one, other = _two(make, stack)
        put(one, (1, 1))
        with one.transaction(reading=True):
            equal(all_rows(one), [(1, 1)], "a reader did not see what there is")
            put(other, (2, 2))
            equal(all_rows(one), [(1, 1)], "a reader saw a later commit")
        equal(all_rows(one), [(1, 1), (2, 2)], "a reader never saw the commit")


def a_forked_child_is_refused(make: Make) -> None:
    """Refuse a child: it shares its parent's connection and must not write through it."""
    with closing(make()) as database:
        child = os.fork()
        if child == 0:
            try:
                put(database, (1, 1))
            except MisuseError:
                os._exit(0)
            finally:
                os._exit(1)
        refused = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        require(refused, "a forked child used its parent's connection")
        put(database, (2, 2))
        equal(all_rows(database), [(2, 2)], "the parent's connection broke with a fork")


def fresh_tells_of_others(make: Make) -> None:
    """After another's write a database is not fresh."""
    with ExitStack() as stack:
        one, other = _two(make, stack)
        with one.transaction():
            _ = one.fresh
        put(other, (1, 1))
        with one.transaction():
            require(not one.fresh, "another connection's write went unnoticed")


def threads_share_a_connection(make: Make) -> None:
    """Transactions of threads exclude each other, and none is lost."""
    with closing(make()) as database:
        put(database, (1, 0))

        def work() -> None:
            for _ in range(TIMES):
                _add_one(database)

        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(all_rows(database), [(1, THREADS * TIMES)], "changes of threads were lost")


CONCURRENT_RULES = (
    a_transaction_is_seen_as_a_whole,
    rows_that_are_kept_wait,
    rows_that_are_kept_can_be_skipped,
    reading_is_of_one_moment,
    a_forked_child_is_refused,
    fresh_tells_of_others,
    threads_share_a_connection,
)
