"""The challenger rule of NoiseAwareIMED: from when on an arm that looks worse is to be tested.

One place for its formulas: learners call these functions, and loops compile them. Logarithms of
times and counts are natural. ``docs/noise_aware_imed.md`` says what each term is for, and how its
constants were chosen.
"""

from __future__ import annotations

import numpy as np

__all__ = ["against", "batch_length", "due", "due_of_newcomer", "plays_of_leader"]

NEAR_ONE = 0.1
EARLY, FULL = 3.0, 6.0
SLOW, SLOW_KNOWN = 0.5, 1.0
MANY, FEW = 0.5, 5.0
SHY = 1.5
LEAST, NATS, MOST = 0.25, 3.0, 2.0
NEVER = 60.0  # nats: beyond any horizon


def against(log_above: float, leader: float) -> float:
    """Return the evidence against an arm, in nats.

    Parameters
    ----------
    log_above
        The logarithm of the chance that its mean lies above the leader's.
    leader
        The posterior mean of the leader.

    >>> round(against(-5.0, 0.5), 3)
    4.307
    """
    return float(-np.log(2.0) - log_above + NEAR_ONE * np.log(2.0 * (1.0 - leader)))


def due(evidence: float, count: float, first: float, n_arms: int, known: bool) -> float:
    """Return the logarithm of the round from which an arm is to be tested again.

    Parameters
    ----------
    evidence
        Against the arm; see :func:`against`.
    count, first
        How many of its rewards have been released, and how many the first batch had.
    n_arms
        How many arms there are.
    known
        Whether the horizon is known: then a test is worth it or not, and earliness is no merit.

    >>> round(due(6.0, 100.0, 10.0, 5, known=False), 3), round(due(6.0, 100.0, 10.0, 5, True), 3)
    (10.186, 12.551)
    """
    positive = max(evidence, 0.0)
    early = 0.0 if known else EARLY * min(1.0, positive / FULL) * (first / count) ** (1.0 / 3.0)
    slow = (SLOW_KNOWN if known else SLOW) * np.log1p(positive)
    many = MANY * np.log(max(1.0, n_arms / FEW))
    return float(evidence + np.log(count) + slow + many - early)


def due_of_newcomer(leader: float, first: float) -> float:
    """Return the logarithm of the round from which an arm without any release is to be tested.

    The better the leader, the less likely is it that an unknown arm is better still.

    >>> round(due_of_newcomer(0.5, 10.0), 3)
    3.342
    """
    return float(np.log(first) - SHY * np.log(1.0 - leader))


def plays_of_leader(evidence: float, played: float) -> float:
    """Return how often the leader must have been played before an arm may be tested again.

    >>> round(plays_of_leader(4.0, 10.0), 3)
    73.891
    """
    return float(played * np.exp(min(0.5 * max(evidence, 0.0), NEVER)))


def batch_length(count: float, gap: float, epsilon: float) -> float:
    """Return how many rewards a test takes: enough for about ``NATS`` nats.

    >>> batch_length(100.0, 0.1, 1.0), batch_length(1000.0, 0.1, 1.0), batch_length(4.0, 0.1, 1.0)
    (30.0, 250.0, 8.0)
    """
    wanted = min(NATS / (epsilon * max(gap, 1e-12)), MOST * count)
    return float(max(1.0, np.ceil(max(LEAST * count, wanted))))
