"""Small changes to the private side and to selection rules, one at a time: do tests notice?

``make mutants`` lets mutmut make the changes and run the tests of the rooms that were changed
(``[tool.mutmut]`` in ``pyproject.toml``). It goes on where it was stopped, and tries again what
no test noticed; ``make clean`` begins anew. What no test notices is listed, unless
``mutants.toml`` beside this file says why it changes nothing that matters. Bounds on regret are
not counted: theory's tests have them.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from itertools import accumulate
from pathlib import Path

import hypothesis
import opendp.measurements  # noqa: F401  once, before mutants' processes are forked
import pytest

HERE = Path(__file__).parent
ROOMS = {"mechanisms": "hush.mechanisms", "noise": "hush.noise", "learners and rules": "hush."}
NOT_COUNTED = re.compile(r"ǁ\w*(bounds|first_rounds)__mutmut_\d+$")
LONGEST = 30.0  # seconds of tests for one mutant
ARROW = "  ->  "
KILLED, NOT_RUN = {1, 3, 24, -24, 36, 152, 255}, {None, 2}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Prepare the tests that mutmut runs in every mutant's process.

    Those of its own file come first, then quick ones. What no test notices would meet them all: it
    meets half a minute of them.
    """
    stats = Path("mutmut-stats.json")
    seconds = json.loads(stats.read_text())["duration_by_test"] if stats.exists() else {}
    mutant = os.environ.get("MUTANT_UNDER_TEST", "")
    own = f"test_{mutant.rpartition('.')[0].rpartition('.')[2]}"
    items.sort(key=lambda item: (item.path.stem != own, seconds.get(item.nodeid, 0.0)))
    if "__mutmut_" in mutant:
        reach = accumulate(seconds.get(item.nodeid, 0.0) for item in items)
        items[:] = [item for item, end in zip(items, reach, strict=True) if end <= LONGEST]
    for item in items:
        item._nodeid = item.nodeid  # mutmut 3.8 reads what pytest 9.2 no longer has
        # Whether a mutant is noticed matters, and not by which smallest example.
        test = getattr(item, "obj", None)
        if hypothesis.is_hypothesis_test(test):
            usual = getattr(test, "_hypothesis_internal_use_settings", None)
            phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
            test._hypothesis_internal_use_settings = hypothesis.settings(usual, phases=phases)


def forget_survivors(told):
    """Let what no test noticed be tried again, unless it is known why: tests may be better now."""
    for file in Path("mutants").rglob("*.meta"):
        found = json.loads(file.read_text())
        codes = found["exit_code_by_key"]
        for name in [name for name, code in codes.items() if code not in KILLED | NOT_RUN]:
            if not known_why(function(name), change(name), told):
                codes[name] = None
        file.write_text(json.dumps(found))


def results():
    """Return every mutant's exit code, by name."""
    codes = {}
    for file in sorted(Path("mutants").rglob("*.meta")):
        codes |= json.loads(file.read_text())["exit_code_by_key"]
    return {name: code for name, code in codes.items() if not NOT_COUNTED.search(name)}


def change(name):
    """Return the lines of a change, old and new."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    lines = get_diff_for_mutant(name).splitlines()[2:]
    old, new = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
    )
    return f"{old}{ARROW}{new}"


def function(name):
    """Return the changed function: ``module.Class.method``."""
    module, _, mangled = name.rpartition(".")
    plain = re.sub(r"__mutmut_\d+$", "", mangled)
    return f"{module}.{plain.removeprefix('x').removeprefix('_').strip('ǁ').replace('ǁ', '.')}"


def known_why(place, text, told):
    """Return why a change is known to change nothing, or None."""
    for each in told.get("same", []):
        if (each["function"], each["change"]) == (place, text):
            return each["why"]
    old, new = text.split(ARROW)
    for each in told.get("but_for", []):
        if re.sub(each["words"], "", old) == re.sub(each["words"], "", new):
            return each["why"]
    return None


def main():
    told = tomllib.loads((HERE / "mutants.toml").read_text())
    forget_survivors(told)
    # Which tests reach a function is looked at anew: code may have changed since.
    Path("mutants", "mutmut-stats.json").unlink(missing_ok=True)
    done = subprocess.run([sys.executable, "-m", "mutmut", "run", *sys.argv[1:]], check=False)
    if done.returncode:
        return done.returncode
    codes = results()
    alive = {
        name: (function(name), change(name))
        for name, code in codes.items()
        if code not in KILLED | NOT_RUN
    }
    same = {name for name, what in alive.items() if known_why(*what, told)}
    table = {room: Counter() for room in ROOMS}
    for name, code in codes.items():
        row = table[next(room for room, start in ROOMS.items() if name.startswith(start))]
        row["all"] += 1
        row["killed"] += code in KILLED
        row["same"] += name in same
        row["not run"] += code in NOT_RUN
    table["all"] = sum(table.values(), Counter())
    for room, row in table.items():
        run = row["all"] - row["not run"]
        share = 100.0 * row["killed"] / run if run else 0.0
        print(f"{room}: {row['killed']} of {run} killed ({share:.1f} %), {row['same']} known to")
        print(f"  change nothing, {row['not run']} of {row['all']} not run")
    unknown = [what for name, what in alive.items() if name not in same]
    for place, text in unknown:
        print(f"\nnobody notices, in {place}:\n  {text}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
