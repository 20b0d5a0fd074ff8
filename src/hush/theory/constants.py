"""The constants of the lower bounds, and the quantities that the upper bounds are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from hush.environments import Bernoulli
from hush.errors import ParameterError, positive, whole
from hush.numerics.divergence import d_eps, kl

__all__ = [
    "bracket_numbers",
    "bracket_sum",
    "critical_gap",
    "lai_robbins",
    "minimax_lower",
    "packing_lower",
    "private_constant",
    "sample_exponent",
]

ROUNDING = 1e-12


def coins(env: object) -> Bernoulli:
    """Return the environment if its rewards are coins, or raise."""
    if not isinstance(env, Bernoulli):
        raise ParameterError(f"bounds are known for coins: a Bernoulli environment; got {env!r}")
    return env


def lai_robbins(env: Bernoulli) -> float:
    """Return ``sum of gap / kl(mean, best)``: what any bandit pays per ``ln T`` in the long run.

    An arm costs nothing if the best one never fails: a single 0 tells it apart.

    References
    ----------
    Lai, Robbins: Asymptotically efficient adaptive allocation rules. 1985.
    https://doi.org/10.1016/0196-8858(85)90002-8

    Examples
    --------
    >>> import hush
    >>> round(lai_robbins(hush.paper_s1()), 3)
    7.128
    """
    best = float(coins(env).means.max())
    if best == 1.0:
        return 0.0
    return sum((best - mean) / float(kl(mean, best)) for mean in _worse(env, best))


def private_constant(env: Bernoulli, epsilon: float) -> float:
    """Return ``sum of gap / d_eps(mean, best)``: the same for epsilon-private bandits.

    References
    ----------
    Azize, Wu, Honda, Orabona, Ito, Basu: Optimal Regret of Bernoulli Bandits under Global
    Differential Privacy. 2025. https://arxiv.org/abs/2505.05613

    Examples
    --------
    >>> import hush
    >>> import math
    >>> round(private_constant(hush.paper_s1(), 0.25) * math.log(10**6))
    247
    """
    epsilon = positive("epsilon", epsilon)
    best = float(coins(env).means.max())
    return sum((best - mean) / float(d_eps(mean, best, epsilon)) for mean in _worse(env, best))


def _worse(env: Bernoulli, best: float) -> Iterable[float]:
    return (mean for mean in env.means.tolist() if mean < best)


def minimax_lower(n_arms: int, horizon: int, epsilon: float = math.inf) -> float:
    """Return ``max(sqrt(T (K - 1)) / 27, (K - 1) / (131 epsilon))``.

    On some instance every epsilon-private bandit has at least that much regret.

    References
    ----------
    Azize, Basu: When Privacy Meets Partial Information. NeurIPS 2022.
    https://arxiv.org/abs/2209.02570

    Examples
    --------
    >>> round(minimax_lower(5, 10**6, 0.5), 2)
    74.07
    """
    others = whole("n_arms", n_arms, least=1) - 1
    rounds = whole("horizon", horizon, least=1)
    epsilon = epsilon if epsilon == math.inf else positive("epsilon", epsilon)
    return max(math.sqrt(rounds * others) / 27.0, others / (131.0 * epsilon))


def packing_lower(n_arms: int, epsilon: float) -> float:
    """Return ``0.2 * 0.49 * ln K / (10 epsilon)``, for private full information.

    It holds on one of the K instances whose means are all 1/2 but one, by the proof of the
    paper's lower bound: K >= 4, gap < 1/4, and ``T >= ln K / (10 epsilon gap)``.

    References
    ----------
    Hu, Huang, Mehta, Hegde, regret lower bound of the full-information setting. https://arxiv.org/abs/2102.07929

    Examples
    --------
    >>> round(packing_lower(1000, 0.1), 4)
    0.677
    """
    n_arms = whole("n_arms", n_arms, least=1)
    return 0.2 * 0.49 * math.log(n_arms) / (10.0 * positive("epsilon", epsilon))


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


def critical_gap(feedback: str, n_arms: int, horizon: int) -> float:
    """Return the gap that is hardest at this horizon: smaller ones cost little, larger show soon.

    ``sqrt(K ln T / T)`` for bandits, ``sqrt(ln K / T)`` for full information.

    >>> round(critical_gap("bandit", 5, 10**6), 6), round(critical_gap("full", 5, 10**6), 6)
    (0.008311, 0.001269)
    """
    logarithm = n_arms * math.log(horizon) if feedback == "bandit" else math.log(n_arms)
    return float(np.sqrt(logarithm / horizon))
