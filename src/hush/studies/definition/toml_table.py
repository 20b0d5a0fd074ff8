"""Values out of a TOML table, checked, with errors that name the file and the key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hush.errors import HushError, ParameterError, is_number, unknown_name

__all__ = ["Table", "located"]


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put the file and the key before the message of any error of Hush's that is raised inside.

    >>> with located("mine.toml: epsilon"):
    ...     raise ParameterError("too small")
    Traceback (most recent call last):
    ...
    hush.errors.ParameterError: mine.toml: epsilon: too small
    """
    try:
        yield
    except HushError as error:
        raise type(error)(f"{where}: {error}") from None


class Table:
    """A table of a TOML file: every key is known, and every value is of its kind."""

    def __init__(self, where: str, values: object, known: Iterable[str] | None) -> None:
        if not isinstance(values, Mapping):
            raise ParameterError(f"{where}: must be a table")
        self.where = where
        self.values = dict(values)
        for key in self.values:
            if known is not None and key not in known:
                error = unknown_name("key", key, known)
                raise type(error)(f"{self.at(key)}: {error}")

    def at(self, key: str) -> str:
        """Return where a key stands, for messages."""
        return f"{self.where}{'' if self.where.endswith(': ') else '.'}{key}"

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def refuse(self, key: str, why: str) -> ParameterError:
        """Build the error for a key's value."""
        return ParameterError(f"{self.at(key)}: {why}")

    def get(self, key: str, check: Callable[[Any], Any], default: object = None) -> Any:  # noqa: ANN401
        """Return a checked value, or the default where the key is missing.

        A missing key without a default is an error.
        """
        if key not in self.values:
            if default is None:
                raise self.refuse(key, "is missing")
            return default
        with located(self.at(key)):
            return check(self.values[key])

    def tables(self, key: str, known: Iterable[str] | None) -> list[Table]:
        """Return the tables of an array of tables."""
        values = self.values.get(key, [])
        if not isinstance(values, list):
            raise self.refuse(key, f"must be written as [[{key}]]")
        names = None if known is None else list(known)
        return [Table(f"{self.at(key)}[{n}]", each, names) for n, each in enumerate(values, 1)]


def text(value: object) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ParameterError(f"must be a text; got {value!r}")
    return " ".join(value.split())


def truth(value: object) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ParameterError(f"must be true or false; got {value!r}")
    return value


def number(value: object) -> float:
    """Return a number."""
    if not is_number(value):
        raise ParameterError(f"must be a number; got {value!r}")
    return float(value)


def several(value: object) -> list[Any]:
    """Return a list that is not empty."""
    if not isinstance(value, list) or not value:
        raise ParameterError(f"must be a list that is not empty; got {value!r}")
    return value


def one_or_more(value: object) -> list[Any]:
    """Return a value as a list; a list as it is."""
    return several(value) if isinstance(value, list) else [value]
