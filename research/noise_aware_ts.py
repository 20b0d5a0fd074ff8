"""How NoiseAwareTS got its defaults, and how it fares against its peers.

Five parts, each kept as a CSV file as soon as it is done; a part whose file is there is not run
again, so that an interrupted study goes on where it stopped.
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

from hush.environments import INSTANCES, Bernoulli
from hush.noise import NoiseSource
from hush.numerics.divergence import d_eps
from hush.output.document import TableOf
from hush.policies import DPIMED, DPKLUCB, AdaPKLUCB, LazyDPTS, NoiseAwareTS, Policy
from hush.policies.core.selection import Statistics
from hush.policies.noise_aware_ts import PosteriorSelector, Releases
from hush.simulation import simulate
from research.pages import Page, stored, table_of
from research.resumable import run_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "PARTS", "Scale", "measure", "run_study"]

EPSILONS = (0.25, 0.5, 1.0)
T = 10**6
Z99 = 2.5758
RIVALS: dict[str, Callable[[float], Policy]] = {
    "DPKLUCB": DPKLUCB,
    "DPIMED": DPIMED,
    "AdaPKLUCB 3.1": AdaPKLUCB,
    "AdaPKLUCB 1.0": lambda epsilon: AdaPKLUCB(epsilon, beta=1.0),
    "LazyDPTS": LazyDPTS,
}
# What is tried, one change at a time: from growth 1.5, a first batch of 4/epsilon, Beta(2, 2).
CHOICES: dict[str, Callable[[float], Policy]] = {
    "default": NoiseAwareTS,
    "growth 1.25": lambda e: NoiseAwareTS(e, growth=1.25),
    "growth 2": lambda e: NoiseAwareTS(e, growth=2.0),
    "growth 3": lambda e: NoiseAwareTS(e, growth=3.0),
    "first batch 1": lambda e: NoiseAwareTS(e, first_batch=1),
    "first batch 1/eps": lambda e: NoiseAwareTS(e, first_batch=math.ceil(1.0 / e)),
    "first batch 2/eps": lambda e: NoiseAwareTS(e, first_batch=math.ceil(2.0 / e)),
    "first batch 8/eps": lambda e: NoiseAwareTS(e, first_batch=math.ceil(8.0 / e)),
    "prior Beta(.5, .5)": lambda e: NoiseAwareTS(e, prior=(0.5, 0.5)),
    "prior Beta(1, 1)": lambda e: NoiseAwareTS(e, prior=(1.0, 1.0)),
    "prior Beta(1, 3)": lambda e: NoiseAwareTS(e, prior=(1.0, 3.0)),
    "prior Beta(3, 3)": lambda e: NoiseAwareTS(e, prior=(3.0, 3.0)),
    "first batch 1/eps, Beta(1, 1)": lambda e: NoiseAwareTS(
        e, first_batch=math.ceil(1.0 / e), prior=(1.0, 1.0)
    ),
}


@dataclass(frozen=True)
class Forgetful(NoiseAwareTS):
    """NoiseAwareTS that drops releases: an arm's first one, or all but its last ``keep``."""

    keep: int = 0

    kind = "custom"

    def _selector(self, statistics: Statistics, noise: NoiseSource) -> PosteriorSelector:
        return _ForgetfulSelector(self, statistics, noise)


class _ForgetfulSelector(PosteriorSelector):
    _policy: Forgetful

    def _used(self, releases: Releases) -> Releases:
        if self._policy.keep:
            return releases[-self._policy.keep :]
        return releases[1:] if len(releases) > 1 else releases


FORGETFUL: dict[str, Callable[[float], Policy]] = {
    "all releases": NoiseAwareTS,
    "without the first": Forgetful,
    "the last three": lambda e: Forgetful(e, keep=3),
    "the last one": lambda e: Forgetful(e, keep=1),
}


@dataclass(frozen=True)
class Scale:
    """How many instances and runs."""

    tuning: int = 48
    tuning_runs: int = 40
    cells_runs: int = 10_000
    rival_runs: int = 100_000
    unseen: int = 200
    unseen_runs: int = 60
    bound_runs: int = 200
    early: int = 24
    early_runs: int = 24

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls(3, 4, 40, 200, 4, 6, 4, 2, 2)


@dataclass(frozen=True)
class Instance:
    """A random problem."""

    means: tuple[float, ...]
    epsilon: float
    horizon: int


def random_instances(count: int, seed: int, most_arms: int) -> list[Instance]:
    """Draw instances: 2 to ``most_arms`` arms, uniform means, epsilon in 0.05..2, T to 10^9."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        n_arms = round(math.exp(generator.uniform(math.log(2), math.log(most_arms))))
        means = generator.random(max(2, n_arms))
        epsilon = math.exp(generator.uniform(math.log(0.05), math.log(2.0)))
        horizon = round(10 ** generator.uniform(5, 9))
        found.append(Instance(tuple(means.tolist()), epsilon, horizon))
    return found


TUNING_SEED, UNSEEN_SEED = (
    1001,
    3003,
)  # instances of seed 2002 were looked at before the last choice


def _final(policy: Policy, env: Bernoulli, horizon: int, runs: int, seed: int) -> Any:  # noqa: ANN401
    result = simulate(
        policy, env, horizon=horizon, runs=runs, seed=seed, checkpoints=[horizon], progress=False
    )
    return result.regret[0, :, -1]


def choose(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare hyper-parameters over random instances: a row per choice and instance."""
    for number, case in enumerate(random_instances(scale.tuning, TUNING_SEED, 50)):
        runs = max(4, scale.tuning_runs * 5 // max(5, len(case.means)))
        rows = []
        for name, make in CHOICES.items():
            regret = _final(
                make(case.epsilon), Bernoulli(list(case.means)), case.horizon, runs, seed
            )
            rows.append({"choice": name, "mean": regret.mean()})
        base = next(r["mean"] for r in rows if r["choice"] == "default")
        for row in rows:
            yield {
                "instance": number,
                "arms": len(case.means),
                "epsilon": case.epsilon,
                "horizon": case.horizon,
                **row,
                "ratio": row["mean"] / base,
            }


def cells(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare with the rivals on the paper's six cells: means with 99 % intervals, quantiles."""
    for setting, make_env in INSTANCES.items():
        for epsilon in EPSILONS:
            for name, make in {"NoiseAwareTS": NoiseAwareTS, **RIVALS}.items():
                runs = scale.cells_runs
                if name in ("DPKLUCB", "DPIMED"):
                    runs = scale.rival_runs
                elif name == "LazyDPTS":
                    runs = max(20, scale.cells_runs // 10)
                regret = _final(make(epsilon), make_env(), T, runs, seed)
                half = Z99 * regret.std(ddof=1) / math.sqrt(runs)
                yield {
                    "setting": setting,
                    "epsilon": epsilon,
                    "policy": name,
                    "runs": runs,
                    "mean": regret.mean(),
                    "low": regret.mean() - half,
                    "high": regret.mean() + half,
                    "median": np.median(regret),
                    "q999": np.quantile(regret, 0.999),
                    "worst": regret.max(),
                }


def unseen(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare with DPKLUCB on instances that no choice was made on."""
    for number, case in enumerate(random_instances(scale.unseen, UNSEEN_SEED, 20)):
        env = Bernoulli(list(case.means))
        ours = _final(NoiseAwareTS(case.epsilon), env, T, scale.unseen_runs, seed)
        theirs = _final(DPKLUCB(case.epsilon), env, T, 20 * scale.unseen_runs, seed)
        yield {
            "instance": number,
            "arms": len(case.means),
            "epsilon": case.epsilon,
            "NoiseAwareTS": ours.mean(),
            "DPKLUCB": theirs.mean(),
            "ratio": ours.mean() / theirs.mean(),
        }


def bound(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare with the asymptotic lower bound at growing horizons."""
    for setting, make_env in INSTANCES.items():
        env = make_env()
        best = max(env.means)
        for epsilon in EPSILONS:
            constant = sum(
                (best - mean) / float(d_eps(mean, best, epsilon))
                for mean in env.means
                if mean < best
            )
            for horizon in (10**6, 10**9, 10**12):
                regret = _final(NoiseAwareTS(epsilon), env, horizon, scale.bound_runs, seed)
                yield {
                    "setting": setting,
                    "epsilon": epsilon,
                    "horizon": horizon,
                    "mean": regret.mean(),
                    "bound": constant * math.log(horizon),
                    "ratio": regret.mean() / (constant * math.log(horizon)),
                }


def early(scale: Scale, seed: int) -> Iterator[dict[str, Any]]:
    """Compare with posteriors that drop releases, at a short horizon: these are not compiled."""
    horizon = 10**4
    for number, case in enumerate(random_instances(scale.early, TUNING_SEED + 1, 8)):
        env = Bernoulli(list(case.means))
        base = None
        for name, make in FORGETFUL.items():
            runs = scale.early_runs * (20 if base is None else 1)
            mean = _final(make(case.epsilon), env, horizon, runs, seed).mean()
            base = mean if base is None else base
            yield {
                "instance": number,
                "arms": len(case.means),
                "epsilon": case.epsilon,
                "releases": name,
                "mean": mean,
                "ratio": mean / base,
            }


PARTS: dict[str, Callable[[Scale, int], Iterator[dict[str, Any]]]] = {
    "choose": choose,
    "cells": cells,
    "unseen": unseen,
    "bound": bound,
    "early": early,
}


def run_study(folder: Path, scale: Scale, seed: int) -> dict[str, pd.DataFrame]:
    """Run the parts whose files are missing; return all tables."""
    totals = {
        "choose": scale.tuning * len(CHOICES),
        "cells": 2 * len(EPSILONS) * (len(RIVALS) + 1),
        "unseen": scale.unseen,
        "bound": 2 * len(EPSILONS) * 3,
        "early": scale.early * len(FORGETFUL),
    }
    parts = {name: partial(part, scale, seed) for name, part in PARTS.items()}
    return run_parts(folder, parts, totals, {"seed": seed, **asdict(scale)})


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Run the study, or what is left of it; return the tables to show and the picture."""
    tables = run_study(folder, Scale.quick() if quick else Scale(), seed)
    shown = {name: table_of(table) for name, table in study_tables(tables).items()}
    return shown, draw_study(tables)


def study_tables(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables that a reader wants to see."""
    choices = _ratios(tables["choose"], "choice")
    measured = tables["cells"].copy()
    measured["mean, 99 %"] = [
        f"{row.mean_:,.1f} ({row.low:,.1f} to {row.high:,.1f})"
        for row in measured.rename(columns={"mean": "mean_"}).itertuples()
    ]
    for column in ("median", "q999", "worst"):
        measured[column] = measured[column].map("{:,.0f}".format)
    measured["runs"] = measured["runs"].map("{:,}".format)
    measured = measured[
        ["setting", "epsilon", "policy", "runs", "mean, 99 %", "median", "q999", "worst"]
    ].rename(columns={"q999": "99.9 %"})
    ratio = tables["unseen"]["ratio"]
    points = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
    spread = pd.DataFrame(
        {
            "quantile of instances": ["least", "5 %", "25 %", "median", "75 %", "95 %", "most"],
            "regret relative to DPKLUCB's": [f"{np.quantile(ratio, p):.2f}" for p in points],
        }
    )
    below = tables["bound"].copy()
    below["horizon"] = below["horizon"].map("{:.0e}".format)
    for column, form in (("mean", "{:,.0f}"), ("bound", "{:,.0f}"), ("ratio", "{:.2f}")):
        below[column] = below[column].map(form.format)
    dropped = _ratios(tables["early"], "releases")
    return {
        "choices": choices,
        "early": dropped,
        "cells": measured,
        "unseen": spread,
        "bound": below,
    }


def _ratios(table: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the geometric mean of the ratios to the default, with its 95 % interval."""
    grouped = np.log(table["ratio"]).groupby(table[what], sort=False)
    half = 1.96 * grouped.std() / np.sqrt(grouped.size())
    return pd.DataFrame(
        {
            what: list(grouped.groups),
            "regret relative to the default's": [
                f"{math.exp(mean):.3f} ({math.exp(mean - h):.3f} to {math.exp(mean + h):.3f})"
                for mean, h in zip(grouped.mean(), half, strict=True)
            ],
        }
    )


def draw_study(tables: dict[str, pd.DataFrame]) -> Figure:
    """Draw what was tried, and the ratios on unseen instances."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS

    figure = Figure(figsize=(10.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    chosen = tables["choose"]
    names = list(dict.fromkeys(chosen["choice"]))
    for place, name in enumerate(reversed(names)):
        ratios = chosen.loc[chosen["choice"] == name, "ratio"]
        logs = np.log(ratios)
        half = 1.96 * logs.std() / math.sqrt(len(logs))
        mean = math.exp(logs.mean())
        left.plot(ratios, [place] * len(ratios), ".", color="#cccccc", markersize=4)
        ends = [math.exp(logs.mean() - half), math.exp(logs.mean() + half)]
        left.plot(ends, [place, place], color=COLOURS[0], linewidth=2)
        left.plot([mean], [place], "o", color=COLOURS[0], markersize=5)
    left.set_yticks(range(len(names)), list(reversed(names)))
    left.axvline(1.0, color="#888888", linewidth=0.8)
    left.set_xscale("log")
    left.set_xlim(0.6, 2.2)
    left.set_xticks([0.7, 1.0, 1.4, 2.0], ["0.7", "1", "1.4", "2"])
    left.minorticks_off()
    left.set_xlabel("regret relative to the default's, per random instance and on average")
    ratio = np.sort(tables["unseen"]["ratio"])
    share = (np.arange(ratio.size) + 0.5) / ratio.size
    right.plot(ratio, share, color=COLOURS[1], linewidth=2)
    median = float(np.median(ratio))
    right.plot([median], [0.5], "o", color=COLOURS[1])
    right.annotate(
        f"median {median:.2f}", (median, 0.5), xytext=(8, -4), textcoords="offset points"
    )
    right.axvline(1.0, color="#888888", linewidth=0.8)
    right.set_xlabel(f"regret relative to DPKLUCB's, {ratio.size} unseen instances")
    right.set_ylabel("share of instances")
    for axes in (left, right):
        axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


PAGE = Page(
    "noise_aware_ts",
    {name: stored(name) for name in ("choices", "early", "cells", "unseen", "bound")},
    picture="noise-aware-ts",
)
