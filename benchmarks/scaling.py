"""What a leaping run costs against the horizon and against the number of arms, beside its limit.

The limit is what no engine can leave out: the random draws of the releases, each of which is a
binomial sum and a value of noise. What lies between is what the engine computes to find out which
release comes next.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np

import hush
from benchmarks.leap import SEED, per_run
from benchmarks.measure import processor_seconds
from benchmarks.report import Row, Table
from hush.mechanisms.schedules import AsOpened
from hush.simulation.engines import Task, engine_for, engine_of

__all__ = ["run"]

RESULTS = Path(__file__).resolve().parents[1] / "results"
EPSILON = 0.5
# One policy of each way to leap.
FAMILIES: tuple[hush.Policy, ...] = (
    hush.AnytimeLazyUCB(EPSILON),
    hush.AdaPKLUCB(EPSILON),
    hush.LazyDPTS(EPSILON),
    hush.NoiseAwareTS(EPSILON),
    hush.NoiseAwareIMED(EPSILON),
    hush.DPSE(EPSILON),
    hush.DPTSUCB(),
    hush.ImprovedUCB(),
    hush.RNMFTNL(EPSILON),
)
HORIZONS = tuple(10**power for power in (3, 6, 9, 12, 15, 18))
ARMS = (5, 10, 30, 100, 300, 1_000, 10_000, 100_000)
FAR = 10**9
PATIENCE = 4.0  # seconds for a run: what takes longer is not tried with more arms


def run(quick: bool) -> list[Table]:
    """Measure both, draw them, and leave the picture in ``results``."""
    repeats = 1 if quick else 3
    draw = _cost_of_a_draw(10_000 if quick else 200_000)
    horizons, arms = (HORIZONS[:3], ARMS[:4]) if quick else (HORIZONS, ARMS)
    found = {
        "T": [row for policy in FAMILIES for row in _against_rounds(policy, horizons, repeats)],
        "K": [row for policy in FAMILIES for row in _against_arms(policy, arms, repeats)],
    }
    for rows in found.values():
        for row in rows:
            row["limit, us"] = 1e6 * draw * row["draws"]
            row["times the limit"] = row["us"] / row["limit, us"]
    _draw(found)
    notes = (
        f"Processor time per run, best of {repeats}, one thread, epsilon {EPSILON:g}, without",
        f"compilation. Limit: draws of releases, {1e6 * draw:.2f} us each; of policies that",
        "eliminate, one a phase, which is the least.",
    )
    return [
        Table("Cost of a leaping run against the horizon, S1", found["T"], notes),
        Table(f"Cost of a leaping run against the arms, {FAR:.0e} rounds", found["K"], notes),
    ]


def _cost_of_a_draw(many: int) -> float:
    """Return what a binomial sum and a value of Laplace noise take, drawn in one go."""
    source = np.random.default_rng(SEED)
    sizes = 2 ** source.integers(0, 30, size=many)

    def work() -> None:
        source.binomial(sizes, 0.5)
        source.laplace(size=many)

    return processor_seconds(work) / many


def _against_rounds(policy: hush.Policy, horizons: tuple[int, ...], repeats: int) -> list[Row]:
    env = hush.paper_s1()
    return [
        {"policy": type(policy).__name__, "T": f"{horizon:.0e}"}
        | _measured(policy, env, horizon, repeats)
        for horizon in horizons
        if horizon <= engine_of(policy).farthest
    ]


def _against_arms(policy: hush.Policy, arms: tuple[int, ...], repeats: int) -> list[Row]:
    rows: list[Row] = []
    for n_arms in arms:
        env = hush.Bernoulli(np.linspace(0.25, 0.75, n_arms))
        row = {"policy": type(policy).__name__, "K": n_arms} | _measured(policy, env, FAR, repeats)
        rows.append(row)
        if row["us"] * 4.0 > 1e6 * PATIENCE:
            break
    return rows


def _measured(policy: hush.Policy, env: hush.Bernoulli, horizon: int, repeats: int) -> Row:
    per_run(policy, env, 1000, 1, "leap")  # compile and warm up
    once = per_run(policy, env, horizon, 1, "leap", processor_seconds)
    runs = int(min(max(1.0, 0.05 / max(once, 1e-5)), 256))
    work: Callable[[], float] = functools.partial(
        per_run, policy, env, horizon, runs, "leap", processor_seconds
    )
    best = min(work() for _ in range(repeats))
    return {"us": 1e6 * best, "draws": _draws(policy, env, horizon)}


def _draws(policy: hush.Policy, env: hush.Bernoulli, horizon: int) -> float:
    """Return how many sums a run draws: by the schedule of epochs, else a sum for each step."""
    policy = policy.with_horizon(horizon)
    engine, task = engine_for(policy, env), Task(policy, env, np.array([horizon]))
    played = engine.play(task, "leap", SEED, 0, min(engine.block, 16 if env.n_arms < 1_000 else 1))
    runs = len(played.pulls)
    schedule = getattr(policy, "schedule", None)
    if schedule is None or isinstance(schedule, AsOpened):
        return played.events / runs
    ends = np.cumsum(schedule.lengths(horizon))
    full = policy.feedback == "full"  # then every epoch has a sum for each action
    rounds = np.full((runs, env.n_arms), horizon) if full else played.pulls[:, -1, :]
    return float(np.searchsorted(ends, rounds, side="right").sum()) / runs


def _draw(found: dict[str, list[Row]]) -> None:
    """Draw cost against T and against K; dotted, the limit of each."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS, label_ends, save_figure

    figure = Figure(figsize=(10.0, 4.6), layout="constrained")
    names = {"T": "horizon (rounds), K = 5", "K": f"arms, {FAR:.0e} rounds"}
    for axes, (key, rows) in zip(figure.subplots(1, 2), found.items(), strict=True):
        ends = []
        for number, policy in enumerate(FAMILIES):
            name, colour = type(policy).__name__, COLOURS[number % len(COLOURS)]
            mine = [row for row in rows if row["policy"] == name]
            places = [float(row[key]) for row in mine]
            costs, limits = ([1e-6 * row[unit] for row in mine] for unit in ("us", "limit, us"))
            dash = "-" if number < len(COLOURS) else "--"
            axes.plot(places, costs, dash, color=colour, marker="o", markersize=3)
            axes.plot(places, limits, ":", color=colour, linewidth=1)
            ends.append((costs[-1], name, colour))
        axes.set_xscale("log")
        axes.set_yscale("log")
        label_ends(axes, ends, values=False)
        axes.set_xlabel(names[key])
        axes.set_ylabel("seconds per run; dotted: its draws alone")
        axes.grid(visible=True, color="#dddddd", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    for suffix in ("svg", "png"):
        save_figure(figure, RESULTS / f"scaling.{suffix}")
