"""How NoiseAwareIMED got its constants, and how it fares where nothing was chosen.

The protocol was written down before anything was tried: see ``docs/noise_aware_imed.md``. Parts are
kept as CSV files as soon as they are done; a part whose file is there is not run again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom

from hush.environments import PAPER_SETTINGS, Bernoulli
from hush.numerics.regret_constants import private_constant
from hush.output.document import TableOf
from hush.policies import (
    DPIMED,
    DPKLUCB,
    DPSE,
    AdaPKLUCB,
    AnytimeLazyUCB,
    LazyDPTS,
    NoiseAwareIMED,
    NoiseAwareTS,
    NoiseAwareUCB,
    Policy,
)
from hush.simulation import simulate
from hush.simulation.summary import mean_interval
from research.noise_aware_imed_tables import draw_study, study_tables
from research.noise_aware_ts import final_regret
from research.pages import Page, stored, table_of
from research.resumable import run_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "PARTS", "Case", "Scale", "measure", "random_cases", "run_study"]

EPSILONS = (0.25, 0.5, 1.0)
T = 10**6
TUNING_SEED, UNSEEN_SEEDS = 5005, (6006, 7007)
KINDS = ("uniform", "clustered", "near 0 or 1")


def before(epsilon: float) -> NoiseAwareTS:
    """Return NoiseAwareTS as it was before this policy: with a prior of Beta(2, 2) alone."""
    return NoiseAwareTS(epsilon, flat=0.0)


@dataclass(frozen=True)
class Case:
    """A random problem."""

    kind: str
    means: tuple[float, ...]
    epsilon: float
    horizon: int


def _log_uniform(low: float, high: float, generator: np.random.Generator) -> float:
    return math.exp(generator.uniform(math.log(low), math.log(high)))


def _means(kind: str, n_arms: int, generator: np.random.Generator) -> NDArray[np.float64]:
    if kind == "uniform":
        return generator.uniform(0.0, 1.0, n_arms)
    if kind == "clustered":
        middle, spread = generator.uniform(0.1, 0.9), _log_uniform(0.01, 0.2, generator)
        return np.clip(middle + spread * generator.normal(size=n_arms), 0.001, 0.999)
    off = np.exp(generator.uniform(math.log(0.001), math.log(0.3), n_arms))
    return 1.0 - off if generator.random() < 0.5 else off


def random_cases(count: int, seed: int) -> list[Case]:
    """Draw problems: uniform, clustered and near-boundary means in turn.

    2 to 100 arms, epsilon from .05 to 2, 10^3 to 10^12 rounds and at least ``20 K / epsilon``, all
    log-uniform.
    """
    generator = np.random.default_rng(seed)
    found = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        n_arms = round(_log_uniform(2.0, 100.0, generator))
        epsilon = _log_uniform(0.05, 2.0, generator)
        horizon = max(_log_uniform(1e3, 1e12, generator), math.ceil(20.0 * n_arms / epsilon))
        means = tuple(_means(kind, n_arms, generator).tolist())
        found.append(Case(kind, means, epsilon, int(horizon)))
    return found


# One change at a time; each name says what is otherwise.
CHANGES: dict[str, dict[str, float]] = {
    "default": {},
    "slow .5": {"slow": 0.5},
    "slow 1.5": {"slow": 1.5},
    "many 0": {"many": 0.0},
    "many 1": {"many": 1.0},
    "early 0": {"early": 0.0},
    "early 3": {"early": 3.0},
    "early 5": {"early": 5.0},
    "full 6": {"full": 6.0},
    "near_one 0": {"near_one": 0.0},
    "near_one .6": {"near_one": 0.6},
    "rest 0, ramp 0": {"rest": 0.0, "ramp": 1e-9},
    "ramp 6": {"ramp": 6.0},
    "shy 1": {"shy": 1.0},
    "shy 2": {"shy": 2.0},
    "share .25": {"share": 0.25},
    "share .75": {"share": 0.75},
    "least .5": {"least": 0.5},
    "nats 2": {"nats": 2.0},
    "nats 5": {"nats": 5.0},
}


def changed(change: dict[str, float], epsilon: float) -> Policy:
    """Return the policy with other constants."""
    constants = NoiseAwareIMED.constants._replace(**change)

    @dataclass(frozen=True)
    class Changed(NoiseAwareIMED):
        pass

    Changed.constants = constants
    return Changed(epsilon)


@dataclass(frozen=True)
class Scale:
    """How many instances and runs."""

    tuning: int = 120
    tuning_runs: int = 60
    cells_runs: int = 40_000
    unseen: int = 200
    unseen_runs: int = 300
    bound_runs: int = 2_000
    corner_runs: int = 10_000

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls(3, 4, 40, 4, 6, 4, 40)


def quantile_ends(values: NDArray[np.float64], share: float, level: float) -> tuple[float, float]:
    """Return two of the values between which a quantile lies, whatever the law.

    >>> quantile_ends(np.arange(1.0, 101.0), 0.5, 0.95)
    (40.0, 61.0)
    """
    ordered, runs = np.sort(values), values.size
    below = int(binom.ppf((1.0 - level) / 2.0, runs, share))
    above = int(binom.ppf((1.0 + level) / 2.0, runs, share)) + 1
    return float(ordered[max(below - 1, 0)]), float(ordered[min(above - 1, runs - 1)])


def choose(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare constants over the tuning instances: a row per choice and instance."""
    for number, case in enumerate(random_cases(scale.tuning, TUNING_SEED)):
        env = Bernoulli(list(case.means))
        base = None
        for name, change in CHANGES.items():
            policy = changed(change, case.epsilon)
            mean = final_regret(policy, env, case.horizon, scale.tuning_runs, seed).mean()
            base = mean if base is None else base
            yield {"instance": number, "choice": name, "mean": mean, "ratio": mean / base}


def cells(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare with NoiseAwareTS as it was on the paper's six cells."""
    rivals: dict[str, tuple[Callable[[float], Policy], float]] = {
        "NoiseAwareIMED": (NoiseAwareIMED, 1.0),
        "NoiseAwareIMED, T known": (lambda epsilon: NoiseAwareIMED(epsilon, horizon=T), 0.25),
        "NoiseAwareTS before": (before, 1.0),
        "NoiseAwareTS": (NoiseAwareTS, 0.25),
        "NoiseAwareUCB": (NoiseAwareUCB, 0.05),
    }
    for setting, make_env in PAPER_SETTINGS.items():
        env = make_env()
        most = T * float(env.gaps.max())
        # Where one run can lose much, an interval that allows for it needs more of them.
        more = {"NoiseAwareIMED": 5.0 if most > T / 4 else 1.0}
        for epsilon in EPSILONS:
            bound = private_constant(env.means.tolist(), epsilon) * math.log(T)
            for name, (make, share) in rivals.items():
                runs = round(more.get(name, share) * scale.cells_runs)
                regret = final_regret(make(epsilon), env, T, runs, seed)
                _, low, high = mean_interval(regret[None, :], most, 0.99)
                tail_low, tail_high = quantile_ends(regret, 0.999, 0.95)
                yield {
                    "setting": setting,
                    "epsilon": epsilon,
                    "policy": name,
                    "runs": runs,
                    "mean": regret.mean(),
                    "low": low[0],
                    "high": high[0],
                    "median": np.median(regret),
                    "q999": np.quantile(regret, 0.999),
                    "q999_low": tail_low,
                    "q999_high": tail_high,
                    "worst": regret.max(),
                    "to_bound": regret.mean() / bound,
                }


def unseen(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare on instances that no choice was made on, of each seed as many."""
    drawn = [(which, case) for which in UNSEEN_SEEDS for case in random_cases(scale.unseen, which)]
    for which, case in drawn:
        env = Bernoulli(list(case.means))
        runs = scale.unseen_runs
        ours = final_regret(NoiseAwareIMED(case.epsilon), env, case.horizon, runs, seed)
        old = final_regret(before(case.epsilon), env, case.horizon, runs, seed)
        rival = final_regret(DPKLUCB(case.epsilon), env, case.horizon, 4 * runs, seed)
        yield {
            "seed": which,
            "kind": case.kind,
            "arms": len(case.means),
            "epsilon": case.epsilon,
            "horizon": case.horizon,
            "NoiseAwareIMED": ours.mean(),
            "NoiseAwareTS before": old.mean(),
            "NoiseAwareTS": final_regret(
                NoiseAwareTS(case.epsilon), env, case.horizon, runs, seed
            ).mean(),
            "DPKLUCB": rival.mean(),
        }


def bound(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare with the asymptotic lower bound at growing horizons."""
    for setting, make_env in PAPER_SETTINGS.items():
        env = make_env()
        for epsilon in EPSILONS:
            constant = private_constant(env.means.tolist(), epsilon)
            for horizon in (10**6, 10**9, 10**12):
                regret = final_regret(NoiseAwareIMED(epsilon), env, horizon, scale.bound_runs, seed)
                yield {
                    "setting": setting,
                    "epsilon": epsilon,
                    "horizon": horizon,
                    "mean": regret.mean(),
                    "bound": constant * math.log(horizon),
                    "ratio": regret.mean() / (constant * math.log(horizon)),
                }


SPREAD = tuple(np.linspace(0.9, 0.1, 22).round(4).tolist())
CORNERS: list[Case] = [
    Case("22 arms, few rounds", SPREAD, 0.12, 70_000),
    # The best arm in the middle: in 10^3 rounds, some only ever play the first ones.
    *(
        Case(f"{name}, 10^3 rounds", tuple(np.roll(make().means, 2).tolist()), epsilon, 1000)
        for name, make in PAPER_SETTINGS.items()
        for epsilon in EPSILONS
    ),
    Case("best near 1, well apart", (0.97, 0.8, 0.6, 0.4, 0.2), 0.5, T),
    Case("best near 1, well apart", (0.99, 0.9, 0.5), 1.0, T),
    Case("best near 1, close", (0.998, 0.992, 0.3), 1.0, T),
    Case("best near 1, close", (0.998, 0.992, 0.3), 0.1, T),
    Case("all near 0", (0.02, 0.01, 0.005), 1.0, T),
]
RIVALS: dict[str, tuple[Callable[[float], Policy], float]] = {
    # With the share of the runs: some are slow, and their regret varies little.
    "NoiseAwareIMED": (NoiseAwareIMED, 1.0),
    "NoiseAwareTS": (NoiseAwareTS, 1.0),
    "NoiseAwareTS before": (before, 1.0),
    "NoiseAwareUCB": (NoiseAwareUCB, 0.1),
    "DPKLUCB": (DPKLUCB, 1.0),
    "DPIMED": (DPIMED, 1.0),
    "AdaPKLUCB": (AdaPKLUCB, 0.1),
    "AnytimeLazyUCB": (AnytimeLazyUCB, 0.1),
    "LazyDPTS": (LazyDPTS, 0.02),
    "DPSE": (DPSE, 0.1),
}


def corners(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare where such rules do badly; count runs that stay with a wrong arm to the end."""
    for case in CORNERS:
        env = Bernoulli(list(case.means))
        best = int(np.argmax(case.means))
        for name, (make, share) in RIVALS.items():
            runs = max(20, round(share * scale.corner_runs))
            result = simulate(
                make(case.epsilon),
                env,
                horizon=case.horizon,
                runs=runs,
                seed=seed,
                checkpoints=[case.horizon // 2, case.horizon],
                progress=False,
            )
            late = result.pulls[0, :, 1, best] - result.pulls[0, :, 0, best]
            regret = result.regret[0, :, -1]
            yield {
                "corner": case.kind,
                "means": " ".join(f"{mean:g}" for mean in case.means[:5]),
                "epsilon": case.epsilon,
                "horizon": case.horizon,
                "policy": name,
                "runs": runs,
                "mean": regret.mean(),
                "median": np.median(regret),
                "stuck": int((late < 0.1 * (case.horizon - case.horizon // 2)).sum()),
            }


PARTS: dict[str, Callable[[Scale, int], Iterator[dict[str, Any]]]] = {
    "cells": cells,
    "corners": corners,
    "unseen": unseen,
    "bound": bound,
    "choose": choose,
}


def run_study(folder: Path, scale: Scale, seed: int) -> dict[str, pd.DataFrame]:
    """Run the parts whose files are missing; return all tables."""
    totals = {
        "choose": scale.tuning * len(CHANGES),
        "cells": 2 * len(EPSILONS) * 5,
        "unseen": scale.unseen * len(UNSEEN_SEEDS),
        "bound": 2 * len(EPSILONS) * 3,
        "corners": len(CORNERS) * len(RIVALS),
    }
    parts = {name: partial(part, scale, seed) for name, part in PARTS.items()}
    return run_parts(folder, parts, totals, {"seed": seed, **asdict(scale)})


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Run the study, or what is left of it; return the tables to show and the picture."""
    tables = run_study(folder, Scale.quick() if quick else Scale(), seed)
    shown = {name: table_of(table) for name, table in study_tables(tables).items()}
    return shown, draw_study(tables)


PAGE = Page(
    "noise_aware_imed",
    {name: stored(name) for name in ("choices", "cells", "unseen", "worst", "bound", "corners")},
    picture="noise-aware-imed",
)
