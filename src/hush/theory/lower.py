"""Lower bounds: what no policy of a kind can avoid, and what this one does at its start."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hush.numerics.bound import Bound, Setting
from hush.numerics.regret_constants import lai_robbins, private_constant
from hush.policies import Policy
from hush.theory.constants import minimax_lower, packing_lower, packing_regret

__all__ = ["lower_bounds"]

PAPER = "https://arxiv.org/abs/2102.07929"


def lower_bounds(policy: Policy, setting: Setting) -> list[Bound]:
    """Return the lower bounds on the policy's regret."""
    return [*policy.first_rounds(setting), *FOR_ALL[policy.feedback](setting)]


def _bandit(setting: Setting) -> Iterator[Bound]:
    logarithm = math.log(setting.horizon)
    yield Bound(
        "Lai and Robbins",
        "lower",
        lai_robbins(setting.means) * logarithm,
        "sum D ln T / kl(m, m*)",
        "https://doi.org/10.1016/0196-8858(85)90002-8",
        strength="leading term",
        quoted=True,
    )
    if math.isfinite(setting.epsilon):
        yield Bound(
            "private, long run",
            "lower",
            private_constant(setting.means, setting.epsilon) * logarithm,
            "sum D ln T / d_eps(m, m*)",
            "https://arxiv.org/abs/2505.05613",
            strength="leading term",
            quoted=True,
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
        quoted=True,
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
                "any private learner",
                "lower",
                packing_regret(n_arms, min(gap, 0.5), rounds, epsilon),
                "D sum over t of (1 - R^(t - 1) / K)+, R = 1 + 2 D tanh(eps / 2)",
                "docs/theory/lower_bounds.md",
                scope="worst case",
                holds=_is_packing(setting),
                condition="all means 1/2 but the best",
            )
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
    return setting.unique_best and all(mean == 0.5 for mean in sorted(setting.means)[:-1])


FOR_ALL = {"bandit": _bandit, "full": _full}
