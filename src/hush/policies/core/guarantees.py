"""The guarantees that policies share, each with its argument."""

from __future__ import annotations

import math
from dataclasses import replace

from hush.privacy import Guarantee

__all__ = [
    "counter_guarantee",
    "local_guarantee",
    "no_guarantee",
    "reward_guarantee",
    "vector_guarantee",
]


def reward_guarantee(epsilon: float) -> Guarantee:
    """Return the guarantee of policies whose every reward enters one noisy sum of its arm."""
    return _replacing(
        epsilon,
        "one round's reward",
        "each reward enters one released sum, moves it by at most 1, and that sum has Laplace "
        "noise of scale 1/epsilon; every decision is computed from released sums alone",
    )


def counter_guarantee(epsilon: float) -> Guarantee:
    """Return the guarantee of policies that keep one counting mechanism per arm."""
    return _replacing(
        epsilon,
        "one round's reward",
        "each reward enters the counter of its arm alone; it moves each node that it is part "
        "of by at most 1, and those nodes' shares add up to epsilon; every decision is "
        "computed from noisy nodes alone",
    )


def local_guarantee(epsilon: float, reason: str) -> Guarantee:
    """Return the guarantee of policies whose every reward is randomised by itself."""
    return replace(_replacing(epsilon, "one round's reward", reason), trust="local")


def vector_guarantee(epsilon: float, reason: str) -> Guarantee:
    """Return the guarantee of a full-information policy when one reward vector is replaced."""
    return _replacing(epsilon, "one round's reward vector", reason)


def no_guarantee(reason: str = "decisions depend on exact sums of rewards") -> Guarantee:
    """Return the guarantee of a policy that adds no noise."""
    return _replacing(math.inf, "one round's reward", reason)


def _replacing(epsilon: float, unit: str, reason: str) -> Guarantee:
    return Guarantee(epsilon, "replace", unit, reason, replace_epsilon=epsilon)
