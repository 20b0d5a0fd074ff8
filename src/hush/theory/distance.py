"""How far a policy is from the best possible, at most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeGuard

from hush.environments import Bernoulli
from hush.mechanisms import EveryRound
from hush.numerics.bound import Bound, Setting
from hush.policies import EpochPolicy, Policy
from hush.theory.expected_regret import FARTHEST, MOST_ARMS, exact_regret

__all__ = ["TRIVIAL", "Distance", "distance"]

TRIVIAL = "worst arm always"
ANY_GAPS = "any gaps"
LEARNERS = {"bandit": "bandit", "full": "learner"}


@dataclass(frozen=True)
class Distance:
    """How far a policy is from the best possible, at most.

    Attributes
    ----------
    factor
        At most so many times what every learner of its kind must lose.
    regret
        What the policy loses at most, on the worst of the instances that are compared.
    least
        What every learner of its kind loses at least, on the worst of the same instances.
    sentence
        All that in words.

    Examples
    --------
    >>> import hush
    >>> print(hush.bounds(hush.RNMFTNL(0.1), hush.packing(64, 0.1), 10**6).distance)
    Whichever action is best, its regret is at most 234.2 (computed): 5.77 times the 40.6 that any
    private learner must lose on one of these instances.
    """

    factor: float
    regret: float
    least: float
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, JSON-able."""
        return asdict(self)

    def __str__(self) -> str:
        return self.sentence


def distance(policy: Policy, setting: Setting, bounds: Sequence[Bound]) -> Distance | None:
    """Compare what the policy loses with what all must lose; None where nothing can be said.

    Both are taken on the worst instance of one set. Where a lower bound is for some order of this
    instance's arms, the policy's regret is that of the worst order: the best action last, and the
    worst one first, where some policies begin. Where a lower bound is for some instance, only an
    upper bound for any gaps will do. What T times the largest gap says is not counted.
    """
    private = "private " if math.isfinite(setting.epsilon) else ""
    who = f"any {private}{LEARNERS[policy.feedback]}"
    found = []
    least = _largest(bounds, "some order")
    if least > 0.0:
        worst = replace(setting, means=tuple(sorted(setting.means)))
        computed = _computed(policy, worst)
        proven = [b.value for b in policy.bounds(worst) if _counts(b, "upper")]
        regret = min(proven, default=math.inf) if computed is None else computed
        if regret < setting.horizon * max(setting.gaps):
            known = "proven" if computed is None else "computed"
            claim = f"Whichever action is best, its regret is at most {regret:,.4g} ({known})"
            found.append(
                _distance(regret, least, claim, f"{who} must lose on one of these instances")
            )
    least = _largest(bounds, "worst case")
    all_gaps = [b for b in bounds if _counts(b, "upper") and b.name.startswith(ANY_GAPS)]
    regret = min((each.value for each in all_gaps), default=math.inf)
    if least > 0.0 and regret < setting.horizon:
        claim = f"Whatever the means are, its regret is at most {regret:,.4g} (proven)"
        found.append(_distance(regret, least, claim, f"{who} must lose on some instance"))
    return min(found, key=lambda each: each.factor, default=None)


def _distance(regret: float, least: float, claim: str, who: str) -> Distance:
    factor = regret / least
    sentence = f"{claim}: {factor:,.3g} times the {least:,.4g} that {who}."
    return Distance(factor, regret, least, sentence)


def _counts(bound: Bound, kind: str) -> bool:
    return bound.kind == kind and bound.holds and bound.has_constants


def _largest(bounds: Sequence[Bound], scope: str) -> float:
    values = [each.value for each in bounds if _counts(each, "lower") and each.scope == scope]
    return max(values, default=0.0)


def _computed(policy: Policy, setting: Setting) -> float | None:
    """Return the policy's regret where that is quick to compute.

    With the best action last no other order costs more: actions are treated alike, but for ties,
    which go to the lowest, and for the first round, which plays the lowest.
    """
    if not _by_epochs(policy) or setting.horizon > FARTHEST or setting.n_arms > MOST_ARMS:
        return None
    if policy.sums_prefix or isinstance(policy.schedule, EveryRound):  # takes seconds
        return None
    env = Bernoulli(setting.means)
    return exact_regret(policy, env, setting.horizon, checkpoints=[]).final


def _by_epochs(policy: Policy) -> TypeGuard[EpochPolicy]:
    return policy.choice_law(2) is not None
