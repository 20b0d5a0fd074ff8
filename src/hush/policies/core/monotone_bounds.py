"""What a noisy leader's regret is at most where every sum is a sum of coins.

Sums of coins are ordered as their means are. With noise of one law on each, a better action is then
at least as likely to lead as a worse one: the r-th best leads with chance 1/r at most. Where sums
are of anything else in [0, 1] that need not hold, which is why Wu and Wang toss a coin for every
entry. ``docs/conjecture.md`` has the proof.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hush.numerics.bound import Bound, Setting
from hush.policies.core.full_information import EpochPolicy

__all__ = ["monotone_bound"]

Floats = NDArray[np.float64]
# Chernoff's bound holds at every point; these are close enough to lose little.
POINTS: Floats = 1.0 / (1.0 + np.exp(np.linspace(-12.0, 12.0, 97)))
STEEPEST = 30.0  # a smaller point than the noise's is as good, and no exponential overflows


def monotone_bound(policy: EpochPolicy, setting: Setting) -> Bound:
    """Return the bound for an epoch policy that adds noise without ties, and sums all of an epoch.

    Noise is continuous, as in simulations. Deployed Laplace noise is whole; its ties go to the
    lowest action, which the argument does not cover.

    Examples
    --------
    >>> import hush
    >>> setting = Setting((0.25, 0.375, 0.5, 0.625, 0.75), 2**20, epsilon=1.0)
    >>> round(monotone_bound(hush.RNMFTNL(1.0, noise="gumbel"), setting).value, 1)
    41.4
    """
    law = policy.choice_law(setting.n_arms)
    assert law is not None  # noqa: S101  its mechanism states one
    gaps, sizes = np.unique(setting.all_gaps, return_counts=True)
    lengths = policy.schedule.lengths(setting.horizon)
    starts = np.concatenate([[0], np.cumsum(lengths[:-1])])
    played = np.clip(setting.horizon - starts, 0, lengths)
    total = float(played[0] * next(policy.first_rounds(setting)).value)
    for count, rounds in zip(lengths[:-1].tolist(), played[1:].tolist(), strict=True):
        chances = _ahead(setting.best, gaps, count, law.name, law.scale)
        cost = rounds * float(np.sum(sizes * gaps * np.minimum(chances, _level(sizes, chances))))
        total += cost
        if cost < 1e-300:  # and less from then on
            break
    return Bound(
        "monotone chances",
        "upper",
        total,
        "sum over epochs of length times sum D min(c, level), c by Chernoff's bound",
        "docs/conjecture.md, for independent coins",
        condition="noise without ties",
    )


def _ahead(best: float, gaps: Floats, count: int, law: str, scale: float) -> Floats:
    """Return Chernoff's bound on the chance of being ahead of the best, of each gap.

    The mean of ``exp(x (lead + noise))`` is a product: a coin of either action for each of the
    summed rounds, and the difference of two draws of noise.
    """
    turn = np.minimum(POINTS[:, None] / scale, STEEPEST)
    worse = best - gaps
    coins = np.log1p(worse * np.expm1(turn)) + np.log1p(best * np.expm1(-turn))
    return np.asarray(np.exp(np.minimum(count * coins + _noise(law), 0.0).min(axis=0)))


def _noise(law: str) -> Floats:
    """Return the logarithm of the noise's part: logistic, or one Laplace draw or two."""
    if law == "gumbel":
        return np.asarray(np.log(np.pi * POINTS / np.sin(np.pi * POINTS)))[:, None]
    return np.asarray(-np.log1p(-(POINTS**2)) * (2.0 if law == "laplace" else 1.0))[:, None]


def _level(sizes: NDArray[np.int64], chances: Floats) -> float:
    """Return the level at which all chances, cut there, add up to 1; they fall with the gap."""
    held = sizes * chances
    beyond = held.sum() - np.cumsum(held)
    return float(((1.0 - beyond) / np.cumsum(sizes)).max())
