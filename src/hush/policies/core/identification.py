"""Which arm is the best, and when that is known: a stopping rule for any bandit learner.

``docs/identification.md`` has the argument, and what the rule costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hush.numerics.binomial import SMALL
from hush.numerics.pairs import TIE, LogRatio, Meeting, Top, meeting, ratio_of, top_of
from hush.numerics.posterior import Posterior
from hush.numerics.series import ALMOST
from hush.policies.core.intervals import ROUNDING, Evidence, ExactEvidence, arm_posteriors

if TYPE_CHECKING:
    from hush.policies.core.bandit_learner import BanditLearner

__all__ = ["Contest", "best_arm", "clearly_largest", "contest", "most_level"]
__all__ += ["named_arm"]


class Contest(NamedTuple):
    """The arm of the highest mode, and its meetings with all others, in order of their arms."""

    leader: int
    meetings: dict[int, Meeting]


def most_level(delta: float, n_arms: int) -> float:
    """Return how low all meetings must be for the leader to be best but for a chance of delta.

    That is ``ln(delta / (K - 1))``, less what rounding may do.

    >>> round(most_level(0.04, 5), 4)
    -4.6052
    """
    return math.log(delta / (n_arms - 1)) - ROUNDING


def leading(tops: Sequence[Top]) -> int:
    """Return the arm of the highest mode, lowest first on a tie."""
    return clearly_largest({arm: top.at for arm, top in enumerate(tops)})


def clearly_largest(values: Mapping[int, float]) -> int:
    """Return the arm of the largest value, the first one where rounding might decide.

    >>> clearly_largest({0: 1.0, 1: 1.0 + 1e-12, 2: 0.5})
    0
    """
    found, *others = values
    for arm in others:
        if values[arm] > values[found] + TIE:
            found = arm
    return found


def contest(ratios: Sequence[LogRatio], tops: Sequence[Top]) -> Contest:
    """Return the leader, and its meetings with all others.

    Parameters
    ----------
    ratios
        The log ratio of each arm.
    tops
        Its top.
    """
    first = leading(tops)
    found = {
        arm: meeting(ratios[first], ratio, (tops[first], tops[arm]))
        for arm, ratio in enumerate(ratios)
        if arm != first
    }
    return Contest(first, found)


def best_arm(known: Sequence[Evidence], delta: float) -> int | None:
    """Return the arm that is best but for a chance of ``delta``, or None if none is known to be.

    The chance holds for all times together, whatever decides when and which arms are looked at.

    >>> from hush.policies.core.intervals import ExactEvidence
    >>> best_arm([ExactEvidence(200, 150), ExactEvidence(200, 80)], 0.01)
    0
    >>> best_arm([ExactEvidence(200, 150), ExactEvidence(200, 140)], 0.01) is None
    True
    """
    if len(known) == 1:
        return 0
    ratios = [_ratio(each) for each in known]
    leader, meetings = contest(ratios, [top_of(ratio) for ratio in ratios])
    most = most_level(delta, len(known))
    return leader if all(each.level <= most for each in meetings.values()) else None


def named_arm(learner: BanditLearner, delta: float) -> int | None:
    """Return the arm that a learner holds best: by its policy's own rule, or by that of all."""
    if learner._public.stops_itself:
        return learner._public.stopped(delta)
    return best_arm(arm_posteriors(learner), delta)


def _ratio(evidence: Evidence) -> LogRatio:
    """Return a log ratio as a function of one number: many times faster than one of arrays."""
    if isinstance(evidence, Posterior):
        return ratio_of(evidence)
    if isinstance(evidence, ExactEvidence):
        return _exact_ratio(evidence)
    return lambda x: float(evidence.log_ratio(np.array([x]))[0])


def _exact_ratio(evidence: ExactEvidence) -> LogRatio:
    """Return ``ln R`` of an exact sum: its largest value, less count times kl(mean, x)."""
    count, total = evidence._count, evidence._total
    if not count:
        return lambda _: 0.0
    mean, missed = total / count, count - total
    top = float(evidence.log_ratio(np.array([mean]))[0])

    def ratio(x: float) -> float:
        inside = min(max(x, SMALL), ALMOST)
        step = inside - mean
        value = total * _log_quotient(inside, mean, step) if total else 0.0
        if missed:
            value += missed * _log_quotient(1.0 - inside, 1.0 - mean, -step)
        return top + value

    return ratio


def _log_quotient(x: float, mean: float, step: float) -> float:
    """Return ``ln(x / mean)`` for ``x = mean + step``, to all digits where they are near."""
    return math.log1p(step / mean) if abs(step) < 0.5 * mean else math.log(x / mean)
