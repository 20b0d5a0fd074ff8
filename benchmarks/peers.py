"""A row for every registered policy: compiled loop, leap where it leaps, and live learner."""

from __future__ import annotations

import functools

import numpy as np

import hush
from benchmarks.measure import interleave, seconds
from benchmarks.report import Row, Table
from hush.policies import REGISTERED
from hush.simulation.engines import engine_of, why_no_leap

__all__ = ["run"]

SEED = 7
EPSILON = 0.5
NEAR, FAR = 10**6, 10**12
LEAP_RUNS, THOMPSON_RUNS = 512, 12


def run(quick: bool) -> list[Table]:
    """Measure all policies on the paper's first setting, one thread."""
    repeats = 1 if quick else 3
    horizon = 10**5 if quick else NEAR
    rows = [_row(cls, horizon, repeats, quick) for cls in REGISTERED]
    notes = (
        f"Median of {repeats} interleaved repeats, S1 (K = 5), epsilon = {EPSILON}, one thread,",
        f"without compilation. Compiled loop and 'leap near' over {horizon:,} rounds; 'leap far'",
        f"over {FAR:.0e}. Live: select() and update() of a young learner, secure noise.",
    )
    return [Table("Every policy", rows, notes)]


def _row(cls: type[hush.Policy], horizon: int, repeats: int, quick: bool) -> Row:
    private = "epsilon" in cls.__dataclass_fields__
    policy = cls(epsilon=EPSILON) if private else cls()
    leaps = why_no_leap(policy.with_horizon(horizon)) is None
    name = engine_of(policy).name
    runs = THOMPSON_RUNS if name in ("thompson", "posterior") else LEAP_RUNS
    runs = max(2, runs // 8) if quick else runs
    tasks = {
        "loop": functools.partial(_time, policy, horizon, 1, "rounds"),
        "live": functools.partial(_live, policy, 2_000 if quick else 20_000),
    }
    if leaps:
        tasks["near"] = functools.partial(_time, policy, horizon, runs, "leap")
        tasks["far"] = functools.partial(_time, policy, FAR, runs, "leap")
    for engine in ("rounds", "leap") if leaps else ("rounds",):  # compile and warm up
        _time(policy, 1000, 1, engine)
    found = {name: each.median for name, each in interleave(tasks, repeats).items()}
    row: Row = {
        "policy": cls.__name__,
        "engine": name,
        "loop, M rounds/s": 1e-6 * horizon / found["loop"],
        "live, k rounds/s": 1e-3 / found["live"],
    }
    if leaps:
        row |= {
            "leap near, us": 1e6 * found["near"],
            "times faster": found["loop"] / found["near"],
            "leap far, us": 1e6 * found["far"],
        }
    return row


def _time(policy: hush.Policy, horizon: int, runs: int, engine: str) -> float:
    """Return seconds per run of ``simulate``."""
    work = functools.partial(
        hush.simulate,
        policy,
        hush.paper_s1(),
        horizon=horizon,
        runs=runs,
        seed=SEED,
        engine=engine,
        workers=1,
        checkpoints=[horizon],
        progress=False,
    )
    return seconds(work) / runs


def _live(policy: hush.Policy, rounds: int) -> float:
    """Return seconds per round of a learner with secure noise."""
    means = np.array(hush.paper_s1().means)
    rewards = (np.random.default_rng(SEED).random((rounds, means.size)) < means).astype(int)
    table = rewards.tolist()
    learner = policy.with_horizon(rounds).learner(means.size)
    full = policy.feedback == "full"

    def play() -> None:
        for row in table:
            arm = learner.select()
            learner.update(row) if full else learner.update(arm, row[arm])

    return seconds(play) / rounds
