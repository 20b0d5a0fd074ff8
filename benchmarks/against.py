"""Two trees in one run: ``python -m benchmarks.against OTHER`` prints what this Hush costs over it.

``OTHER`` is the interpreter of an environment in which another version of Hush is installed. Both
are measured in turn, in fresh processes with nothing compiled, by processor time, the best of
all repeats. This file is run by the other interpreter as well, so it uses public names only.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HORIZON, FAR, LIVE_ROUNDS = 10**6, 10**12, 5000
SLOW_LOOPS = {"KLUCB", "UCBV", "DPTS", "TreeDPUCB", "DPUCBBound", "DecreasingHedge"}
SLOW_LEAPS = {"LazyDPTS", "NoiseAwareTS"}
SLOW_LIVE = {"KLUCB", "DPTS", "TreeDPUCB", "DPUCBBound"}
SHORTEST = 0.05  # seconds: what is compiled in less was compiled with another policy
KINDS = ("compile loop", "compile leap", "loop", "leap near", "leap far", "live 5", "live 100")


def _cost(work: Callable[[], object], repeats: int = 1) -> float:
    costs = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        costs.append(time.process_time() - start)
    return min(costs)


def measure(only: list[str]) -> dict[str, dict[str, float]]:
    """Return the processor seconds of each policy's work, by kind; of all, if none is named."""
    import hush
    from hush.policies import REGISTERED

    found: dict[str, dict[str, float]] = {}
    hush.simulate(hush.FTL(), hush.paper_s1(), horizon=10, runs=1, seed=7, engine="rounds")
    for cls in REGISTERED:
        if only and cls.__name__ not in only:
            continue
        losses = {"epsilon": 0.5, "rho": 0.125}
        stated = [name for name in losses if name in cls.__dataclass_fields__][:1]
        policy = cls(**{name: losses[name] for name in stated})
        found[cls.__name__] = _of(hush, policy, cls.__name__)
    return found


def _of(hush, policy, name: str) -> dict[str, float]:
    environment = hush.paper_s1()

    def play(horizon: int, runs: int, engine: str) -> object:
        return hush.simulate(
            policy,
            environment,
            horizon=horizon,
            runs=runs,
            engine=engine,
            seed=7,
            checkpoints=[min(horizon, 1000)],
            progress=False,
            workers=1,
        )

    rounds = HORIZON // (10 if name in SLOW_LOOPS else 3)
    costs = {
        "compile loop": _cost(lambda: play(1000, 1, "rounds")),
        "loop": _cost(lambda: play(rounds, 2, "rounds"), 3),
    }
    try:
        costs["compile leap"] = _cost(lambda: play(1000, 1, "leap"))
    except hush.ParameterError:
        pass  # it has no leap
    else:
        runs = 20 if name in SLOW_LEAPS else 512
        costs["leap near"] = _cost(lambda: play(HORIZON, runs, "leap"), 3)
        costs["leap far"] = _cost(lambda: play(FAR, runs, "leap"), 3)
    if policy.feedback == "bandit" and name not in SLOW_LIVE:
        for n_arms in (5, 100):
            costs[f"live {n_arms}"] = _cost(lambda n_arms=n_arms: _live(policy, n_arms), 3)
    return costs


def _live(policy, n_arms: int) -> None:
    learner = policy.with_horizon(HORIZON).learner(n_arms)
    for t in range(LIVE_ROUNDS):
        learner.update(learner.select(), t & 1)


def _measured_by(interpreter: str, only: list[str]) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [interpreter, "-P", str(Path(__file__).resolve()), "--measure", *_chosen(only)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"NUMBA_CACHE_DIR": folder},
        )
    return json.loads(done.stdout)


def _chosen(only: list[str]) -> list[str]:
    return [word for name in only for word in ("--only", name)]


def _best(results: list[dict[str, dict[str, float]]]) -> dict[tuple[str, str], float]:
    keys = {(name, kind) for each in results for name, of in each.items() for kind in of}
    return {key: min(each[key[0]][key[1]] for each in results) for key in keys}


def main() -> int:
    """Measure both trees in turn and print the ratios: above 1, this tree is slower."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("other", nargs="?", help="another environment's interpreter")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", action="append", default=[], help="this policy (again)")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        json.dump(measure(options.only), sys.stdout)
        return 0
    if options.other is None:
        parser.error("whose Hush? Give an interpreter's path")
    from benchmarks.report import Table, render
    from hush.policies import REGISTERED

    unknown = set(options.only) - {cls.__name__ for cls in REGISTERED}
    if unknown:
        parser.error(f"no policy is called {', '.join(sorted(unknown))}")

    own, other = [], []
    for repeat in range(options.repeats):
        print(f"repeat {repeat + 1} of {options.repeats} ...", file=sys.stderr, flush=True)
        other.append(_measured_by(options.other, options.only))
        own.append(_measured_by(sys.executable, options.only))
    new, old = _best(own), _best(other)
    compiled = [key for key in new.keys() & old.keys() if key[1].startswith("compile")]
    ratios = {
        key: new[key] / old[key]
        for key in new.keys() & old.keys()
        if key not in compiled or max(new[key], old[key]) > SHORTEST
    }
    names = list(dict.fromkeys(name for name in own[0] if any((name, k) in ratios for k in KINDS)))
    rows = [
        {"policy": name, **{kind: ratios.get((name, kind)) for kind in KINDS}} for name in names
    ]
    mean = {kind: [ratio for (_, of), ratio in ratios.items() if of == kind] for kind in KINDS}
    middle = {kind: math.exp(sum(map(math.log, of)) / len(of)) for kind, of in mean.items() if of}
    notes = (
        f"Processor time over the other tree's, best of {options.repeats} interleaved repeats;",
        "below 1 is faster. S1, epsilon 0.5; leaps to 10^6 and 10^12 rounds; live learners with",
        f"5 and 100 arms, their first {LIVE_ROUNDS:,} rounds, secure noise. All loops compile in",
        f"{sum(new[key] for key in compiled):.1f} s, those of the other tree in "
        f"{sum(old[key] for key in compiled):.1f} s.",
    )
    rows.append({"policy": "geometric mean", **middle})
    print(render(Table("This Hush over the other", rows, notes)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
