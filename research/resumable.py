"""Studies in parts, each kept as a CSV file as soon as it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hush.errors import ParameterError
from hush.output.files import replaced
from hush.output.progress import progress_bar
from hush.version import __version__

__all__ = ["run_parts"]

ABOUT = "about.json"


def run_parts(
    folder: Path,
    parts: Mapping[str, Callable[[], Iterable[Mapping[str, Any]]]],
    totals: Mapping[str, int],
    about: Mapping[str, Any],
) -> dict[str, pd.DataFrame]:
    """Run the parts whose files are missing; return all tables.

    Parameters
    ----------
    folder
        Where the files are. One that holds parts of another size or seed is refused.
    parts
        What gives the rows of each part.
    totals
        How many rows each part has, for the progress bar.
    about
        What the rows depend on, JSON-able.

    Examples
    --------
    >>> parts = {"squares": lambda: ({"n": n, "square": n * n} for n in range(3))}
    >>> tables = run_parts(getfixture("tmp_path"), parts, {"squares": 3}, {"most": 3})
    >>> tables["squares"]["square"].tolist()
    [0, 1, 4]
    """
    known = {"version": __version__, **about}
    _claim(folder, parts, json.dumps(known, sort_keys=True, indent=1) + "\n")
    tables = {}
    for name, part in parts.items():
        path = folder / f"{name}.csv"
        if not path.exists():
            rows = []
            with progress_bar(name, totals[name], None) as advance:
                for row in part():
                    rows.append(row)
                    advance(1)
            with replaced(path) as temporary:
                pd.DataFrame(rows).to_csv(temporary, index=False)
        tables[name] = pd.read_csv(path)
    return tables


def _claim(folder: Path, names: Iterable[str], about: str) -> None:
    """Write what a folder's parts depend on, or raise if it has parts that depend on other."""
    path = folder / ABOUT
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    if there == about:
        return
    if there or any((folder / f"{name}.csv").exists() for name in names):
        raise ParameterError(
            f"{folder} holds parts of another size, seed or version; "
            "choose another folder with --out, or remove it"
        )
    with replaced(path) as temporary:
        temporary.write_text(about, encoding="utf-8", newline="\n")
