"""Columns of a CSV file, as text."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Mapping
from pathlib import Path

from hush.errors import ParameterError, UnknownNameError

__all__ = ["read_columns"]


def read_columns(path: Path, wanted: Mapping[str, str]) -> dict[str, list[str]]:
    r"""Return columns of a CSV file by what they are wanted for.

    Parameters
    ----------
    path
        A file in UTF-8 whose first line names its columns.
    wanted
        The name of the column for each key of what is returned.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "small.csv"
    >>> _ = path.write_text("a,b\n1,2\n3,4\n")
    >>> read_columns(path, {"arm": "b"})
    {'arm': ['2', '4']}
    """
    found: dict[str, list[str]] = {key: [] for key in wanted}
    for name in wanted.values():
        both = [key for key in wanted if wanted[key] == name]
        if len(both) > 1:
            raise ParameterError(f"column {name!r} cannot be that of {both[0]} and of {both[1]}")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            names = [name.strip() for name in next((line for line in lines if line), [])]
            if not names:
                raise ParameterError(f"{path} is empty")
            places = {key: _place(path, names, name) for key, name in wanted.items()}
            for row, cells in enumerate((line for line in lines if line), start=1):
                if len(cells) != len(names):
                    raise ParameterError(
                        f"{path}: row {row} has {len(cells)} cells, and {len(names)} columns have "
                        "names"
                    )
                for key, place in places.items():
                    found[key].append(cells[place].strip())
    except (UnicodeDecodeError, csv.Error):
        raise ParameterError(f"{path} is not a CSV file in UTF-8") from None
    return found


def _place(path: Path, names: list[str], name: str) -> int:
    if name not in names:
        # A first line without names is a row with its reward: of it, only what is near is told.
        near = difflib.get_close_matches(name, [each for each in names if not _is_number(each)], 1)
        hint = (
            f"did you mean {near[0]!r}?"
            if near
            else "its first line must name its columns, with commas between them"
        )
        raise UnknownNameError(f"unknown column of {path.name} {name!r}; {hint}")
    if names.count(name) > 1:
        raise ParameterError(f"{path} has several columns of the name {name!r}")
    return names.index(name)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
