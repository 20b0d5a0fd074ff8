"""Oblivious adversaries of the literature: tables of rewards, fixed before the first round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hush.environments.reward_table import RewardTable
from hush.errors import ParameterError, positive, whole

__all__ = ["ADVERSARIES", "alternating", "constrained", "fair_coins"]

GROWTH = 1.6  # of the phases of ``constrained``
MOST_ENTRIES = 10**9


def alternating(horizon: int) -> RewardTable:
    """Return two arms that are right in turn: what follow-the-leader cannot learn.

    Arm 1 has the reward in rounds 1, 3, 5, ..., arm 0 in the others. Whoever follows the leader,
    lowest first on a tie, earns nothing, where either arm earns half of the rounds.

    References
    ----------
    Shalev-Shwartz: Online Learning and Online Convex Optimization. Foundations and Trends in
    Machine Learning 4, 2012. https://doi.org/10.1561/2200000018

    Examples
    --------
    >>> alternating(4).rewards.tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    turns = np.arange(_rounds(horizon, 2)) % 2
    return RewardTable(np.column_stack([turns, 1 - turns]))


def fair_coins(horizon: int, k: int = 5, *, seed: int = 0) -> RewardTable:
    """Return tosses of fair coins, made in advance: what nobody can foresee.

    Whatever is played earns half of the rounds, but for chance, and the luckiest of K arms earns
    about ``sqrt(T ln K / 2)`` more: the lower bound for experts in the worst case.

    Parameters
    ----------
    horizon
        How many rounds.
    k
        How many arms.
    seed
        Of the tosses; another seed is another table.

    References
    ----------
    Cesa-Bianchi, Lugosi: Prediction, Learning, and Games. Cambridge University Press, 2006,
    section 3.7. https://doi.org/10.1017/CBO9780511546921

    Examples
    --------
    >>> fair_coins(1000, 3).rewards.mean(axis=0).tolist()
    [0.525, 0.541, 0.499]
    """
    size = (_rounds(horizon, k), whole("k", k, least=2))
    generator = np.random.default_rng(whole("seed", seed, least=0))
    return RewardTable(generator.integers(2, size=size))


def constrained(horizon: int, k: int = 5, gap: float = 0.125, *, seed: int = 0) -> RewardTable:
    """Return a stochastically constrained adversary: one arm is best throughout, means jump.

    In even phases the best arm's coins have mean 1 and all others' ``1 - gap``; in odd phases they
    have ``gap`` and 0. Phase n has ``1.6^n`` rounds. The coins are tossed in advance. The best arm
    is the last.

    Parameters
    ----------
    horizon
        How many rounds.
    k
        How many arms.
    gap
        How much worse all other arms are, in every round.
    seed
        Of the tosses; another seed is another table.

    References
    ----------
    Zimmert, Seldin: Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial Bandits. JMLR
    22, 2021. https://arxiv.org/abs/1807.07623

    Examples
    --------
    >>> env = constrained(10**4, k=2, gap=0.25)
    >>> env.rewards.mean(axis=0).round(3).tolist()
    [0.388, 0.633]
    """
    rounds, k = _rounds(horizon, k), whole("k", k, least=2)
    gap = positive("gap", gap)
    if gap > 1.0:
        raise ParameterError(f"gap must be at most 1; got {gap!r}")
    phases: list[int] = []
    while sum(phases) < rounds:
        phases.append(round(GROWTH ** len(phases)))
    high = np.repeat(np.arange(len(phases)) % 2 == 0, phases)[:rounds]
    best = np.where(high, 1.0, gap)
    means = np.column_stack([*[best - gap] * (k - 1), best])
    generator = np.random.default_rng(whole("seed", seed, least=0))
    return RewardTable(generator.random((rounds, k)) < means)


def _rounds(horizon: int, k: int) -> int:
    rounds = whole("horizon", horizon, least=1)
    if rounds * k > MOST_ENTRIES:
        raise ParameterError(f"a table of {rounds:,} rounds takes too much memory; fix fewer")
    return rounds


ADVERSARIES: dict[str, Callable[[int], RewardTable]] = {
    "alternating": alternating,
    "fair-coins": fair_coins,
    "constrained": constrained,
}
"""Adversaries that the command line knows by name; each takes the horizon."""
