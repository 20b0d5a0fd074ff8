"""Bounds of our own for NoiseAwareUCB. Proofs: docs/theory/noise_aware_ucb.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hush.mechanisms.schedules import GrowingTotal
from hush.numerics.bound import Bound, Setting
from hush.numerics.regret_constants import private_constant

__all__ = [
    "Batches",
    "affinities",
    "batch_chances",
    "density_caps",
    "noise_aware_ucb_bounds",
    "rounds_lost",
]

Floats = NDArray[np.float64]

PROOFS = 'Hush\'s documentation, "NoiseAwareUCB" (docs/theory/noise_aware_ucb.md)'
# Markov's and Hoelder's inequalities hold at every point; these lose 0.3 % up to epsilon 10.
ORDERS: Floats = np.concatenate([np.geomspace(0.005, 0.1, 12), np.linspace(0.12, 0.54, 22)])
SHARES: Floats = np.concatenate([np.linspace(0.02, 0.8, 27), 1.0 - 0.2 * 0.7 ** np.arange(1, 24)])
STEEPEST = 300.0  # a larger tilt is never needed, and no exponential overflows
ROUNDING = 1e-15
BLOCK = 512


@dataclass(frozen=True)
class Batches:
    """How the policy plays: the noise, the lengths of batches, and f.

    Attributes
    ----------
    epsilon
        Releases have Laplace noise of scale ``1 / epsilon``.
    growth, first
        An arm's first batch has ``first`` rewards; each later one lets its total grow by
        ``growth``.
    power
        An arm's bound is where its posterior is ``1 / f(t)`` times its prior, with
        ``f(t) = t (1 + ln t)^power``.
    """

    epsilon: float
    growth: float
    first: int
    power: float

    def log_f(self, rounds: int) -> float:
        """Return ``ln f(t)`` after so many rounds."""
        return math.log(rounds) + self.power * math.log1p(math.log(rounds))


def noise_aware_ucb_bounds(
    setting: Setting, *, epsilon: float, growth: float, first_batch: int, power: float = 2.0
) -> Iterator[Bound]:
    """Yield closed forms, the sum over batches, and its constant in the long run.

    Parameters
    ----------
    setting
        Means and horizon.
    epsilon, growth, first_batch, power
        See :class:`Batches`. The power may be from 0 to 2.

    Examples
    --------
    >>> setting = Setting((0.75, 0.625, 0.5, 0.375, 0.25), horizon=10**6, epsilon=0.5)
    >>> found = noise_aware_ucb_bounds(setting, epsilon=0.5, growth=1.5, first_batch=8)
    >>> {bound.name: round(bound.value) for bound in found}
    {'gaps, closed form': 4535, 'any gaps, closed form': 58868, 'epochs': 547, 'long run': 216}
    """
    batches = Batches(epsilon, growth, first_batch, power)
    lost, largest = rounds_lost(setting, batches), max(setting.gaps, default=0.0)
    means = Counter(setting.worse)
    pulls = {each: _pulls(each, setting, batches) for each in means}
    total = sum(many * (setting.best - each) * pulls[each] for each, many in means.items())
    yield from _closed_forms(setting, batches, lost)
    yield Bound(
        "epochs",
        "upper",
        total + lost * largest,
        "sum D (b + sum over m of n Q) + F max D, n the rewards of batch m + 1, Q at least the "
        f"chance that after m batches the arm's bound is above m*, F = {lost:.4g}",
        PROOFS,
    )
    constant = private_constant(setting.means, epsilon) + (largest if power == 0.0 else 0.0)
    more = " + g ln T max D" if power == 0.0 else ""
    yield Bound(
        "long run",
        "upper",
        growth * constant * setting.log_horizon,
        f"g sum D ln T / d_eps(m, m*){more}, g = {growth:g}",
        PROOFS,
        strength="leading term",
    )


def _closed_forms(setting: Setting, batches: Batches, lost: float) -> Iterator[Bound]:
    epsilon, growth = batches.epsilon, batches.growth
    n_arms, gaps = setting.n_arms, np.array(setting.gaps)
    logs = setting.log_horizon + 0.5 * (setting.log_horizon + batches.log_f(setting.horizon))
    factor = 3.0 * growth * (logs + 0.29 + 0.32 / math.log(growth))
    each = (batches.first + 2.0) * gaps + factor * np.maximum(1.0 / gaps, 4.0 / epsilon)
    shown = f"A = 3 g (1.5 ln T + 0.5 ln f(T) + 0.29 + 0.32 / ln g), F = {lost:.4g}"
    yield Bound(
        "gaps, closed form",
        "upper",
        float(each.sum()) + lost * max(setting.gaps, default=0.0),
        f"sum ((b + 2) D + A max(1 / D, 4 / eps)) + F max D, {shown}",
        PROOFS,
    )
    root = math.sqrt(factor * n_arms * setting.horizon)
    yield Bound(
        "any gaps, closed form",
        "upper",
        2.0 * root + n_arms * (batches.first + 2.0 + 4.0 * factor / epsilon) + lost,
        f"2 sqrt(A K T) + K (b + 2 + 4 A / eps) + F, {shown}",
        PROOFS,
    )


def rounds_lost(setting: Setting, batches: Batches) -> float:
    """Return F: at most how many rounds are lost on average because the best arm's bound fails.

    >>> round(rounds_lost(Setting((0.75, 0.5), 10**6, 0.5), Batches(0.5, 1.5, 8, 2.0)), 3)
    0.336
    """
    start, power = setting.n_arms * batches.first, batches.power
    if start >= setting.horizon:
        return 0.0
    low, high = 1.0 + math.log(start), 1.0 + setting.log_horizon
    # The integral of (1 + ln t)^-power / t, in a form that keeps its digits near power 1.
    area, rest = math.log(high / low), 1.0 - power
    if rest != 0.0:
        area = low**rest * math.expm1(rest * area) / rest
    failing = ((batches.growth - 1.0) * start + 1.0) / math.exp(batches.log_f(start))
    return min(failing + batches.growth * area, float(setting.horizon - start))


def density_caps(totals: Floats, mean: float) -> Floats:
    """Return C: at most what the posterior's density at the true mean can be, for any releases.

    >>> density_caps(np.array([4.0, 99.0]), 0.5).round(3).tolist()
    [1.907, 8.005]
    """
    whole = totals + 1.0
    spread = np.maximum(whole * mean * (1.0 - mean), 1e-300)
    near = whole / np.sqrt(2.0 * math.pi * spread) * np.exp(1.0 / (12.0 * np.maximum(spread, 1.0)))
    return np.where(spread >= 1.0, near, whole)


def affinities(mean: float, best: float, counts: Floats, epsilon: float) -> Floats:
    """Return, in logarithms, at most the affinity of two releases: a row a count, by order.

    Releases of ``counts`` tosses have densities P at ``mean`` and Q at ``best``; their affinity of
    order s is the integral of ``P^(1 - s) Q^s``.

    >>> found = affinities(0.4, 0.5, np.array([10.0, 1000.0]), 0.5)
    >>> found.shape == (2, ORDERS.size), found.min(axis=1).round(2).tolist()
    (True, [-0.01, -4.9])
    """
    order, rest = ORDERS[:, None], 1.0 - ORDERS[:, None]
    apart = _odds(best) - _odds(mean)  # no tilt beyond it is of use, even without noise
    most = np.minimum(np.minimum(rest * apart, STEEPEST), epsilon * np.minimum(1.0, rest / order))
    tilt = most * SHARES
    other = order / rest * tilt
    change = best * np.expm1(-tilt)
    # 1 + change has no digits left where it is near 0: then it is summed from positive parts.
    near_zero = np.log(1.0 - best + best * np.exp(-tilt))
    falls = np.where(change < -0.5, near_zero, np.log1p(np.maximum(change, -0.5)))
    rates = order * (falls + ROUNDING * tilt) + rest * np.log1p(mean * np.expm1(other))
    costs = -order * np.log1p(-((tilt / epsilon) ** 2)) - rest * np.log1p(-((other / epsilon) ** 2))
    found = [
        (counts[first : first + BLOCK, None, None] * rates + costs).min(axis=2)
        for first in range(0, counts.size, BLOCK)
    ]
    return np.asarray(np.minimum(np.concatenate(found), 0.0))


def _odds(mean: float) -> float:
    """Return the logarithm of ``mean / (1 - mean)``."""
    if mean in (0.0, 1.0):
        return math.inf if mean else -math.inf
    return math.log(mean) - math.log1p(-mean)


def batch_chances(mean: float, setting: Setting, batches: Batches) -> tuple[Floats, Floats]:
    """Return an arm's totals, and Q: how likely at most each but the last is not its last.

    The last total is cut off at the horizon.
    """
    most = setting.horizon - (setting.n_arms - 1) * batches.first
    lengths = GrowingTotal(batches.growth, first=batches.first).lengths(most).astype(np.float64)
    totals = np.minimum(np.cumsum(lengths), float(most))
    counts, members = np.unique(lengths[:-1], return_inverse=True)
    alike = np.cumsum(affinities(mean, setting.best, counts, batches.epsilon)[members], axis=0)
    level = batches.log_f(setting.horizon) + np.log(density_caps(totals[:-1], mean))
    logs = (ORDERS * level[:, None] + alike).min(axis=1)
    return totals, np.exp(np.minimum(logs, 0.0))


def _pulls(mean: float, setting: Setting, batches: Batches) -> float:
    """Return at most how often an arm is played on average while the best arm's bound holds."""
    if setting.horizon <= setting.n_arms * batches.first:
        return float(min(batches.first, setting.horizon))
    totals, chances = batch_chances(mean, setting, batches)
    return float(totals[0] + np.diff(totals) @ chances)
