"""The privacy that Gaussian draws have by themselves where an arm's epochs double: two arms.

A reward enters one epoch. Once that is released, the worlds differ by one success of it, until the
arm's next epoch is released; then by nothing. What other rewards an epoch sums to is free. So the
worst loss is a dynamic programme over both arms' epochs. Needs scipy.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr

from hush.errors import ParameterError, whole
from hush.policies import DPTSUCB

__all__ = ["epoch_loss", "gaussian_delta"]

MOST_ROUNDS = 64


def epoch_loss(policy: DPTSUCB) -> float:
    """Return the worst privacy loss of all arms that DP-TS-UCB plays with two arms, exactly.

    Over all arm sequences and all pairs of reward sequences that differ in one round, the largest
    log-ratio of the probabilities of the arms. It has to know its horizon, of up to 64 rounds, and
    may draw in all of them: with more rounds than draws the largest draw is remembered, and its law
    is not computed here.

    Parameters
    ----------
    policy
        With its horizon.

    Examples
    --------
    >>> import hush
    >>> from hush.theory import epoch_loss
    >>> [round(epoch_loss(hush.DPTSUCB(horizon=8, alpha=a)), 3) for a in (0.0, 1.0)]
    [4.995, 3.183]
    """
    rounds = whole("horizon", policy.horizon or 0, least=1, most=MOST_ROUNDS)
    if policy.most_draws < rounds:
        raise ParameterError(
            f"{policy} draws at most {policy.most_draws} times an epoch; give it no more rounds"
        )
    return max(_Worst(policy.spread, sign).loss(rounds) for sign in (1, -1))


class _Worst:
    """The worst continuation: arm 0 has the reward that differs, a success where sign is 1."""

    def __init__(self, spread: float, sign: int) -> None:
        self._spread, self._sign = spread, sign
        self.later = lru_cache(maxsize=None)(self._later)
        self.gains = lru_cache(maxsize=None)(self._gains)

    def loss(self, rounds: int) -> float:
        worst, own = 0.0, 1
        while 2 * own <= rounds:
            for place in range(own):
                worst = max(worst, self._started(rounds, own, place))
            own *= 2
        return worst

    def _started(self, rounds: int, own: int, place: int) -> float:
        """Return the worst loss once an epoch of arm 0 is released, whatever arm 1 had before."""
        worst, other = 0.0, 1
        while 2 * own - 1 + 2 * other - 1 <= rounds:
            for pending in range(2 * other):
                left = rounds - (2 * own - 1) - (2 * other - 1) - pending
                if left >= 0:
                    starts = (
                        self.later(left, own, place, 0, other, j, pending) for j in range(other + 1)
                    )
                    worst = max(worst, *starts)
            other *= 2
        return worst

    def _later(
        self, left: int, own: int, place: int, mine: int, other: int, j: int, pending: int
    ) -> float:
        """Return what the rounds that are left can lose.

        Epochs of ``own`` and ``other`` rewards are known, with ``place`` successes that do not
        differ and ``j``; ``mine`` and ``pending`` rewards of the next ones have come.
        """
        if not left:
            return 0.0
        first, second = self.gains(own, place, other, j)
        if mine + 1 < 2 * own:  # else the difference is forgotten
            first += self.later(left - 1, own, place, mine + 1, other, j, pending)
        if pending + 1 < 2 * other:
            second += self.later(left - 1, own, place, mine, other, j, pending + 1)
        else:
            second += max(
                self.later(left - 1, own, place, mine, 2 * other, each, 0)
                for each in range(2 * other + 1)
            )
        return max(first, second)

    def _gains(self, own: int, place: int, other: int, j: int) -> tuple[float, float]:
        """Return by how much each arm's log-chance is larger in the first world."""
        width = math.sqrt(self._spread * (1.0 / own + 1.0 / other))
        leads = [((place + one) / own - j / other) / width for one in (0, 1)][:: -self._sign]
        return (
            float(log_ndtr(leads[0]) - log_ndtr(leads[1])),
            float(log_ndtr(-leads[0]) - log_ndtr(-leads[1])),
        )


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return the delta that mu-Gaussian privacy leaves at an epsilon.

    Dong, Roth, Su: Gaussian Differential Privacy, https://arxiv.org/abs/1905.02383, Corollary 1.

    >>> round(gaussian_delta(1.0, 1.0), 4), gaussian_delta(0.0, 1.0)
    (0.1269, 0.0)
    """
    if mu <= 0.0:
        return 0.0
    tails = log_ndtr(np.array([-epsilon / mu + mu / 2.0, -epsilon / mu - mu / 2.0]))
    return float(np.exp(tails[0]) - np.exp(epsilon + tails[1]))
