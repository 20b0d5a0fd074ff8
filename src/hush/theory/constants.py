"""The constants of bounds, for an environment."""

from __future__ import annotations

import math

import numpy as np

from hush.environments import Bernoulli, People
from hush.errors import ParameterError, positive, whole
from hush.numerics import regret_constants
from hush.numerics.regret_constants import bracket_numbers, bracket_sum, sample_exponent

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


def coins(env: object) -> Bernoulli:
    """Return the environment if its rewards are coins, or raise."""
    if not isinstance(env, Bernoulli) or isinstance(env, People):
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
    return regret_constants.lai_robbins(coins(env).means.tolist())


def private_constant(env: Bernoulli, epsilon: float) -> float:
    """Return ``sum of gap / d_eps(mean, best)``: the same for epsilon-private bandits.

    References
    ----------
    Azize et al. 2025, the lower bound for coins. https://arxiv.org/abs/2505.05613

    Examples
    --------
    >>> import hush
    >>> import math
    >>> round(private_constant(hush.paper_s1(), 0.25) * math.log(10**6))
    247
    """
    return regret_constants.private_constant(coins(env).means.tolist(), epsilon)


def minimax_lower(n_arms: int, horizon: int, epsilon: float = math.inf) -> float:
    """Return ``max(sqrt(T (K - 1)) / 27, (K - 1) / (131 epsilon))``.

    On some instance every epsilon-private bandit has at least that much regret.

    References
    ----------
    Azize, Basu 2022, the minimax lower bound. https://arxiv.org/abs/2209.02570

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


def critical_gap(feedback: str, n_arms: int, horizon: int) -> float:
    """Return the gap that is hardest at this horizon: smaller ones cost little, larger show soon.

    ``sqrt(K ln T / T)`` for bandits, ``sqrt(ln K / T)`` for full information.

    >>> round(critical_gap("bandit", 5, 10**6), 6), round(critical_gap("full", 5, 10**6), 6)
    (0.008311, 0.001269)
    """
    logarithm = n_arms * math.log(horizon) if feedback == "bandit" else math.log(n_arms)
    return float(np.sqrt(logarithm / horizon))
