"""A conformance kit for databases: what every backend of a store must keep, whoever wrote it.

A backend is a subclass of :class:`~hush.live.database.Database`. In your own test:

    @pytest.mark.parametrize("check", yield_database_checks(lambda: MyDatabase(ADDRESS)), ids=str)
    def test_my_database_conforms(check):
        check()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

from hush.live.concurrent_rules import CONCURRENT_RULES
from hush.live.database_rules import RULES, DatabaseFault, Make

__all__ = ["DatabaseCheck", "DatabaseFault", "check_database", "yield_database_checks"]

TABLE = "CREATE TABLE kit (x BIGINT NOT NULL PRIMARY KEY, y BIGINT)"


@dataclass(frozen=True)
class DatabaseCheck:
    """One rule, ready to be called: it raises :class:`DatabaseFault` where it is broken."""

    name: str
    rule: Callable[[Make], None]
    make: Make

    def __call__(self) -> None:
        """Run the check, on a table that is there for as long as it runs."""
        with closing(self.make()) as database:
            if "kit" in database.tables():
                database.run("DROP TABLE kit")
            database.run(TABLE)
        try:
            self.rule(self.make)
        finally:
            with closing(self.make()) as database:
                database.run("DROP TABLE kit")

    def __str__(self) -> str:
        return self.name


def yield_database_checks(make: Make) -> Iterator[DatabaseCheck]:
    """Yield every check by name, so that each can be reported.

    Parameters
    ----------
    make
        Returns another connection to the same database each time, in which a table named ``kit``
        may be made.
    """
    for rule in (*RULES, *CONCURRENT_RULES):
        yield DatabaseCheck(rule.__name__, rule, make)


def check_database(make: Make) -> None:
    """Run every check on a database; raise :class:`DatabaseFault` at the first fault.

    Examples
    --------
    >>> import tempfile
    >>> from hush.live.sqlite import SQLite
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_database(lambda: SQLite(f"{folder}/kit.db"))
    """
    for check in yield_database_checks(make):
        check()
