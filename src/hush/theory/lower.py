"""Lower bounds: what no policy of a kind can avoid, and what this one does at its start."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from hush.mechanisms.schedules import LONGEST
from hush.policies import DPSE, BanditPolicy, EpochPolicy
from hush.policies.dp_se import FIRST_STAGE, phase
from hush.theory.bound import Bound, Setting
from hush.theory.constants import lai_robbins, minimax_lower, packing_lower, private_constant

__all__ = ["lower_bounds"]

PAPER = "https://arxiv.org/abs/2102.07929"


def lower_bounds(setting: Setting) -> list[Bound]:
    """Return the lower bounds on the policy's regret."""
    maker = _bandit if setting.policy.feedback == "bandit" else _full
    return [*_start(setting), *maker(setting)]


def _start(setting: Setting) -> Iterator[Bound]:
    """Return what the policy's first rounds cost, whatever it sees."""
    policy, gaps = setting.policy, setting.env.gaps
    if type(policy) is DPSE:
        stage = FIRST_STAGE if policy.anytime else policy.horizon or setting.horizon
        rounds = min(stage, setting.horizon)
        pulls = min(phase(1, setting.n_arms, stage, policy.epsilon)[0], rounds // setting.n_arms)
        formula = "R sum D, R the pulls of each arm in the first phase"
        yield Bound("first phase", "lower", pulls * float(gaps.sum()), formula, policy.reference)
    elif isinstance(policy, BanditPolicy) and policy.explores_first:
        first = policy.schedule.length(0)
        needed = first * setting.n_arms
        if first < LONGEST:
            yield Bound(
                "first pulls",
                "lower",
                first * float(gaps.sum()),
                "n sum D: each arm is first pulled n times" if first > 1 else "sum D",
                "every arm is played before any decision",
                holds=setting.horizon >= needed,
                condition=f"T >= {needed}",
            )
    elif isinstance(policy, EpochPolicy):
        random = policy.starts_at_random
        cost = float(gaps.mean()) if random else float(gaps[0])
        formula = "mean of D" if random else "D of action 0"
        yield Bound("first round", "lower", cost, formula, "played before any reward is seen")


def _bandit(setting: Setting) -> Iterator[Bound]:
    logarithm = math.log(setting.horizon)
    yield Bound(
        "Lai and Robbins",
        "lower",
        lai_robbins(setting.env) * logarithm,
        "sum D ln T / kl(m, m*)",
        "https://doi.org/10.1016/0196-8858(85)90002-8",
        strength="leading term",
    )
    if math.isfinite(setting.epsilon):
        yield Bound(
            "private, long run",
            "lower",
            private_constant(setting.env, setting.epsilon) * logarithm,
            "sum D ln T / d_eps(m, m*)",
            "https://arxiv.org/abs/2505.05613",
            strength="leading term",
        )
    yield Bound(
        "minimax",
        "lower",
        minimax_lower(setting.n_arms, setting.horizon, setting.epsilon),
        "max(sqrt(T (K - 1)) / 27, (K - 1) / (131 eps))",
        "https://arxiv.org/abs/2209.02570",
        scope="worst case",
        holds=setting.n_arms >= 2 and setting.horizon >= setting.n_arms - 1,
        condition="two arms, and T >= K - 1",
    )


def _full(setting: Setting) -> Iterator[Bound]:
    n_arms, rounds, epsilon = setting.n_arms, setting.horizon, setting.epsilon
    logarithm = math.log(n_arms)
    gap = setting.smallest
    private = math.isfinite(epsilon)
    if gap is not None:
        small = n_arms >= 4 and gap < 0.25
        enough = logarithm / (10.0 * epsilon * gap)
        if private:
            yield Bound(
                "packing",
                "lower",
                packing_lower(n_arms, epsilon),
                "0.2 * 0.49 ln K / (10 eps)",
                f"{PAPER} full-information lower bound, constants from its proof",
                scope="worst case",
                holds=small and rounds >= enough and _is_packing(setting),
                condition=(
                    "K >= 4, Dmin < 1/4, T >= ln K / (10 eps Dmin) "
                    f"= {enough:,.1f}, and all means 1/2 but the best"
                ),
            )
        needed = logarithm / (16.0 * gap * gap)
        yield Bound(
            "packing, not private",
            "lower",
            logarithm / gap,
            "ln K / Dmin",
            "https://arxiv.org/abs/1809.01382",
            strength="order",
            scope="worst case",
            holds=small and rounds >= needed and _is_packing(setting),
            condition=(
                f"K >= 4, Dmin < 1/4, T >= ln K / (16 Dmin^2) = {needed:,.1f}, and all means 1/2 "
                "but the best"
            ),
        )
    root = math.sqrt(rounds * logarithm)
    needed = logarithm / (100.0 * epsilon**2) if private else 0.0
    yield Bound(
        "minimax",
        "lower",
        max(root, logarithm / epsilon),
        "max(sqrt(T ln K), ln K / eps)" if private else "sqrt(T ln K)",
        f"{PAPER} full-information lower bound",
        strength="order",
        scope="worst case",
        holds=n_arms >= 4 and rounds >= needed,
        condition=f"K >= 4 and T >= ln K / (100 eps^2) = {needed:,.1f}",
    )


def _is_packing(setting: Setting) -> bool:
    """Tell whether all means are 1/2 but one above it."""
    means = setting.env.means
    return setting.unique_best and bool(np.all(np.sort(means)[:-1] == 0.5))
