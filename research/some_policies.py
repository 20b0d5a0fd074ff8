"""A study of some policies only, whose rows go among those that a page has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from hush.errors import ParameterError
from hush.output.document import TableOf
from hush.policies import Policy
from research.pages import Tables

__all__ = ["Classes", "about_some", "among", "merged"]

Classes = Sequence[type[Policy]] | None
Kind = TypeVar("Kind", bound=Policy)


def among(policies: Classes, classes: Iterable[type[Kind]]) -> list[type[Kind]]:
    """Return the classes that are asked for: all if nobody asks.

    >>> import hush
    >>> among([hush.UCB1], [hush.UCBV, hush.UCB1]), len(among(None, [hush.UCBV, hush.UCB1]))
    ([<class 'hush.policies.ucb1.UCB1'>], 2)
    """
    return [each for each in classes if policies is None or each in policies]


def about_some(policies: Classes) -> dict[str, Any]:
    """Return what rows of some policies depend on besides sizes; nothing for all."""
    return {} if policies is None else {"policies": [each.__name__ for each in policies]}


def merged(old: Tables, new: Tables) -> dict[str, TableOf]:
    """Return stored tables with the rows of some policies put in, in the place of older ones.

    Rows of other sizes are refused.

    >>> found = merged({"t": TableOf(("policy", "x"), (("a", "1"), ("b", "2")))},
    ...     {"t": TableOf(("policy", "x"), (("c", "3"), ("a", "4")))})
    >>> found["t"].rows
    (('a', '4'), ('b', '2'), ('c', '3'))
    """
    tables = dict(old)
    for name, table in new.items():
        before = old[name]
        if table.columns != before.columns:
            raise ParameterError(f"the stored table {name} has other columns")
        if table.columns[0] != "policy":
            if table.rows != before.rows:
                raise ParameterError(f"the stored table {name} is of another size or seed")
            continue
        fresh = {row[0]: row for row in table.rows}
        kept = tuple(fresh.pop(row[0], row) for row in before.rows)
        tables[name] = TableOf(before.columns, (*kept, *fresh.values()), numbers=before.numbers)
    return tables
