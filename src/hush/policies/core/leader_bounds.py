"""Bounds of our own for followers of a noisy leader. Proofs: docs/theory/upper_bounds.md."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from hush.noise.laws import ArgmaxLaw
from hush.numerics.bound import PROOFS_UPPER, Bound, Setting
from hush.numerics.leader_chances import costs_of_leaders, mean_of_largest
from hush.numerics.regret_constants import brackets
from hush.policies.core.full_information import EpochPolicy
from hush.policies.core.monotone_bounds import monotone_bound

__all__ = ["leader_bounds", "prefix_bounds"]


def leader_bounds(
    policy: EpochPolicy,
    setting: Setting,
    law: ArgmaxLaw,
    scale: float,
    *,
    growth: float | None = None,
) -> Iterator[Bound]:
    """Yield closed forms for epochs that double, and two sums over epochs for any.

    Without a growth of the policy's own, epochs double.
    """
    rounds, noise = setting.horizon, scale * mean_of_largest(setting.n_arms, law)
    doubling = growth in (None, 2.0)
    condition = "" if growth is None else f"growth = 2; growth is {growth:g}"
    tail = 32 if law == "laplace" else 16
    yield Bound(
        "brackets, closed form",
        "upper",
        _first(policy, setting) + _brackets(setting, 32.0, tail * scale),
        f"D of action 0 + sum over brackets J of (1 + ln |J|) (32 / D + {tail} scale), "
        f"scale = {scale:g}",
        PROOFS_UPPER,
        holds=doubling,
        condition=condition,
    )
    root = math.sqrt(rounds * math.log(setting.n_arms))
    yield Bound(
        "any gaps, closed form",
        "upper",
        1.0 + (1.0 + math.sqrt(2.0)) * root + 2.0 * noise * math.log2(rounds),
        f"1 + (1 + sqrt 2) sqrt(T ln K) + 2 scale {_mean(law)} log2 T, scale = {scale:g}",
        PROOFS_UPPER,
        holds=doubling,
        condition=condition,
    )
    yield Bound(
        "epochs",
        "upper",
        _first(policy, setting) + _later(policy, setting, law, scale),
        "sum over epochs of length times the largest sum p D, where "
        "p <= P(sqrt(n / 2) V + W >= n D) after epochs of n, and sum p <= 1",
        PROOFS_UPPER,
    )
    yield monotone_bound(policy, setting)


def prefix_bounds(policy: EpochPolicy, setting: Setting, scale: float) -> Iterator[Bound]:
    """Yield closed forms for doubling blocks whose random prefixes have Gumbel noise."""
    logarithm, doublings = math.log(setting.n_arms), math.log2(setting.horizon)
    yield Bound(
        "brackets, closed form",
        "upper",
        _first(policy, setting) + doublings * _brackets(setting, 16.0, 8.0 * scale),
        "D of action 0 + log2 T sum over brackets J of (1 + ln |J|) (16 / D + 8 scale), "
        f"scale = {scale:g}",
        PROOFS_UPPER,
    )
    root = math.sqrt(setting.horizon * logarithm)
    private = scale * logarithm * doublings * (2.0 + setting.log_horizon)
    yield Bound(
        "any gaps, closed form",
        "upper",
        1.0 + (2.0 + 2.0 * math.sqrt(2.0)) * root + private,
        f"1 + (2 + 2 sqrt 2) sqrt(T ln K) + scale ln K log2 T (2 + ln T), scale = {scale:g}",
        PROOFS_UPPER,
    )


def _first(policy: EpochPolicy, setting: Setting) -> float:
    """Return what the first round costs, before any reward is seen."""
    gaps = setting.all_gaps
    return float(gaps.mean() if policy.starts_at_random else gaps[0])


def _brackets(setting: Setting, luck: float, noise: float) -> float:
    return sum(
        (1.0 + math.log(size)) * (luck / gap + noise) for gap, size in brackets(setting.gaps)
    )


def _mean(law: ArgmaxLaw) -> str:
    return "(1 + ln(K / 2))" if law == "laplace" else "ln K"


def _later(policy: EpochPolicy, setting: Setting, law: ArgmaxLaw, scale: float) -> float:
    """Return at most what all epochs but the first cost."""
    lengths = policy.schedule.lengths(setting.horizon)
    ends = np.minimum(np.cumsum(lengths), setting.horizon)
    counts, members = np.unique(lengths[:-1], return_inverse=True)
    played = np.bincount(members, weights=np.diff(ends).astype(np.float64))
    costs = costs_of_leaders(setting.gaps, counts, law, scale)
    logarithm, noise = math.log(setting.n_arms), scale * mean_of_largest(setting.n_arms, law)
    return float(played @ np.minimum(costs, np.sqrt(0.5 * logarithm / counts) + noise / counts))
