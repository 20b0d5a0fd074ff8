"""Lengths of time, as people write them."""

from __future__ import annotations

import re
from datetime import timedelta

from hush.errors import ParameterError, is_finite, is_number, shown

__all__ = ["milliseconds", "readable"]

UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
LONGEST = 100 * 366 * UNITS["d"]


def milliseconds(name: str, value: object) -> int:
    """Return milliseconds: of ``"90s"``, ``"1d"``, a number of seconds, or a timedelta.

    >>> milliseconds("window", "1d"), milliseconds("window", 1.5)
    (86400000, 1500)
    >>> milliseconds("window", timedelta(hours=1))
    3600000
    """
    found: int | None = None
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, str):
        parts = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*(ms|s|m|h|d|w)\s*", value, re.ASCII)
        if parts is not None:
            found = round(float(parts[1]) * UNITS[parts[2]])
    elif is_number(value) and is_finite(value) and 0 <= value <= LONGEST:
        found = round(float(value) * 1_000)
    if found is None or found > LONGEST:
        raise ParameterError(
            f'{name} must be a length of time such as "90s", "15m", "1d", a timedelta, or a '
            f"number of seconds that is not negative; got {shown(value)}"
        )
    return found


def readable(length: int) -> str:
    """Return a length of time as people write it.

    >>> readable(86_400_000), readable(90_000), readable(0)
    ('1d', '90s', '0s')
    """
    for unit in ("w", "d", "h", "m", "s"):
        if length and length % UNITS[unit] == 0:
            return f"{length // UNITS[unit]}{unit}"
    return f"{length}ms" if length else "0s"
