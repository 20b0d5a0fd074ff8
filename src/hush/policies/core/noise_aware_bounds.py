"""Bounds of our own for NoiseAwareUCB. Proofs: docs/theory/noise_aware_ucb.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hush.mechanisms.schedules import GrowingTotal
from hush.numerics.bound import Bound, Setting
from hush.numerics.regret_constants import private_constant

__all__ = ["affinities", "density_caps", "noise_aware_ucb_bounds", "rounds_lost"]

Floats = NDArray[np.float64]

PROOFS = 'Hush\'s documentation, "NoiseAwareUCB" (docs/theory/noise_aware_ucb.md)'
# Both bounds behind hold at every point; these are close enough to lose little.
ORDERS: Floats = np.concatenate([np.geomspace(0.005, 0.1, 12), np.linspace(0.12, 0.54, 22)])
SHARES: Floats = np.concatenate([np.linspace(0.02, 0.8, 27), 1.0 - 0.2 * 0.7 ** np.arange(1, 24)])
STEEPEST = 300.0  # a larger tilt is never needed, and no exponential overflows
ALMOST = 1.0 - 2.0**-53
ROUNDING = 1e-15
BLOCK = 512


def noise_aware_ucb_bounds(
    setting: Setting, *, epsilon: float, growth: float, first_batch: int, power: float = 2.0
) -> Iterator[Bound]:
    """Yield closed forms, the sum over batches, and its constant in the long run.

    Parameters
    ----------
    setting
        Means and horizon.
    epsilon
        Releases have Laplace noise of scale ``1 / epsilon``.
    growth, first_batch
        An arm's first batch has ``first_batch`` rewards; each later one lets its total grow by
        ``growth``.
    power
        An arm's bound is where its posterior is ``1 / f(t)`` times its prior, with
        ``f(t) = t (1 + ln t)^power``; from 0 to 2.

    Examples
    --------
    >>> setting = Setting((0.75, 0.625, 0.5, 0.375, 0.25), horizon=10**6, epsilon=0.5)
    >>> found = noise_aware_ucb_bounds(setting, epsilon=0.5, growth=1.5, first_batch=8)
    >>> {bound.name: round(bound.value) for bound in found if bound.has_constants}
    {'gaps, closed form': 5057, 'any gaps, closed form': 59084, 'epochs': 547}
    """
    logarithm, gaps, n_arms = setting.log_horizon, setting.gaps, setting.n_arms
    lost = rounds_lost(setting, growth, first_batch, power)
    tail = f", F = {lost:.4g}"
    extra = first_batch + 2.0
    logs = 2.0 * logarithm + 0.5 * power * math.log1p(logarithm)
    factor = 3.0 * growth * (logs + 0.29 + 0.32 / math.log(growth))
    spread = sum(extra * gap + factor * max(1.0 / gap, 4.0 / epsilon) for gap in gaps)
    everywhere = extra + 4.0 * factor / epsilon
    worst = 2.0 * math.sqrt(factor * n_arms * setting.horizon) + n_arms * everywhere + lost
    loss = lost * max(gaps, default=0.0)
    means = Counter(setting.worse)
    pulls = {each: _pulls(each, setting, epsilon, growth, first_batch, power) for each in means}
    batches = sum(many * (setting.best - each) * pulls[each] for each, many in means.items())
    shown = f"A = 3 g (2 ln T + {power / 2:g} ln(1 + ln T) + 0.29 + 0.32 / ln g)"
    for name, value, formula in (
        (
            "gaps, closed form",
            spread + loss,
            f"sum ((b + 2) D + A max(1 / D, 4 / eps)) + F max D, {shown}{tail}",
        ),
        (
            "any gaps, closed form",
            worst,
            f"2 sqrt(A K T) + K (b + 2 + 4 A / eps) + F, {shown}{tail}",
        ),
        (
            "epochs",
            batches + loss,
            "sum D (b + sum over m of n Q) + F max D, n the rewards of batch m + 1, Q at most the "
            f"chance that m releases leave the arm's bound above m*{tail}",
        ),
    ):
        yield Bound(name, "upper", value, formula, PROOFS)
    constant = growth * private_constant(setting.means, epsilon)
    more = "" if power > 0.0 else " + g max D ln T"
    yield Bound(
        "long run",
        "upper",
        logarithm * (constant + (0.0 if more == "" else growth * max(gaps, default=0.0))),
        f"g sum D ln T / d_eps(m, m*){more}, g = {growth:g}",
        PROOFS,
        strength="leading term",
    )


def rounds_lost(setting: Setting, growth: float, first_batch: int, power: float) -> float:
    """Return F: at most how many rounds are lost on average where the best arm's bound fails.

    >>> setting = Setting((0.75, 0.5), 10**6, epsilon=0.5)
    >>> round(rounds_lost(setting, 1.5, 8, 2.0), 3)
    0.331
    """
    start = setting.n_arms * first_batch
    if start >= setting.horizon:
        return 0.0
    low, high = 1.0 + math.log(start), 1.0 + setting.log_horizon
    # The integral of (1 + ln t)^-power / t.
    area = math.log(high / low)
    if power != 1.0:
        area = (high ** (1.0 - power) - low ** (1.0 - power)) / (1.0 - power)
    failing = ((growth - 1.0) * start + 1.0) / (start * low**power)
    return min(failing + growth * area, float(setting.horizon - start))


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
    (True, [-0.01, -2.26])
    """
    order, rest = ORDERS[:, None], 1.0 - ORDERS[:, None]
    apart = _odds(best) - _odds(mean)  # no tilt beyond it is of use, even without noise
    most = np.minimum(np.minimum(rest * apart, STEEPEST), epsilon * np.minimum(1.0, rest / order))
    tilt = most * SHARES
    other = order / rest * tilt
    falls = np.log1p(np.maximum(best * np.expm1(-tilt), -ALMOST))
    rates = order * (falls + ROUNDING * tilt) + rest * np.log1p(mean * np.expm1(other))
    costs = -order * np.log1p(-((tilt / epsilon) ** 2)) - rest * np.log1p(-((other / epsilon) ** 2))
    found = [
        (counts[first : first + BLOCK, None, None] * rates + costs).min(axis=2)
        for first in range(0, counts.size, BLOCK)
    ]
    return np.minimum(np.concatenate(found), 0.0)


def _odds(mean: float) -> float:
    """Return the logarithm of ``mean / (1 - mean)``."""
    if mean in (0.0, 1.0):
        return math.inf if mean else -math.inf
    return math.log(mean) - math.log1p(-mean)


def _pulls(
    mean: float, setting: Setting, epsilon: float, growth: float, first_batch: int, power: float
) -> float:
    """Return at most how often an arm is played on average while the best arm's bound holds."""
    most = setting.horizon - (setting.n_arms - 1) * first_batch
    if most <= first_batch:
        return float(min(first_batch, setting.horizon))
    lengths = GrowingTotal(growth, first=first_batch).lengths(most).astype(np.float64)
    ends = np.minimum(np.cumsum(lengths), float(most))
    counts, members = np.unique(lengths[:-1], return_inverse=True)
    alike = np.cumsum(affinities(mean, setting.best, counts, epsilon)[members], axis=0)
    level = setting.log_horizon + power * math.log1p(setting.log_horizon)
    level += np.log(density_caps(ends[:-1], mean))
    chances = np.exp(np.minimum((ORDERS * level[:, None] + alike).min(axis=1), 0.0))
    return float(first_batch + np.diff(ends) @ chances)
