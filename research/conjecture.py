"""What exact regret says about the rate of RNM-FTNL, about epochs, and about privacy's cost.

The paper proves, for RNM-FTNL, a bound that adds up over brackets of gaps, and conjectures that
``ln K / min(Dmin, eps)`` is the right rate even where gaps double from action to action. For the
problem that is settled, by another algorithm; for RNM-FTNL it is open. Here its regret is not
simulated but computed, at horizons up to 2^40.

Four parts, each kept as a CSV file as soon as it is done; a part whose file is there is not run
again, so that an interrupted study goes on where it stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hush.environments import Bernoulli, packing
from hush.numerics.bound import Setting
from hush.policies import (
    FTL,
    RNMFTNL,
    DecreasingHedge,
    EpochPolicy,
    NaiveFTNL,
    Policy,
    RandomPrefixEM,
    ShrinkingDartboard,
    WuWang,
)
from hush.policies.core.monotone_bounds import monotone_bound
from hush.simulation import simulate
from hush.studies.definition.environment_table import brackets as doubling_brackets
from hush.theory import bounds, exact_regret
from research.resumable import run_parts

__all__ = ["PARTS", "Scale", "run_study"]

HORIZON = 2**40
Row = dict[str, Any]
CALIBRATIONS: dict[str, Callable[[float], RNMFTNL]] = {
    "replace": RNMFTNL,
    "as printed": RNMFTNL.as_printed,
}


@dataclass(frozen=True)
class Scale:
    """How much is computed."""

    arms: tuple[int, ...] = (2, 4, 16, 64, 256, 1000)
    gaps: tuple[float, ...] = (2.0**-3, 2.0**-6, 2.0**-9, 2.0**-12, 2.0**-15)
    epsilons: tuple[float, ...] = (0.01, 0.1, 1.0)
    brackets: tuple[int, ...] = tuple(range(1, 16))
    growths: tuple[float, ...] = (1.2, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.5, 4.0, 6.0)
    shifts: int = 6
    losses: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    runs: int = 20

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls((2, 16), (2.0**-3, 2.0**-9), (0.1,), (1, 4), (1.5, 2.0, 2.5), 1, (0.1, 1.0), 4)


def _doubling(n_arms: int, gap: float) -> Bernoulli | None:
    """Return gaps that double over as many brackets as fit, with equal crowds; None if K is less.

    ``gap`` 2^-m allows m brackets. K - 1 actions are spread over them, as far as that is even.
    """
    most = round(-math.log2(gap))
    count = min(most, n_arms - 1)
    return doubling_brackets(count, (n_arms - 1) // count, gap) if count > 1 else None


FAMILIES: dict[str, Callable[[int, float], Bernoulli | None]] = {
    "equal": lambda n_arms, gap: doubling_brackets(1, n_arms - 1, gap),
    "packing": packing,
    "doubling": _doubling,
}


def rates(scale: Scale, seed: int) -> Iterator[Row]:  # noqa: ARG001  nothing is random here
    """Compare exact regret with the conjectured rate and with the proven bound."""
    for family, make_env in FAMILIES.items():
        for n_arms in scale.arms:
            for gap in scale.gaps:
                env = make_env(n_arms, gap)
                if env is None:
                    continue
                for epsilon in scale.epsilons:
                    for calibration, make in CALIBRATIONS.items():
                        yield {
                            "family": family,
                            "actions": env.n_arms,
                            "gap": gap,
                            "epsilon": epsilon,
                            "calibration": calibration,
                            **_compared(make(epsilon), env, gap, epsilon),
                        }


def _compared(policy: RNMFTNL, env: Bernoulli, gap: float, epsilon: float) -> Row:
    points = [2**10, 2**20, 2**30, HORIZON]
    found = exact_regret(policy, env, HORIZON, checkpoints=points)
    regret = found.final
    setting = Setting(tuple(env.means), HORIZON, epsilon)
    return {
        **{f"regret 2^{p.bit_length() - 1}": v for p, v in zip(points, found.regret, strict=True)},
        "to rate": regret * min(gap, epsilon) / math.log(env.n_arms),
        "to bound": regret / bounds(policy, env, HORIZON)["brackets"].value,
        "to coins": regret / monotone_bound(policy, setting).value,
    }


def brackets(scale: Scale, seed: int) -> Iterator[Row]:  # noqa: ARG001  nothing is random here
    """Follow the instance on which rate and bound differ most: eps below all doubling gaps."""
    smallest = 2.0 ** -max(scale.brackets)
    epsilon = smallest
    for crowd in (1, 16):
        for count in scale.brackets:
            env = doubling_brackets(count, crowd, smallest)
            for calibration, make in CALIBRATIONS.items():
                yield {
                    "brackets": count,
                    "crowd": crowd,
                    "actions": env.n_arms,
                    "gap": smallest,
                    "epsilon": epsilon,
                    "calibration": calibration,
                    **_compared(make(epsilon), env, smallest, epsilon),
                }


def growth(scale: Scale, seed: int) -> Iterator[Row]:  # noqa: ARG001  nothing is random here
    """Compare ratios of successive epochs; gaps are shifted so that no ratio fits by luck."""
    for family, make_env in FAMILIES.items():
        for n_arms in (5, 50):
            for epsilon in (0.1, 1.0):
                for shift in range(scale.shifts):
                    gap = 0.125 * 2.0 ** (-shift / scale.shifts)
                    env = (
                        doubling_brackets(3, (n_arms - 1) // 3, gap)
                        if family == "doubling"
                        else make_env(n_arms, gap)
                    )
                    assert env is not None  # noqa: S101  these families fit every K
                    base = exact_regret(RNMFTNL(epsilon), env, HORIZON).final
                    for ratio in scale.growths:
                        policy = RNMFTNL(epsilon, growth=ratio)
                        regret = exact_regret(policy, env, HORIZON, checkpoints=[]).final
                        yield {
                            "family": family,
                            "actions": env.n_arms,
                            "epsilon": epsilon,
                            "gap": gap,
                            "growth": ratio,
                            "regret": regret,
                            "ratio": regret / base,
                        }


COSTS: dict[str, Callable[[float], Policy]] = {
    "RNMFTNL": RNMFTNL,
    "RNMFTNL, growth 2.5": lambda epsilon: RNMFTNL(epsilon, growth=2.5),
    "RNMFTNL, Gumbel": lambda epsilon: RNMFTNL(epsilon, noise="gumbel"),
    "RNMFTNL, Laplace": lambda epsilon: RNMFTNL(epsilon, noise="laplace"),
    "RNMFTNL, as printed (2 eps)": RNMFTNL.as_printed,
    "NaiveFTNL": NaiveFTNL,
    "WuWang": WuWang,
    "RandomPrefixEM": RandomPrefixEM,
    "ShrinkingDartboard": ShrinkingDartboard,
    "FTL, not private": lambda _epsilon: FTL(),
    "DecreasingHedge, not private": lambda _epsilon: DecreasingHedge(),
}
COST_HORIZON = 2**20
COST_ENVS = {
    "S1, best last": Bernoulli([0.25, 0.375, 0.5, 0.625, 0.75]),
    "64 actions, gap 0.1": packing(64, 0.1),
}


def privacy(scale: Scale, seed: int) -> Iterator[Row]:
    """Regret against epsilon for all full-information policies; exact but for the dartboard."""
    for setting, env in COST_ENVS.items():
        for name, make in COSTS.items():
            known: float | None = None
            for epsilon in scale.losses:
                policy = make(epsilon)
                error = 0.0
                if isinstance(policy, EpochPolicy):
                    if known is None or "not private" not in name:
                        known = exact_regret(policy, env, COST_HORIZON, checkpoints=[]).final
                    regret = known
                else:
                    regret, error = _simulated(policy, env, scale.runs, seed)
                yield {
                    "setting": setting,
                    "policy": name,
                    "epsilon": epsilon,
                    "regret": regret,
                    "standard error": error,
                }


def _simulated(policy: Policy, env: Bernoulli, runs: int, seed: int) -> tuple[float, float]:
    result = simulate(
        policy, env, horizon=COST_HORIZON, runs=runs, seed=seed, checkpoints=[], progress=False
    )
    values = result.regret[0, :, -1]
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(runs))


PARTS: dict[str, Callable[[Scale, int], Iterator[Row]]] = {
    "rates": rates,
    "brackets": brackets,
    "growth": growth,
    "privacy": privacy,
}


def run_study(folder: Path, scale: Scale, seed: int) -> dict[str, pd.DataFrame]:
    """Run the parts whose files are missing; return all tables."""
    parts = {name: partial(part, scale, seed) for name, part in PARTS.items()}
    totals = {name: _rows(name, scale) for name in PARTS}
    return run_parts(folder, parts, totals, {"seed": seed, **asdict(scale)})


def _rows(name: str, scale: Scale) -> int:
    """Return how many rows a part has."""
    if name == "rates":
        fitting = sum(
            make(n_arms, gap) is not None
            for make in FAMILIES.values()
            for n_arms in scale.arms
            for gap in scale.gaps
        )
        return fitting * len(scale.epsilons) * len(CALIBRATIONS)
    return {
        "brackets": 2 * len(scale.brackets) * len(CALIBRATIONS),
        "growth": len(FAMILIES) * 4 * scale.shifts * len(scale.growths),
        "privacy": len(COST_ENVS) * len(COSTS) * len(scale.losses),
    }[name]
