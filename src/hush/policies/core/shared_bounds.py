"""Regret bounds that several policies share, as their sources state them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from hush.numerics.bound import PROOFS_UPPER, Bound, Setting
from hush.numerics.leader_corollaries import leader_corollaries
from hush.numerics.regret_constants import bracket_sum, lai_robbins, private_constant

__all__ = [
    "at_least_e",
    "bandit_bounds",
    "closed_forms",
    "lazy_bounds",
    "long_run",
    "noisy_leader_bounds",
    "order_bound",
    "private_long_run",
]


def order_bound(
    setting: Setting, formula: str, reference: str, each: Callable[[float], float]
) -> Bound:
    """Return a bound that is a sum over gaps, known in order only."""
    value = sum(each(gap) for gap in setting.gaps)
    return Bound("gaps", "upper", value, formula, reference, strength="order")


def at_least_e(x: float) -> float:
    """Return x where its logarithm is at least 1; e elsewhere, so that orders stay positive."""
    return max(math.e, x)


def lazy_bounds(setting: Setting, reference: str) -> Iterator[Bound]:
    """Yield the orders that the paper proves for its lazy bandits."""
    logarithm, epsilon, n_arms = setting.log_horizon, setting.epsilon, setting.n_arms
    yield order_bound(
        setting, "sum ln T / min(D, eps)", reference, lambda gap: logarithm / min(gap, epsilon)
    )
    value = math.sqrt(n_arms * setting.horizon * logarithm) + n_arms * logarithm / epsilon
    formula = "sqrt(K T ln T) + K ln T / eps"
    yield Bound("any gaps", "upper", value, formula, reference, strength="order")


def closed_forms(setting: Setting, luck: int, noise: int) -> dict[str, tuple[float, str]]:
    """Return the sum of ``ln T (luck / D + noise / eps)``, and its form without gaps."""
    logarithm, epsilon = setting.log_horizon, setting.epsilon
    root = math.sqrt(luck * setting.n_arms * setting.horizon * logarithm)
    return {
        "gaps, closed form": (
            sum(logarithm * (luck / gap + noise / epsilon) for gap in setting.gaps),
            f"sum ln T ({luck} / D + {noise} / eps)",
        ),
        "any gaps, closed form": (
            2.0 * root + noise * setting.n_arms * logarithm / epsilon,
            f"2 sqrt({luck} K T ln T) + {noise} K ln T / eps",
        ),
    }


def bandit_bounds(setting: Setting, values: dict[str, tuple[float, str]]) -> Iterator[Bound]:
    """Yield bounds on a bandit that Hush's documents prove from two rounds on: value, formula."""
    for name, (value, formula) in values.items():
        yield Bound(
            name,
            "upper",
            value,
            formula,
            PROOFS_UPPER,
            holds=setting.horizon >= 2,
            condition="T >= 2",
        )


def long_run(setting: Setting, reference: str) -> Bound:
    """Return the regret in the long run of what is optimal for coins."""
    value = lai_robbins(setting.means) * setting.log_horizon
    formula = "sum D ln T / kl(m, m*)"
    return Bound(
        "long run", "upper", value, formula, reference, strength="leading term", quoted=True
    )


def private_long_run(setting: Setting, reference: str, alpha: float) -> Bound:
    """Return the regret in the long run of batches that let an arm's total grow by alpha."""
    value = alpha * private_constant(setting.means, setting.epsilon)
    formula = f"alpha sum D ln T / d_eps(m, m*), alpha = {alpha:g}"
    return Bound(
        "long run",
        "upper",
        value * setting.log_horizon,
        formula,
        reference,
        strength="leading term",
        quoted=True,
    )


def noisy_leader_bounds(
    setting: Setting, reference: str, scale: float, *, proven: bool = True, condition: str = ""
) -> Iterator[Bound]:
    """Apply the paper's regret theorem: of the noise only its scale enters."""
    rate = 1.0 / scale
    yield Bound(
        "brackets",
        "upper",
        bracket_sum(setting.gaps, rate),
        f"sum over brackets J of 256 (1 + ln |J|) / min(D, 1/scale), 1/scale = {rate:g}",
        f"{reference} regret theorem of RNM-FTNL, constants from its proof",
        holds=proven,
        condition=condition,
    )
    independent = f"{reference} instance-independent bound of RNM-FTNL"
    yield Bound(
        "brackets above a threshold",
        "upper",
        _threshold(setting, rate),
        "least over thresholds d of T max{D : D <= d} + brackets of the gaps above d",
        f"{independent}, constants from its proof",
        holds=proven,
        condition=condition,
    )
    logarithm = math.log(max(setting.n_arms, 1))
    yield Bound(
        "any gaps",
        "upper",
        math.sqrt(setting.horizon * logarithm) + scale * logarithm * setting.log_horizon,
        "sqrt(T ln K) + scale ln K ln T",
        independent,
        strength="order",
        holds=proven,
        condition=condition,
    )
    yield from leader_corollaries(setting, reference, rate, proven=proven, condition=condition)


def _threshold(setting: Setting, rate: float) -> float:
    ordered = np.sort(setting.gaps)
    least = bracket_sum(ordered, rate)
    for position, gap in enumerate(ordered.tolist(), start=1):
        if setting.horizon * gap >= least:
            break
        least = min(least, setting.horizon * gap + bracket_sum(ordered[position:], rate))
    return least
