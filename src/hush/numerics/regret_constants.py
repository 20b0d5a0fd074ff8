"""The constants that regret bounds are made of, from means and gaps alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hush.errors import positive
from hush.numerics.divergence import d_eps, kl

__all__ = [
    "bracket_numbers",
    "bracket_sum",
    "brackets",
    "lai_robbins",
    "private_constant",
    "sample_exponent",
]

Gaps = Sequence[float] | NDArray[np.float64]

ROUNDING = 1e-12
NO_GAP = 1e-100  # costs nothing at any horizon, and its square may be below the smallest double


def lai_robbins(means: Sequence[float]) -> float:
    """Return ``sum of gap / kl(mean, best)``: what any bandit pays per ``ln T`` in the long run.

    An arm costs nothing if the best one never fails: a single 0 tells it apart.

    >>> round(lai_robbins([0.75, 0.5]), 3)
    1.738
    """
    best = max(means)
    if best == 1.0:
        return 0.0
    return sum((best - mean) / float(kl(mean, best)) for mean in _worse(means))


def private_constant(means: Sequence[float], epsilon: float) -> float:
    """Return ``sum of gap / d_eps(mean, best)``: the same for epsilon-private bandits.

    >>> round(private_constant([0.75, 0.5], 0.25), 3)
    4.433
    """
    epsilon = positive("epsilon", epsilon)
    best = max(means)
    return sum((best - mean) / float(d_eps(mean, best, epsilon)) for mean in _worse(means))


def _worse(means: Sequence[float]) -> list[float]:
    best = max(means)
    return [mean for mean in means if best - mean >= NO_GAP]


def bracket_numbers(gaps: Gaps) -> list[int | None]:
    """Return each arm's bracket l: ``2^(l - 1) Dmin <= gap < 2^l Dmin``; None where no gap is.

    >>> bracket_numbers([0.0, 0.1, 0.15, 0.2, 0.8])
    [None, 1, 1, 2, 4]
    """
    values = np.asarray(gaps, dtype=np.float64)
    there = values > 0.0
    numbers = iter(_bracket_numbers(values[there]).tolist())
    return [next(numbers) if each else None for each in there]


def _bracket_numbers(gaps: NDArray[np.float64]) -> NDArray[np.int64]:
    logarithms = np.log2(gaps)
    above = np.floor(logarithms - logarithms.min(initial=np.inf) + ROUNDING)
    return np.asarray(above + 1.0, dtype=np.int64)


def brackets(gaps: Gaps) -> list[tuple[float, int]]:
    """Return each bracket's least possible gap, and how many arms it holds.

    >>> brackets([0.0, 0.25, 0.375, 0.5])
    [(0.25, 2), (0.5, 1)]
    """
    values = np.asarray(gaps, dtype=np.float64)
    values = values[values > 0.0]
    numbers, sizes = np.unique(_bracket_numbers(values), return_counts=True)
    least = 2.0 ** (numbers - 1) * values.min(initial=np.inf)
    return list(zip(least.tolist(), sizes.tolist(), strict=True))


def bracket_sum(gaps: Gaps, epsilon: float) -> float:
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
    return sum(
        256.0 * (1.0 + math.log(size)) / min(least, epsilon) for least, size in brackets(gaps)
    )


def sample_exponent(gap: float, epsilon: float, horizon: int, factor: float) -> int:
    """Return ``d = ceil(log2(factor ln T / (gap min(gap, epsilon))))``.

    After an epoch of ``2^d`` pulls an arm is known well enough: factor 24 for AnytimeLazyUCB, 72
    for LazyDPTS.

    >>> sample_exponent(0.125, 0.5, 10**6, 24.0)
    15
    """
    gap = positive("gap", gap)
    if horizon < 2:
        return 0
    # Logarithm by logarithm: the square of a gap may be below the smallest double.
    wanted = math.log2(factor * math.log(horizon)) - math.log2(gap) - math.log2(min(gap, epsilon))
    return max(0, math.ceil(wanted))
