"""Private learning on rewards that were about people: what it costs on two real trials.

Four parts, each kept as a CSV file as soon as it is done: policies replayed on ACTG 175, on coins
at its rates, on the persons of the RAND experiment, and replays of made-up logs with known truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hush.environments import Bernoulli, Environment, People, actg175, rand_health
from hush.output.document import TableOf
from hush.policies import (
    DPKLUCB,
    DPSE,
    KLUCB,
    AdaPKLUCB,
    AnytimeLazyUCB,
    LazyDPTS,
    NoiseAwareIMED,
    NoiseAwareTS,
    Person,
    Policy,
    ThompsonSampling,
)
from hush.simulation import replay, simulate
from research.pages import Page, stored
from research.real_outcomes_tables import draw_study, study_tables
from research.replay_coverage import CASES, covered
from research.resumable import run_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "Scale", "measure"]

Row = dict[str, Any]
PRIVATE: dict[str, Callable[[float], Policy]] = {
    "NoiseAwareTS": NoiseAwareTS,
    "NoiseAwareIMED": NoiseAwareIMED,
    "DPKLUCB": DPKLUCB,
    "LazyDPTS": LazyDPTS,
    "AdaPKLUCB": AdaPKLUCB,
    "AnytimeLazyUCB": AnytimeLazyUCB,
    "DPSE": DPSE,
}
OPEN: dict[str, Policy] = {"ThompsonSampling": ThompsonSampling(), "KLUCB": KLUCB()}
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
REPLAYED = (0.25, 1.0, 4.0)
OUTCOMES = ("event-free", "CD4")
LONG = 100_000
BOUNDS = (2, 3)
PROMISED = {"NoiseAwareTS": (0.5, 1.0, 2.0, 5.0), "LazyDPTS": (1.0,)}
CAP = 5  # nobody has more rows in the RAND experiment


@dataclass(frozen=True)
class Scale:
    """How many runs, orders and logs."""

    runs: int = 500
    open_runs: int = 200
    orders: int = 200
    person_runs: int = 300
    logs: int = 200
    log_orders: int = 100

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls(4, 2, 40, 1, 2, 40)


def arms(_scale: Scale, _seed: int) -> Iterator[Row]:
    """Return how many rows each arm has, and its rate."""
    logs = {f"ACTG 175, {outcome}": actg175(outcome) for outcome in OUTCOMES}
    for name, log in {**logs, "RAND, below 100 dollars": rand_health()}.items():
        for arm, count, rate in zip(log.names, log.counts, log.rates, strict=True):
            yield {"log": name, "arm": arm, "rows": count, "rate": rate}


def trial(scale: Scale, seed: int) -> Iterator[Row]:
    """Replay policies on the patients of ACTG 175, whether they were event-free."""
    log = actg175()
    cells: list[tuple[str, float, Policy]] = [("ThompsonSampling", np.inf, ThompsonSampling())]
    for epsilon in REPLAYED:
        cells += [
            (name, epsilon, PRIVATE[name](epsilon))
            for name in ("NoiseAwareTS", "DPKLUCB", "LazyDPTS")
        ]
    found = replay(
        [policy for *_, policy in cells], log, runs=scale.orders, seed=seed, progress=False
    )
    for place, (name, epsilon, _) in enumerate(cells):
        estimate, difference = found.estimate(place), found.estimate(place, 0)
        yield {
            "policy": name,
            "epsilon": epsilon,
            "rounds": found.rounds,
            **estimate._asdict(),
            "difference": difference.value,
            "difference low": difference.low,
            "difference high": difference.high,
            "zidovudine alone": found.shares(place)["zidovudine"],
        }


def coins(scale: Scale, seed: int) -> Iterator[Row]:
    """Play policies on coins at the rates of ACTG 175, for the trial's size and for longer."""
    for outcome in OUTCOMES:
        log = actg175(outcome)
        env, patients = log.coins(), len(log)
        for policy in OPEN.items():
            for horizon in (patients, LONG):
                yield from _played(env, outcome, *policy, np.inf, horizon, scale.open_runs, seed)
        for epsilon in EPSILONS:
            for name, make in PRIVATE.items():
                for horizon in (patients, LONG):
                    cell = (outcome, name, make(epsilon), epsilon, horizon, scale.runs, seed)
                    yield from _played(env, *cell)


def _played(
    env: Environment,
    outcome: str,
    name: str,
    policy: Policy,
    epsilon: float,
    horizon: int,
    runs: int,
    seed: int,
) -> Iterator[Row]:
    result = simulate(
        policy, env, horizon=horizon, runs=runs, seed=seed, checkpoints=[horizon], progress=False
    )
    worst = result.pulls[0, :, -1, int(env.means.argmin())]
    yield {
        "outcome": outcome,
        "policy": name,
        "epsilon": epsilon,
        "horizon": horizon,
        "uniform": horizon * env.gaps.mean(),
        **_figures(result.regret[0, :, -1]),
        "worst treatment": worst.mean(),
        "error of worst": worst.std() / np.sqrt(runs),
    }


def persons(scale: Scale, seed: int) -> Iterator[Row]:
    """Play policies on the persons of the RAND experiment, by what is promised to a person."""
    coins, env = rand_health().coins(), rand_health().cohort()
    in_a_row = People(coins, visits=env.visits, at_once=1)
    rows = sum(env.visits)
    for name, epsilons in PROMISED.items():
        for epsilon in epsilons:
            # Nobody has more rows than the cap of 5: who comes changes nothing, and it leaps.
            cells: list[tuple[str, Policy, Bernoulli]] = [
                ("reward", PRIVATE[name](epsilon), coins),
                (f"cap of {CAP}", _promised(name, epsilon, CAP), coins),
                ("cap of 1", _promised(name, epsilon, 1), env),
            ]
            if epsilon == 1.0:
                cells += [
                    (f"cap of {bound}", _promised(name, epsilon, bound), env) for bound in BOUNDS
                ]
                cells.append(("cap of 1, in a row", _promised(name, epsilon, 1), in_a_row))
            for kind, policy, place in cells:
                runs = scale.runs if place is coins else scale.person_runs
                result = simulate(
                    policy, place, horizon=rows, runs=runs, seed=seed, checkpoints=[rows],
                    progress=False, workers=1,
                )  # fmt: skip
                yield {
                    "policy": name,
                    "epsilon": epsilon,
                    "promise": kind,
                    "horizon": rows,
                    "uniform": rows * env.gaps.mean(),
                    **_figures(result.regret[0, :, -1]),
                }


def _promised(name: str, epsilon: float, bound: int) -> Policy:
    return Person(PRIVATE[name], epsilon=epsilon, bound=bound)


def _figures(regret: np.ndarray) -> Row:
    return {
        "runs": regret.size,
        "mean": regret.mean(),
        "error": regret.std(ddof=1) / np.sqrt(regret.size) if regret.size > 1 else np.nan,
        "q95": np.quantile(regret, 0.95),
    }


def coverage(scale: Scale, seed: int) -> Iterator[Row]:
    """Replay made-up logs, and compare with the truth."""
    for case in CASES:
        yield from covered(case, scale.logs, scale.log_orders, seed)


PARTS = {
    "arms": arms,
    "trial": trial,
    "coins": coins,
    "persons": persons,
    "coverage": coverage,
}


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Run the parts that are not there yet; return the page's tables, and its picture."""
    scale = Scale.quick() if quick else Scale()
    parts = {name: partial(part, scale, seed) for name, part in PARTS.items()}
    totals = {
        "arms": 13,
        "trial": 10,
        "coins": len(OUTCOMES) * 2 * (len(OPEN) + len(EPSILONS) * len(PRIVATE)),
        "persons": 3 * sum(map(len, PROMISED.values())) + (len(BOUNDS) + 1) * len(PROMISED),
        "coverage": 3 * len(CASES) * scale.logs,
    }
    frames = run_parts(folder, parts, totals, {"scale": vars(scale), "seed": seed})
    return study_tables(frames), draw_study(frames)


PAGE = Page(
    "real_outcomes",
    {
        name: stored(name)
        for name in (
            "trial",
            "price",
            "worst",
            "long",
            "persons",
            "bounds",
            "coverage",
            "sizes",
            "arms",
        )
    },
    picture="real-outcomes",
)
