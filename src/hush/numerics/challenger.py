"""The challenger rule of NoiseAwareIMED: from when on an arm that looks worse is to be tested.

One place for its formulas: learners call these functions, and loops compile them. Logarithms of
times and counts are natural. ``docs/noise_aware_imed.md`` says what each term is for, and how its
constants were chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = [
    "Constants",
    "above",
    "against",
    "batch_length",
    "due",
    "due_of_newcomer",
    "plays_of_leader",
]

NEVER = 60.0  # nats: beyond any horizon
TIE = 1e-12  # more than double precision blurs a posterior mean or a key


class Constants(NamedTuple):
    """The numbers of the rule.

    Attributes
    ----------
    slow
        How much later an arm is tested the more is known against it: times ``ln(1 + D)``.
    many, few
        How much later an arm is tested where there are more arms than ``few``: times ``ln(K/few)``.
    early, full
        How many nats earlier an arm is tested of which little is known, and from how much evidence
        on fully so.
    near_one
        How much earlier an arm is tested the better the leader is: times ``-ln(2 (1 - leader))``.
    rest, ramp
        Nothing is tested earlier before so many nats of time have passed since every arm could have
        been met, and only part of the way for so many more: few rounds are no time for second
        looks.
    shy
        How much later an arm is played for the first time: times ``-ln(1 - leader)``.
    share
        How much more often the leader must have been played: ``exp(share D)`` times.
    least, nats, most
        A test takes rewards for so many nats, but at least and at most so many times those known.
    """

    slow: float = 1.0
    many: float = 0.5
    few: float = 5.0
    early: float = 4.0
    full: float = 2.0
    near_one: float = 0.3
    rest: float = 1.5
    ramp: float = 3.0
    shy: float = 1.5
    share: float = 0.5
    least: float = 0.25
    nats: float = 3.0
    most: float = 2.0


def above(one: float, other: float) -> bool:
    """Tell whether one number is larger than another by more than rounding.

    Two arms whose noisy sums are all below 0 have the same posterior. The lower of them comes
    first, in learners and in loops alike.

    >>> above(0.2, 0.1), above(0.1 + 0.2, 0.3)
    (True, False)
    """
    return one > other + TIE


def against(log_above: float) -> float:
    """Return the evidence against an arm, in nats.

    Parameters
    ----------
    log_above
        The logarithm of the chance that its mean lies above the leader's.

    >>> round(against(-5.0), 3)
    4.307
    """
    return float(-np.log(2.0) - log_above)


def due(
    evidence: float,
    count: float,
    leader: float,
    first: float,
    n_arms: int,
    known: bool,
    c: Constants,
) -> float:
    """Return the logarithm of the round from which an arm is to be tested again.

    Parameters
    ----------
    evidence
        Against the arm; see :func:`against`.
    count
        How many of its rewards have been released.
    leader
        The posterior mean of the leader.
    first
        How many rewards a first batch has.
    n_arms
        How many arms there are.
    known
        Whether the horizon is known: then a test is worth it or not, and earliness is no merit.
    c
        The rule's constants.

    >>> [round(due(6.0, 100.0, 0.5, 10.0, 5, known, Constants()), 3) for known in (False, True)]
    [10.694, 12.551]
    """
    positive = max(evidence, 0.0)
    late = evidence + np.log(count) + c.slow * np.log1p(positive)
    late += c.many * np.log(max(1.0, n_arms / c.few))
    early = c.near_one * max(0.0, -np.log(2.0 * (1.0 - leader)))
    if known:
        return float(late - early)
    early += c.early * min(1.0, positive / c.full) * (first / count) ** (1.0 / 3.0)
    after = late - np.log(n_arms * first) - c.rest
    return float(late - early * min(1.0, max(0.0, after) / (c.ramp + early)))


def due_of_newcomer(leader: float, first: float, c: Constants) -> float:
    """Return the logarithm of the round from which an arm without any release is to be tested.

    The better the leader, the less likely is it that an unknown arm is better still.

    >>> round(due_of_newcomer(0.5, 10.0, Constants()), 3)
    3.342
    """
    return float(np.log(first) - c.shy * np.log(1.0 - leader))


def plays_of_leader(evidence: float, played: float, c: Constants) -> float:
    """Return how often the leader must have been played before an arm may be tested again.

    >>> round(plays_of_leader(4.0, 10.0, Constants()), 3)
    73.891
    """
    return float(played * np.exp(min(c.share * max(evidence, 0.0), NEVER)))


def batch_length(count: float, gap: float, epsilon: float, c: Constants) -> float:
    """Return how many rewards a test takes.

    >>> [batch_length(count, 0.1, 1.0, Constants()) for count in (4.0, 100.0, 1000.0)]
    [8.0, 30.0, 250.0]
    """
    wanted = min(c.nats / (epsilon * max(gap, 1e-12)), c.most * count)
    return float(max(1.0, np.ceil(max(c.least * count, wanted))))
