"""How long it takes to start: fresh interpreters that import Hush, NumPy or nothing."""

from __future__ import annotations

import functools
import json
import subprocess
import sys

from benchmarks.measure import Measured, attempt, interleave, seconds
from benchmarks.report import Row, Table

__all__ = ["run"]

BARE = "bare interpreter"
NUMPY = "import numpy"
STARTS = {
    BARE: "pass",
    NUMPY: "import numpy",
    "import hush": "import hush",
    "import hush, make a learner": "import hush; hush.LazyDPTS(epsilon=1).learner(5)",
    "import hush, make a learner, one round": (
        "import hush; x = hush.LazyDPTS(epsilon=1).learner(5); x.update(x.select(), 1)"
    ),
}
HEAVY = ("numba", "pandas", "matplotlib", "scipy", "sklearn", "opendp")
LISTING = f"import json, sys; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"


def run(quick: bool) -> list[Table]:
    """Time each start in a fresh process, and list the heavy modules that it loaded."""
    repeats = 3 if quick else 9
    loaded, failed = {}, {}
    for name, code in STARTS.items():  # also the warm-up: files are in the page cache from here on
        loaded[name], why = attempt(functools.partial(_loaded, code))
        if why is not None:
            failed[name] = why
    tasks = {
        name: functools.partial(_milliseconds, code)
        for name, code in STARTS.items()
        if name not in failed
    }
    found = interleave(tasks, repeats, failed)
    rows = [_row(name, found, loaded) for name in STARTS]
    notes = (
        f"Median of {repeats} interleaved repeats, each a fresh process from start to end.",
        "'loaded' lists which of " + ", ".join(HEAVY) + " are in sys.modules afterwards.",
    )
    return [Table("Starting: milliseconds", rows, notes)]


def _interpreter(code: str) -> list[str]:
    return [sys.executable, "-P", "-c", code]  # -P: the current directory is not searched


def _milliseconds(code: str) -> float:
    command = _interpreter(code)
    return 1000 * seconds(lambda: subprocess.run(command, check=True, capture_output=True))


def _loaded(code: str) -> list[str]:
    done = subprocess.run(
        _interpreter(f"{code}\n{LISTING}"), check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def _row(name: str, found: dict[str, Measured], loaded: dict[str, list[str] | None]) -> Row:
    own, bare, numpy = found[name], found[BARE], found[NUMPY]
    if own.failure is not None:
        return {"start": name, "failed": own.failure}
    row: Row = {"start": name, "ms": own.median, "min": own.low, "max": own.high}
    over_bare = bare.failure is None and name != BARE
    over_numpy = numpy.failure is None and name not in (BARE, NUMPY)
    row["over bare"] = own.median - bare.median if over_bare else None
    row["over numpy"] = own.median - numpy.median if over_numpy else None
    row["x numpy"] = own.median / numpy.median if over_numpy else None
    row["loaded"] = ", ".join(loaded[name] or []) or "none"
    return row
