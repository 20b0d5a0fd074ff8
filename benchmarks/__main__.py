"""Run the benchmarks, print their tables and leave ``results/bench.json``."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from benchmarks import (
    compiling,
    dashboard,
    experiments,
    first_use,
    frameworks,
    growth,
    leap,
    live,
    live_costs,
    live_statements,
    loop,
    parallel,
    peers,
    posteriors,
    reproducing,
    scaling,
    service,
    service_workers,
    start,
    theory,
)
from benchmarks.report import Table, render, write_json
from hush.simulation.engines import ENGINES
from hush.simulation.interpreting import never_interpret

SECTIONS: dict[str, Callable[[bool], list[Table]]] = {
    "start": start.run,
    "first": first_use.run,
    "compiling": compiling.run,
    "live": live.run,
    "growth": growth.run,
    "costs": live_costs.run,
    "statements": live_statements.run,
    "loop": loop.run,
    "leap": leap.run,
    "parallel": parallel.run,
    "posteriors": posteriors.run,
    "reproducing": reproducing.run,
    "scaling": scaling.run,
    "peers": peers.run,
    "experiments": experiments.run,
    "service": service.run,
    "dashboard": dashboard.run,
    "workers": service_workers.run,
    "frameworks": frameworks.run,
    "theory": theory.run,
}
LIBRARIES = ("hush-dp", "numpy", "numba", "opendp", "river", "mabwiser", "pymab", "optuna")
RESULTS = Path(__file__).resolve().parents[1] / "results" / "bench.json"


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen sections in one process."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short and rough: does it run?")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="this section (again)")
    options = parser.parse_args(arguments)
    about = {
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "versions": {name: _version(name) for name in LIBRARIES},
        "quick": options.quick,
    }
    print(f"Python {about['python']}, {about['machine']}; {_listed(about['versions'])}\n")
    for engine in ENGINES:
        if engine.interpreted:  # compiled loops are measured
            never_interpret(engine.loop("leap"))
    done: dict[str, list[Table]] = {}
    for name in options.only or SECTIONS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        done[name] = SECTIONS[name](options.quick)
        for table in done[name]:
            print(render(table), end="\n\n", flush=True)
    write_json(RESULTS, done, **about)
    print(f"written: {os.path.relpath(RESULTS)}")
    return 0


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _listed(versions: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {version or '(missing)'}" for name, version in versions.items())


if __name__ == "__main__":
    sys.exit(main())
