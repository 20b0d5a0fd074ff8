"""How many samples the best arm takes, and how often the wrong one is named.

Five parts, each kept as a CSV file as soon as it is done: NoiseAwareBAI on ten instances, its
rivals on the same, other bandit policies that carry the same stopping rule, sequential halving, and
an experiment of DP-TT's authors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hush.environments import Bernoulli, Environment
from hush.output.document import TableOf
from hush.policies import (
    DPSE,
    DPTT,
    UCB1,
    AdaPTTStar,
    LazyDPTS,
    NoiseAwareBAI,
    NoiseAwareTS,
    Policy,
    PrivateSequentialHalving,
)
from hush.simulation import identify
from hush.simulation.identification_result import upper_limit
from hush.theory import halving_error, least_samples
from research.identification_tables import draw_study, study_tables
from research.pages import Page, stored, table_of
from research.resumable import run_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CASES", "PAGE", "Case", "Scale", "measure"]

RANDOM_SEED = 4004
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """An instance: its name, its means, epsilon and the confidence asked for."""

    name: str
    means: tuple[float, ...]
    epsilon: float
    confidence: float

    @property
    def env(self) -> Environment:
        """Where rewards come from."""
        return Bernoulli(list(self.means))


def random_case(number: int, n_arms: int) -> Case:
    """Return a random instance: uniform means, the best at least .05 above the others."""
    generator = np.random.default_rng([RANDOM_SEED, number])
    while True:
        means = generator.random(n_arms).round(3)
        ordered = np.sort(means)
        if ordered[-1] - ordered[-2] >= 0.05:
            break
    epsilon = round(float(np.exp(generator.uniform(np.log(0.1), np.log(2.0)))), 2)
    return Case(f"random, {n_arms} arms", tuple(means.tolist()), epsilon, 0.99)


S1 = (0.75, 0.625, 0.5, 0.375, 0.25)
CASES = (
    Case("S1", S1, 1.0, 0.99),
    Case("S1", S1, 0.1, 0.99),
    Case("three seconds", (0.95, 0.9, 0.9, 0.9, 0.5), 1.0, 0.99),
    Case("two arms", (0.5, 0.45), 1.0, 0.9),
    Case("two arms, near", (0.52, 0.5), 0.5, 0.9),
    Case("five seconds", (0.6, *[0.4] * 5), 0.5, 0.9),
    Case("near one", (0.99, 0.97, 0.9), 0.5, 0.99),
    Case("near zero", (0.04, 0.02, 0.01), 1.0, 0.9),
    random_case(1, 3),
    random_case(2, 7),
)
RIVALS: dict[str, Callable[[float], Policy]] = {
    "DPTT, stated": DPTT,
    "DPTT, heuristic": lambda epsilon: DPTT(epsilon, threshold="heuristic"),
    "AdaPTTStar, stated": AdaPTTStar,
    "AdaPTTStar, heuristic": lambda epsilon: AdaPTTStar(epsilon, threshold="heuristic"),
}
OTHERS: tuple[Policy, ...] = (NoiseAwareTS(1.0), LazyDPTS(1.0), DPSE(1.0, anytime=True), UCB1())
# Mean samples of DP-TT on three seconds at delta .01, read off a figure of its authors.
PUBLISHED = {0.001: 4.2e5, 0.0046: 1.35e5, 0.0215: 3.2e4, 0.1: 1.15e4, 0.46: 6.9e3}
PUBLISHED_MOST = 10**7
BUDGETS = (250, 500, 1000, 2000, 4000)


@dataclass(frozen=True)
class Scale:
    """How many runs, and after how many samples one is given up."""

    runs: int = 10_000
    stated_runs: int = 500
    heuristic_runs: int = 5_000
    other_runs: int = 20
    halving_runs: int = 20_000
    most: int = 3_000_000
    rival_most: int = 1_000_000
    other_most: int = 30_000

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls(4, 2, 3, 1, 50, 100_000, 50_000, 2_000)


def measured(policy: Policy, case: Case, runs: int, most: int, seed: int) -> Row:
    """Return what runs of a policy took on an instance."""
    found = identify(policy, case.env, confidence=case.confidence, runs=runs, seed=seed, most=most)
    samples = found.samples[0]
    return {
        "instance": case.name,
        "arms": len(case.means),
        "epsilon": case.epsilon,
        "delta": round(1.0 - case.confidence, 6),
        "policy": policy.label,
        "runs": runs,
        "mean": samples.mean(),
        "error of mean": samples.std() / np.sqrt(runs),
        "median": np.median(samples),
        "q999": np.quantile(samples, 0.999),
        "worst": samples.max(),
        "wrong": int(found.wrong[0]),
        "limit": upper_limit(int(found.wrong[0]), runs),
        "undecided": int(found.undecided[0]),
        "bound": least_samples(case.means, case.epsilon, 1.0 - case.confidence),
    }


def ours(scale: Scale, seed: int) -> Iterator[Row]:
    """Play NoiseAwareBAI on all instances."""
    for case in CASES:
        row = measured(NoiseAwareBAI(case.epsilon), case, scale.runs, scale.most, seed)
        yield {**row, "policy": "NoiseAwareBAI"}


def rivals(scale: Scale, seed: int) -> Iterator[Row]:
    """Play its rivals on the same instances."""
    for case in CASES:
        for name, make in RIVALS.items():
            runs = scale.stated_runs if name.endswith("stated") else scale.heuristic_runs
            row = measured(make(case.epsilon), case, runs, scale.rival_most, seed)
            yield {**row, "policy": name}


def others(scale: Scale, seed: int) -> Iterator[Row]:
    """Let policies that mind regret carry the stopping rule, on S1."""
    for policy in OTHERS:
        yield measured(policy, CASES[0], scale.other_runs, scale.other_most, seed)


def halving(scale: Scale, seed: int) -> Iterator[Row]:
    """Compare sequential halving's exact error with a simulated one, on S1."""
    for epsilon in (1.0, 0.1):
        for budget in BUDGETS:
            policy = PrivateSequentialHalving(epsilon, horizon=budget)
            env = CASES[0].env
            found = identify(policy, env, runs=scale.halving_runs, seed=seed, most=budget)
            yield {
                "epsilon": epsilon,
                "budget": budget,
                "exact": halving_error(policy, env),
                "wrong": int(found.wrong[0]),
                "runs": scale.halving_runs,
            }


def published(scale: Scale, seed: int) -> Iterator[Row]:
    """Compare with the figures of DP-TT's authors."""
    for epsilon, samples in PUBLISHED.items():
        case = Case("three seconds", CASES[2].means, epsilon, 0.99)
        for policy in (DPTT(epsilon, threshold="heuristic"), NoiseAwareBAI(epsilon)):
            row = measured(policy, case, scale.stated_runs // 5 + 1, PUBLISHED_MOST, seed)
            yield {**row, "policy": type(policy).__name__, "published": samples}


PARTS: dict[str, Callable[[Scale, int], Iterator[Row]]] = {
    "halving": halving,
    "others": others,
    "rivals": rivals,
    "ours": ours,
    "published": published,
}


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Run the study, or what is left of it; return the tables to show and the picture."""
    scale = Scale.quick() if quick else Scale()
    totals = {
        "halving": 2 * len(BUDGETS),
        "others": len(OTHERS),
        "rivals": len(CASES) * len(RIVALS),
        "ours": len(CASES),
        "published": 2 * len(PUBLISHED),
    }
    parts = {name: partial(part, scale, seed) for name, part in PARTS.items()}
    tables = run_parts(folder, parts, totals, {"seed": seed, **asdict(scale)})
    shown = {name: table_of(table) for name, table in study_tables(tables).items()}
    return shown, draw_study(tables)


PAGE = Page(
    "identification",
    {
        name: stored(name)
        for name in ("instances", "samples", "rivals", "published", "others", "halving")
    },
    picture="identification",
)
