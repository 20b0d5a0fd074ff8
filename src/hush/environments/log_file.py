"""Columns of a CSV file, as text."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from hush.errors import ParameterError, unknown_name

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
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            names = [name.strip() for name in next(lines, [])]
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
        raise unknown_name(f"column of {path.name}", name, names)
    if names.count(name) > 1:
        raise ParameterError(f"{path} has several columns of the name {name!r}")
    return names.index(name)
