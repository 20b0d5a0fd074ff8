"""The constants that regret bounds are made of, from means and gaps alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hush.errors import positive
from hush.numerics.divergence import d_eps, kl

__all__ = [
    "bracket_numbers",
    "bracket_sum",
    "lai_robbins",
    "private_constant",
    "sample_exponent",
]

ROUNDING = 1e-12


def lai_robbins(means: Sequence[float]) -> float:
    """Return ``sum of gap / kl(mean, best)``: what any bandit pays per ``ln T`` in the long run.

    An arm costs nothing if the best one never fails: a single 0 tells it apart.

    >>> round(lai_robbins([0.75, 0.5]), 3)
    1.738
    """
    best = max(means)
    if best == 1.0:
        return 0.0
    return sum((best - mean) / float(kl(mean, best)) for mean in means if mean < best)


def private_constant(means: Sequence[float], epsilon: float) -> float:
    """Return ``sum of gap / d_eps(mean, best)``: the same for epsilon-private bandits.

    >>> round(private_constant([0.75, 0.5], 0.25), 3)
    4.433
    """
    epsilon = positive("epsilon", epsilon)
    best = max(means)
    return sum((best - mean) / float(d_eps(mean, best, epsilon)) for mean in means if mean < best)


def bracket_numbers(gaps: Iterable[float]) -> list[int | None]:
    """Return each arm's bracket l: ``2^(l - 1) Dmin <= gap < 2^l Dmin``; None where no gap is.

    >>> bracket_numbers([0.0, 0.1, 0.15, 0.2, 0.8])
    [None, 1, 1, 2, 4]
    """
    values = [float(gap) for gap in gaps]
    smallest = min((gap for gap in values if gap > 0.0), default=1.0)
    return [
        math.floor(math.log2(gap / smallest) + ROUNDING) + 1 if gap > 0.0 else None
        for gap in values
    ]


def bracket_sum(gaps: Iterable[float], epsilon: float) -> float:
    """Return ``sum over brackets of 256 (1 + ln |J|) / min(D, epsilon)``, D a bracket's least gap.

    An upper bound on the regret of following a noisy leader with noise of scale ``1/epsilon``.

    References
    ----------
    Hu, Huang, Mehta, Hegde, regret theorem of RNM-FTNL and its proof. https://arxiv.org/abs/2102.07929

    Examples
    --------
    >>> bracket_sum([0.0, 0.25, 0.5], 1.0)
    1536.0
    """
    positive_gaps = [float(gap) for gap in gaps if gap > 0.0]
    if not positive_gaps:
        return 0.0
    numbers = bracket_numbers(positive_gaps)
    smallest = min(positive_gaps)
    total = 0.0
    for number in {each for each in numbers if each is not None}:
        least = 2.0 ** (number - 1) * smallest
        total += 256.0 * (1.0 + math.log(numbers.count(number))) / min(least, epsilon)
    return total


def sample_exponent(gap: float, epsilon: float, horizon: int, factor: float) -> int:
    """Return ``d = ceil(log2(factor ln T / (gap min(gap, epsilon))))``.

    After an epoch of ``2^d`` pulls an arm is known well enough: factor 24 for AnytimeLazyUCB, 72
    for LazyDPTS.

    >>> sample_exponent(0.125, 0.5, 10**6, 24.0)
    15
    """
    gap = positive("gap", gap)
    wanted = factor * math.log(horizon) / (gap * min(gap, epsilon))
    return max(0, math.ceil(math.log2(wanted))) if wanted > 0.0 else 0
