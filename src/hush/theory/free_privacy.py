"""The privacy that Thompson sampling has without any noise: exact losses of two arms.

After a round whose reward is 0 in one world and 1 in the other, the worlds differ by one success
of one arm, whatever comes next. So the state is four counts, and the largest log-ratio of the
chances of all later arms is a dynamic programme over them. Chances that one Beta draw exceeds
another are integrals of polynomials, which a Gauss rule of enough points has exactly; all its terms
are positive, so that small chances are as precise as large ones. Needs scipy.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, log_ndtr, roots_legendre

from hush.environments import Bernoulli
from hush.errors import ParameterError, whole

__all__ = ["ThompsonLoss", "expected_thompson_loss", "thompson_loss"]

Floats = NDArray[np.float64]
Prior = tuple[int, int] | Literal["gaussian"]
Logs = list[list[Floats]]
Ahead = Callable[[Floats, Floats], Floats]  # of later rounds' values after a 0 and after a 1
WORST: list[Ahead] = [np.maximum, np.maximum]
MOST_ROUNDS = 100
STRONGEST = 2000
NEGLIGIBLE = 1e-150


@dataclass(frozen=True)
class ThompsonLoss:
    """The worst case: what to check by hand.

    Attributes
    ----------
    loss
        ``ln(P(arms | rewards) / P(arms | neighbour))``.
    arms
        The arms played.
    rewards, neighbour
        The rewards of the arms played, in the two worlds.
    """

    loss: float
    arms: tuple[int, ...]
    rewards: tuple[int, ...]
    neighbour: tuple[int, ...]


def thompson_loss(rounds: int, *, prior: Prior = (1, 1)) -> ThompsonLoss:
    """Return the worst privacy loss of Thompson sampling with two arms, over everything.

    Over all arm sequences and all pairs of reward sequences of 0 and 1 that differ in one round,
    the largest log-ratio of the probabilities of the arms. With uniform priors it is ``ln(T!)``.

    Parameters
    ----------
    rounds
        How many decisions are seen, up to 100.
    prior
        The whole parameters of both arms' Beta prior; ``hush.ThompsonSampling`` has (1, 1). Or
        ``"gaussian"``: draws are those of ``hush.GaussianTS``.

    Examples
    --------
    >>> from hush.theory import thompson_loss
    >>> worst = thompson_loss(4)
    >>> round(float(np.exp(worst.loss)), 6)
    24.0
    >>> worst.arms, worst.rewards, worst.neighbour
    ((0, 1, 1, 1), (0, 0, 0, 0), (1, 0, 0, 0))
    >>> round(thompson_loss(4, prior=(100, 100)).loss, 4)
    0.249
    >>> round(thompson_loss(4, prior="gaussian").loss, 4)
    1.4019
    """
    rounds, logs = _prepared(rounds, prior)
    return max((_worst(rounds, logs, sign) for sign in (1, -1)), key=lambda each: each.loss)


def expected_thompson_loss(
    rounds: int, *, prior: Prior = (1, 1), means: tuple[float, float] | None = None
) -> float:
    """Return the loss that Thompson sampling with two arms has on average over its own draws.

    This is the relative entropy of the two laws of the arms, in the worse of its two directions.

    Parameters
    ----------
    rounds, prior
        As in :func:`thompson_loss`.
    means
        All rewards but the first are coins of these means, and the first one differs. Left out,
        each reward is the worst one, given all arms before it, and any round may differ.

    Examples
    --------
    >>> from hush.theory import expected_thompson_loss
    >>> round(expected_thompson_loss(16), 4)
    3.8554
    >>> round(expected_thompson_loss(16, means=(0.5, 0.5)), 4)
    2.4857
    """
    rounds, logs = _prepared(rounds, prior)
    if means is None:
        found = (_values(rounds, logs, sign, WORST, mean=True) for sign in (1, -1))
        return max(float(each.max()) for layers in found for layer in layers for each in layer)
    coins = [_coin(each) for each in Bernoulli(list(means)).means]
    found = (_values(rounds, logs, sign, coins, mean=True) for sign in (1, -1))
    return max(float(each[1][0][0, 0]) for each in found) if rounds > 1 else 0.0


def _prepared(rounds: int, prior: Prior) -> tuple[int, Logs]:
    rounds = whole("rounds", rounds, least=1, most=MOST_ROUNDS)
    if prior == "gaussian":
        return rounds, _gaussian_log_chances(rounds)
    if isinstance(prior, str) or len(prior) != 2:
        raise ParameterError('prior must be a pair of whole numbers, or "gaussian"')
    first, second = (whole("prior", each, least=1, most=STRONGEST) for each in prior)
    return rounds, _log_chances(rounds, (first, second))


def _gaussian_log_chances(rounds: int) -> Logs:
    """Return the same for draws of N(S / (n + 1), 1 / (n + 1)): their difference is Gaussian."""
    means = [np.arange(n + 1.0) / (n + 1.0) for n in range(rounds)]
    return [
        [
            log_ndtr((means[n][:, None] - means[m]) / math.sqrt(1.0 / (n + 1.0) + 1.0 / (m + 1.0)))
            for m in range(rounds - n)
        ]
        for n in range(rounds)
    ]


def _log_chances(rounds: int, prior: tuple[int, int]) -> Logs:
    """Return, by the two arms' counts, ln P(first arm's draw is larger): by their successes."""
    x, weights = roots_legendre(rounds // 2 + sum(prior) + 1)
    x, weights = 0.5 * (x + 1.0), 0.5 * weights
    densities, below = [], []
    for count in range(rounds):
        a = prior[0] + np.arange(count + 1.0)[:, None]
        b = prior[1] + count - np.arange(count + 1.0)[:, None]
        logs = (a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - betaln(a, b)
        densities.append(np.exp(logs))
        # One success less adds a binomial mass to the distribution function.
        masses = np.vstack([betainc(a[-1], b[-1], x), (densities[-1] * x / a)[-2::-1]])
        below.append(_cut(masses.cumsum(axis=0)[::-1]))
        densities[-1] = _cut(densities[-1] * weights)
    return [[np.log(densities[n] @ below[m].T) for m in range(rounds - n)] for n in range(rounds)]


def _cut(values: Floats) -> Floats:
    """Let go of what adds nothing to a chance, as none is below 1e-30: tiny numbers are slow."""
    return np.where(values < NEGLIGIBLE, 0.0, values)


def _gains(logs: Logs, count: int, played: int, sign: int) -> tuple[list[Floats], list[Floats]]:
    """Return each arm's log-chance in the first world, and what it exceeds the second's by.

    Arm 0 has had ``count`` rewards. One of them differs: sign 1 makes it a success in the first
    world, -1 in the second. Rows are its other successes, columns those of arm 1.
    """
    both = logs[count][played - count], logs[played - count][count].T
    worlds = [(each[1:], each[:-1])[::sign] for each in both]
    return [first for first, _ in worlds], [first - second for first, second in worlds]


def _values(
    rounds: int, logs: Logs, sign: int, ahead: Sequence[Ahead], *, mean: bool
) -> list[list[Floats]]:
    """Return what later rounds lose, by rounds played and by arm 0's count less 1."""
    layers = [[np.zeros((n, rounds - n + 1)) for n in range(1, rounds + 1)]]
    for played in range(rounds - 1, 0, -1):
        layer = []
        for count in range(1, played + 1):
            chances, gains = _gains(logs, count, played, sign)
            first, second = layers[0][count], layers[0][count - 1]
            gains[0] = gains[0] + ahead[0](first[:-1], first[1:])
            gains[1] = gains[1] + ahead[1](second[:, :-1], second[:, 1:])
            averaged = np.exp(chances[0]) * gains[0] + np.exp(chances[1]) * gains[1]
            layer.append(averaged if mean else np.maximum(*gains))
        layers.insert(0, layer)
    return [[], *layers]


def _coin(mean: float) -> Ahead:
    return lambda zero, one: (1.0 - mean) * zero + mean * one


def _worst(rounds: int, logs: Logs, sign: int) -> ThompsonLoss:
    """Find the worst start, and follow it: rounds before the one that differs, it, later ones."""
    values = _values(rounds, logs, sign, WORST, mean=False)
    loss, played, count = max(
        (float(each.max()), -n, -m)
        for n, layer in enumerate(values)
        for m, each in enumerate(layer)
    )
    played, count = -played, 1 - count
    top = values[played][count - 1]
    row, column = (int(each) for each in np.unravel_index(top.argmax(), top.shape))
    other, changed = played - count, played - 1
    arms = [0] * (count - 1) + [1] * other + [0]
    rewards = [1] * row + [0] * (count - 1 - row) + [1] * column + [0] * (other - column) + [0]
    for now in range(played, rounds):
        gains = [each[row, column] for each in _gains(logs, count, now, sign)[1]]
        later = values[now + 1]
        _, arm, reward = max(
            (gains[arm] + later[count - arm][row + (1 - arm) * one, column + arm * one], -arm, -one)
            for arm, one in itertools.product((0, 1), repeat=2)
        )
        arms.append(-arm)
        rewards.append(-reward)
        count, row, column = count + 1 + arm, row - (1 + arm) * reward, column + arm * reward
    second = [*rewards[:changed], 1, *rewards[changed + 1 :]]
    first, neighbour = (tuple(each) for each in (rewards, second)[::-sign])
    return ThompsonLoss(loss, tuple(arms), first, neighbour)
