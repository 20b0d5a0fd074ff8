"""Rounds per second of simulations: Hush's compiled per-round loop beside pymab's Rust runner."""

from __future__ import annotations

import functools
from collections.abc import Callable

import hush
from benchmarks.measure import Measured, attempt, interleave, seconds
from benchmarks.report import Row, Table

__all__ = ["run"]

SEED = 7
PUBLIC = "pymab UCB: Experiment.run()"
CORE = "pymab UCB: Rust loop alone"
LONG = "pymab UCB: same, long"
THOMPSON = "pymab Thompson: Rust loop alone"
PYMAB = (PUBLIC, LONG, CORE, THOMPSON)
RATIOS = {
    "x Experiment.run()": PUBLIC,
    "x same, long": LONG,
    "x Thompson loop": THOMPSON,
    "x Rust loop": CORE,
}
ASKED = {"hush ThompsonSampling": 3.0, "hush LazyDPTS": 3.0}  # of both Rust loops

# How its work may be laid out: a share of the horizon, replicates. The fastest is compared.
SHARES = ((10, 1), (100, 10), (1000, 100))
COUPLINGS = ("common", "independent")

POLICIES: tuple[hush.Policy, ...] = (
    hush.AnytimeLazyUCB(epsilon=1.0),
    hush.LazyDPTS(epsilon=1.0),
    hush.UCB1(),
    hush.ThompsonSampling(),
    hush.RNMFTNL(epsilon=1.0),
    hush.FTL(),
)

Timer = Callable[[], float]
Layout = tuple[int, int, str]


def run(quick: bool) -> list[Table]:
    """Measure both loops on the paper's first instance (five arms), interleaved."""
    horizon, repeats, wanted = (10**5, 2, 0.05) if quick else (10**6, 5, 0.3)
    tasks: dict[str, Timer] = {}
    failed: dict[str, str] = {}
    details: dict[str, str] = {}
    for policy in POLICIES:
        name = f"hush {type(policy).__name__}"
        task, why = attempt(functools.partial(_hush_task, policy, horizon, wanted))
        _place(name, task, why, tasks, failed, details)
    for name in PYMAB:
        layouts = _layouts(name, horizon)
        task, why = attempt(functools.partial(_pymab_task, name, layouts))
        _place(name, task, why, tasks, failed, details)
    found = interleave(tasks, repeats, failed)
    notes = (
        f"Median of {repeats} interleaved repeats, one thread each, {_environment()}.",
        "Hush is timed after a warm-up, so without compilation. It keeps pulls at the horizon;",
        "pymab keeps every round. Experiment.run() with the Rust backend is its documented way, in",
        "the fastest of several layouts ('same, long': one run of Hush's horizon). It also builds",
        "and checks its result in Python, which the Rust loop alone, an internal call, skips.",
        "Asked is how many times the rate of either Rust loop it is to be.",
    )
    rows = [_row(name, measured, found, details) for name, measured in found.items()]
    return [Table("Simulation, one round at a time: rounds per second", rows, notes)]


def _place(name, task, why, tasks, failed, details) -> None:
    if task is None:
        failed[name] = why
    else:
        tasks[name], details[name] = task


def _environment() -> str:
    return f"Bernoulli means {', '.join(f'{mean:g}' for mean in hush.paper_s1().means)}"


def _row(name: str, measured: Measured, found: dict[str, Measured], details: dict[str, str]) -> Row:
    if measured.failure is not None:
        return {"loop": name, "failed": measured.failure}
    row: Row = {
        "loop": name,
        "timed": details[name],
        "per second": measured.median,
        "min": measured.low,
        "max": measured.high,
    }
    for label, other in RATIOS.items():
        if name not in PYMAB and found[other].failure is None:
            row[label] = measured.median / found[other].median
    row["asked"] = ASKED.get(name)
    return row


def _hush_task(policy: hush.Policy, horizon: int, wanted: float) -> tuple[Timer, str]:
    env = hush.paper_s1()

    def play(runs: int) -> None:
        hush.simulate(
            policy,
            env,
            horizon=horizon,
            runs=runs,
            seed=SEED,
            engine="rounds",
            workers=1,
            checkpoints=[horizon],
            progress=False,
        )

    play(1)  # compiles, or loads what was compiled before
    runs = max(1, round(wanted / seconds(lambda: play(1))))
    return (
        lambda: horizon * runs / seconds(lambda: play(runs)),
        f"{horizon:,} rounds x {runs}",
    )


def _layouts(name: str, horizon: int) -> list[Layout]:
    """Return the ways to try: for the long run, one run of the horizon in its default setting."""
    if name == LONG:
        return [(horizon, 1, COUPLINGS[0])]
    return [(horizon // share, n, how) for share, n in SHARES for how in COUPLINGS]


def _pymab_task(name: str, layouts: list[Layout]) -> tuple[Timer, str]:
    """Return a timer of the fastest layout; each of several is tried twice."""
    loops = {CORE: _rust_loop, THOMPSON: functools.partial(_rust_loop, thompson=True)}
    runner = loops.get(name, _experiment)
    best = layouts[0]
    if len(layouts) > 1:
        tried = {way: max(_pymab_rate(runner(*way), way) for _ in range(2)) for way in layouts}
        best = max(tried, key=tried.__getitem__)
    rounds, replicates, coupling = best
    return (
        lambda: _pymab_rate(runner(*best), best),
        f"{rounds:,} rounds x {replicates}, {coupling}",
    )


def _pymab_rate(work: Callable[[], object], layout: Layout) -> float:
    return layout[0] * layout[1] / seconds(work)


def _pymab_parts(thompson: bool = False):
    import numpy as np
    from pymab import BanditEnvironment, BernoulliReward
    from pymab.policies import BernoulliThompsonSamplingPolicy, UCBPolicy

    means = np.array(hush.paper_s1().means, dtype=float)
    env = BanditEnvironment(means=means, reward_model=BernoulliReward())
    policy = BernoulliThompsonSamplingPolicy if thompson else UCBPolicy
    return env, {"policy": policy(n_arms=means.size)}


def _experiment(rounds: int, replicates: int, coupling: str) -> Callable[[], object]:
    from pymab import Experiment, ExperimentConfig

    env, policies = _pymab_parts()
    config = ExperimentConfig(
        horizon=rounds,
        n_replicates=replicates,
        seed=SEED,
        reward_coupling=coupling,
        backend="rust",
    )
    return Experiment(environment=env, policies=policies, config=config).run


def _rust_loop(
    rounds: int, replicates: int, coupling: str, thompson: bool = False
) -> Callable[[], object]:
    # Internal, hence not what a user would call: it tells the loop from the result's upkeep.
    from pymab._backend import run_native_experiment

    env, policies = _pymab_parts(thompson)
    return functools.partial(
        run_native_experiment,
        environment=env,
        policies=policies,
        horizon=rounds,
        n_replicates=replicates,
        seed=SEED,
        reward_coupling=coupling,
        record_contexts=False,
    )
