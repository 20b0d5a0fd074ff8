"""The leap engine: how much faster than one round at a time, and what a longer horizon costs."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

import hush
from benchmarks.measure import interleave, seconds
from benchmarks.report import Row, Table
from hush.simulation.engines import Task, engine_of
from hush.simulation.engines.thompson import ThompsonEngine

__all__ = ["per_run", "run"]

SEED = 7
NEAR = 10**6
SETTINGS = {"S1": hush.paper_s1(), "S2": hush.paper_s2()}
# What is measured: a far horizon, runs of the leap engine per repeat, rounds-engine runs.
CONTENDERS = {
    hush.AnytimeLazyUCB: (10**18, 1024, 2),
    hush.LazyDPTS: (10**12, 60, 1),
    hush.RNMFTNL: (10**18, 2048, 4),
    hush.AdaPKLUCB: (10**18, 1024, 2),
    hush.DPKLUCB: (10**18, 1024, 2),
}
# How many times faster than the loop it should be.
ASKED: dict[type, int] = {hush.LazyDPTS: 300, hush.AdaPKLUCB: 500, hush.DPKLUCB: 500}
# Arms, between which means they lie evenly, and how many times the row of fewer arms with the same
# means it should take at most.
CROWDS = (
    (10, 0.3, 0.7, None), (100, 0.3, 0.7, None), (1000, 0.3, 0.7, 12),
    (1000, 0.25, 0.75, None), (10**5, 0.25, 0.75, 150),
)  # fmt: skip
RESULTS = Path(__file__).resolve().parents[1] / "results"


def run(quick: bool) -> list[Table]:
    """Measure both engines in the same process, interleaved."""
    repeats = 2 if quick else 7
    tables = [_speed(quick, repeats), _many_arms(quick), _growth(quick)]
    _draw(tables[-1].rows)
    return tables


def per_run(policy, env, horizon, runs, engine, clock=seconds) -> float:
    """Return what ``simulate`` takes per run, one thread, recording at the horizon."""
    work = functools.partial(
        hush.simulate,
        policy,
        env,
        horizon=horizon,
        runs=runs,
        seed=SEED,
        engine=engine,
        workers=1,
        checkpoints=[horizon],
        progress=False,
    )
    return clock(work) / runs


def _plain(policy, env, runs) -> float:
    """Return what a run takes round by round where every arm is drawn in every round."""
    used, ThompsonEngine.most_hazard = ThompsonEngine.most_hazard, 0.0
    try:
        return per_run(policy, env, NEAR, runs, "rounds")
    finally:
        ThompsonEngine.most_hazard = used


def _events(policy, env, horizon, runs) -> float:
    """Return the windows, epochs and rounds looked at one by one, per run."""
    task = Task(policy, env, np.array([horizon]))
    engine = engine_of(policy)
    firsts = range(0, runs, engine.block)
    played = [engine.play(task, "leap", SEED, first, engine.block) for first in firsts]
    return sum(each.events for each in played) / (len(firsts) * engine.block)


def _speed(quick: bool, repeats: int) -> Table:
    rows: list[Row] = []
    for cls, (far, many, few) in CONTENDERS.items():
        for setting, env in SETTINGS.items():
            for epsilon in (0.25, 1.0):
                policy = cls(epsilon)
                for engine in ("leap", "rounds"):  # compile and warm up
                    per_run(policy, env, 1000, 1, engine)
                count = max(2, many // 10) if quick else many
                tasks = {
                    "rounds": functools.partial(per_run, policy, env, NEAR, few, "rounds"),
                    "near": functools.partial(per_run, policy, env, NEAR, count, "leap"),
                    "far": functools.partial(per_run, policy, env, far, count, "leap"),
                }
                if isinstance(policy, hush.ThompsonPolicy):
                    tasks["plain"] = functools.partial(_plain, policy, env, few)
                found = interleave(tasks, repeats)
                rounds, near, distant = (found[name].median for name in ("rounds", "near", "far"))
                plain = found["plain"].median / near if "plain" in found else None
                rows.append(
                    {
                        "policy": cls.__name__,
                        "setting": setting,
                        "eps": epsilon,
                        "rounds 1e6, ms": 1e3 * rounds,
                        "leap 1e6, us": 1e6 * near,
                        "times faster": rounds / near,
                        "than all draws": plain,
                        "asked": ASKED.get(cls),
                        "events": _events(policy, env, NEAR, 64),
                        "far": f"{far:.0e}",
                        "leap far, us": 1e6 * distant,
                        "far/near": distant / near,
                        "events far": _events(policy, env, far, 64),
                    }
                )
    notes = (
        f"Median of {repeats} interleaved repeats; time per run of simulate(), one thread, K = 5,",
        "without compilation. Events: windows, parts and epochs, plus rounds looked at one by one.",
        "Than all draws: than a loop in which every arm is drawn in every round; the one that is",
        "in use draws few.",
    )
    return Table("Leap engine beside the compiled per-round loop", rows, notes)


def _many_arms(quick: bool) -> Table:
    rows: list[Row] = []
    for epsilon in (0.1, 1.0):
        policy, before = hush.AnytimeLazyUCB(epsilon), (0.0, 0.0)
        for n_arms, low, high, asked in CROWDS[:4] if quick else CROWDS:
            env = hush.Bernoulli(np.linspace(low, high, n_arms))
            repeats = 1 if quick else 3 if n_arms > 1000 else 7
            times = [per_run(policy, env, 10**9, 1, "leap") for _ in range(repeats)]
            median = sorted(times)[len(times) // 2]
            rows.append(
                {
                    "policy": "AnytimeLazyUCB",
                    "K": n_arms,
                    "means": f"{low:g}..{high:g}",
                    "eps": epsilon,
                    "ms per run": 1e3 * median,
                    "worst": 1e3 * max(times),
                    "times the row before": median / before[1] if before[0] == low else None,
                    "asked, at most": asked,
                }
            )
            before = low, median
    return Table("Many arms at 10^9 rounds, means evenly between two", rows)


def _growth(quick: bool) -> Table:
    env = SETTINGS["S1"]
    rows: list[Row] = []
    for exponent in range(3, 19, 3 if quick else 1):
        horizon = 10**exponent
        row: Row = {"horizon": f"1e{exponent}"}
        for cls, (far, many, _) in CONTENDERS.items():
            policy = cls(0.5)
            if horizon <= max(far, engine_of(policy).farthest):
                runs = max(2, many // 10)
                times = [per_run(policy, env, horizon, runs, "leap") for _ in range(3)]
                row[f"{cls.__name__} leap, us"] = 1e6 * sorted(times)[1]
            if exponent <= (5 if quick else 7):
                row[f"{cls.__name__} rounds, us"] = 1e6 * per_run(policy, env, horizon, 1, "rounds")
        rows.append(row)
    notes = ("Time per run on S1, epsilon = 0.5. Thompson policies leap up to 10^15 rounds.",)
    return Table("Time per run against the horizon", rows, notes)


def _draw(rows: list[Row]) -> None:
    """Leave the growth table as a picture."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS, save_figure

    figure = Figure(figsize=(7.4, 4.4), layout="constrained")
    axes = figure.subplots()
    for colour, cls in zip(COLOURS, CONTENDERS, strict=False):
        for engine, dash in (("leap", "-"), ("rounds", ":")):
            key = f"{cls.__name__} {engine}, us"
            seen = [(float(row["horizon"]), row[key] * 1e-6) for row in rows if key in row]
            axes.plot(*zip(*seen, strict=True), dash, color=colour, marker="o", markersize=3)
            name = f"{cls.__name__}, {engine}" if engine == "leap" else f"{cls.__name__}, rounds"
            axes.annotate(
                name,
                seen[-1],
                xytext=(5, -3 if engine == "leap" else 3),
                textcoords="offset points",
                color=colour,
                fontsize=8.5,
                va="center",
            )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(right=1e23)
    axes.set_xticks([10.0**k for k in range(3, 19, 3)])
    axes.set_xlabel("horizon (rounds)")
    axes.set_ylabel("seconds per run")
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    for suffix in ("svg", "png"):
        save_figure(figure, RESULTS / f"leap.{suffix}")
