"""The bounds that are worth drawing next to a simulated curve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hush.environments import Bernoulli
from hush.errors import ParameterError
from hush.numerics.bound import Bound
from hush.simulation import Result
from hush.simulation.plotting import Guide
from hush.theory.all_bounds import Bounds, bounds
from hush.theory.distance import TRIVIAL

__all__ = ["bound_guides"]


def bound_guides(result: Result) -> list[Guide]:
    """Return, for each policy, its upper and lower bounds at the result's checkpoints.

    Of the bounds that hold with constants the nearest are drawn, and of those whose leading term
    is known the nearest too, under a name that says so. Orders are not drawn.

    Examples
    --------
    >>> import hush
    >>> result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=1000, runs=3, seed=7)
    >>> [guide.name for guide in bound_guides(result)]
    ['upper bound', 'lower bound', 'lower bound, leading term']
    """
    if result.environment.get("environment") != "Bernoulli":
        raise ParameterError("bounds are known for coins: a result on a Bernoulli environment")
    env = Bernoulli(result.environment["means"])
    found = []
    for position, policy in enumerate(result.policy_objects):
        if policy is None:
            raise ParameterError(
                f"the class of {result.policies[position]} is not imported; import its module, "
                "then load the result again"
            )
        reports = [bounds(policy, env, rounds) for rounds in result.checkpoints.tolist()]
        for kind, strength in (
            ("upper", "constants"),
            ("upper", "leading term"),
            ("lower", "constants"),
            ("lower", "leading term"),
        ):
            values = np.array([_nearest(report, kind, strength) for report in reports])
            if np.isfinite(values[-1]) and values[-1] > 0.0:
                name = f"{kind} bound" + ("" if strength == "constants" else f", {strength}")
                found.append(Guide(position, name, kind == "upper", values))
    return found


def _nearest(report: Bounds, kind: str, strength: str) -> float:
    """Return the best bound of a kind and strength on this instance; NaN if there is none."""
    best: Callable[[list[float]], float] = min if kind == "upper" else max
    values = [bound.value for bound in report if _fits(bound, kind, strength)]
    return best(values) if values else float("nan")


def _fits(bound: Bound, kind: str, strength: str) -> bool:
    return (
        bound.kind == kind
        and bound.strength == strength
        and bound.holds
        and bound.scope == "this instance"
        and bound.name != TRIVIAL
    )
