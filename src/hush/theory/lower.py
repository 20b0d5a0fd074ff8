"""Lower bounds: what no policy of a kind can avoid, and what this one does at its start."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hush.numerics.bound import PROOFS_LOWER, Bound, Setting
from hush.numerics.regret_constants import lai_robbins, private_constant
from hush.policies import Policy
from hush.theory.constants import minimax_lower, packing_lower
from hush.theory.packing import packing_minimax, packing_regret

__all__ = ["lower_bounds"]

PAPER = "https://arxiv.org/abs/2102.07929"
PACKING = "all means 1/2 but the best"


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
    if setting.smallest is not None:
        yield _packing(setting, setting.smallest)
        yield from _theorem(setting, setting.smallest)
    yield _minimax(setting)
    yield Bound(
        f"{_anyone(setting)}, any gaps",
        "lower",
        packing_minimax(setting.n_arms, setting.horizon, setting.epsilon),
        "largest over gaps D <= 1/2 of D sum over t of the least chance of a mistake",
        PROOFS_LOWER,
        scope="worst case",
    )


def _anyone(setting: Setting) -> str:
    return "any private learner" if math.isfinite(setting.epsilon) else "any learner"


def _packing(setting: Setting, gap: float) -> Bound:
    """Return what no learner avoids where all means are 1/2 but the best."""
    return Bound(
        _anyone(setting),
        "lower",
        packing_regret(setting.n_arms, min(gap, 0.5), setting.horizon, setting.epsilon),
        "D sum over t of the least chance of a mistake, averaged over which action is best",
        PROOFS_LOWER,
        scope="some order",
        holds=_is_packing(setting),
        condition=PACKING,
    )


def _theorem(setting: Setting, gap: float) -> Iterator[Bound]:
    """Yield both terms of the paper's lower bound, the private one with its proof's constants."""
    logarithm, rounds = math.log(setting.n_arms), setting.horizon
    holds = setting.n_arms >= 4 and gap < 0.25 and _is_packing(setting)
    if math.isfinite(setting.epsilon):
        needed = logarithm / (10.0 * setting.epsilon * gap)
        yield Bound(
            "packing",
            "lower",
            packing_lower(setting.n_arms, setting.epsilon),
            "0.2 * 0.49 ln K / (10 eps)",
            f"{PAPER} full-information lower bound, second term, constants from its proof",
            scope="some order",
            holds=holds and rounds >= needed,
            condition=(
                f"K >= 4, Dmin < 1/4, T >= ln K / (10 eps Dmin) = {needed:,.1f}, and {PACKING}"
            ),
        )
    needed = logarithm / (16.0 * gap * gap)
    yield Bound(
        "packing, not private",
        "lower",
        logarithm / gap,
        "ln K / Dmin",
        "https://arxiv.org/abs/1809.01382, the first term of the paper's lower bound",
        strength="order",
        scope="some order",
        holds=holds and rounds >= needed,
        condition=f"K >= 4, Dmin < 1/4, T >= ln K / (16 Dmin^2) = {needed:,.1f}, and {PACKING}",
    )


def _minimax(setting: Setting) -> Bound:
    """Return the paper's order for the worst gap, ``sqrt(ln K / T)``, which must be below 1/4."""
    logarithm, rounds, epsilon = math.log(setting.n_arms), setting.horizon, setting.epsilon
    private = math.isfinite(epsilon)
    ratio = math.sqrt(logarithm) / (10.0 * epsilon)
    gap, loss = 16.0 * logarithm, ratio * ratio
    return Bound(
        "minimax",
        "lower",
        max(math.sqrt(rounds * logarithm), logarithm / epsilon),
        "max(sqrt(T ln K), ln K / eps)" if private else "sqrt(T ln K)",
        f"{PAPER} full-information lower bound, at the gap sqrt(ln K / T)",
        strength="order",
        scope="worst case",
        holds=setting.n_arms >= 4 and rounds > gap and rounds >= loss,
        condition=f"K >= 4, T > 16 ln K = {gap:,.1f}"
        + (f", and T >= ln K / (100 eps^2) = {loss:,.1f}" if private else ""),
    )


def _is_packing(setting: Setting) -> bool:
    """Tell whether all means are 1/2 but one above it."""
    return setting.unique_best and all(mean == 0.5 for mean in sorted(setting.means)[:-1])


FOR_ALL = {"bandit": _bandit, "full": _full}
