"""The guarantees that policies share, each with its argument."""

from __future__ import annotations

import math
from dataclasses import replace

from hush.privacy import Guarantee

__all__ = [
    "concentrated_guarantee",
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


def concentrated_guarantee(rho: float) -> Guarantee:
    """Return the guarantee of policies whose every reward enters one sum with Gaussian noise.

    The rewards of a batch, and who is in it, are settled by the releases before it. So a replaced
    reward changes the law of one release given all before, whose noise is fresh, and of no other:
    the likelihood ratio of everything that is seen has one factor, that of one Gaussian sum.
    """
    return Guarantee(
        None,
        "replace",
        "one round's reward",
        "each reward enters one released sum, moves it by at most 1, and that sum has Gaussian "
        "noise of variance 1/(2 rho); every decision is computed from released sums alone",
        None,
        rho=rho,
        gaussian=True,
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
