"""Who leads, in a list of many: an estimate from the plan that is stored, without its history.

The page of an experiment has the exact posterior, which takes a while; a list of fifty does not
wait for it. Here every mean is taken to be normal around the released one, with the variance of its
rewards and of the noise, and within [0, 1] as far as the means themselves go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

__all__ = ["chances", "leader"]

POINTS = 201
REACH = 6.0


def chances(means: Sequence[float], deviations: Sequence[float]) -> list[float]:
    """Return the chance of each of several independent normal numbers to be the largest.

    >>> [round(each, 3) for each in chances([0.5, 0.5], [0.1, 0.1])]
    [0.5, 0.5]
    >>> [round(each, 3) for each in chances([0.6, 0.5], [0.03, 0.04])]
    [0.977, 0.023]
    """
    middle, spread = np.array(means)[:, None], np.array(deviations)[:, None]
    ends = (middle - REACH * spread).min(), (middle + REACH * spread).max()
    # Cells are finest where the narrowest of them changes, however wide the others are.
    cells = np.sort(np.concatenate([np.linspace(*ends, POINTS), *_around(middle, spread)]))
    below = ndtr((cells - middle) / spread)
    others = np.exp(
        np.log(np.maximum(below, 1e-300)).sum(axis=0) - np.log(np.maximum(below, 1e-300))
    )
    weights = np.diff(below, axis=1) * (others[:, 1:] + others[:, :-1]) / 2.0
    found = weights.sum(axis=1)
    return [float(each) for each in found / found.sum()]


def _around(middle: np.ndarray[Any, Any], spread: np.ndarray[Any, Any]) -> list[Any]:
    steps = np.linspace(-REACH, REACH, 61)
    return [m + s * steps for m, s in zip(middle[:, 0], spread[:, 0], strict=True)]


def leader(
    plans: Mapping[str, Mapping[str, Any]], releases: int, epsilon: float
) -> tuple[str, float] | None:
    """Return the arm that is probably the best in the largest segment, and about how probably.

    Parameters
    ----------
    plans
        The stored plan of every segment.
    releases
        How many releases there were, in all segments.
    epsilon
        The loss of one reward in a release.

    Examples
    --------
    >>> arms = [{"name": "a", "retired": False, "count": 100, "noisy_sum": 30.0},
    ...         {"name": "b", "retired": False, "count": 100, "noisy_sum": 60.0}]
    >>> name, chance = leader({"": {"arms": arms}}, releases=10, epsilon=1.0)
    >>> name, chance > 0.99
    ('b', True)
    """
    sizes = {name: sum(arm["count"] for arm in plan["arms"]) for name, plan in plans.items()}
    total = sum(sizes.values())
    if not total or not releases:
        return None
    largest = max(sizes, key=lambda name: sizes[name])
    arms = [arm for arm in plans[largest]["arms"] if not arm["retired"]]
    each = max(1.0, releases * sizes[largest] / total / max(1, len(arms)))
    means, deviations = [], []
    for arm in arms:
        count = arm["count"]
        mean = min(1.0, max(0.0, arm["noisy_sum"] / count)) if count else 0.5
        rewards = (mean * (1.0 - mean) * count + 0.25) / (count + 1.0) ** 2
        noise = 2.0 * each / (epsilon * count) ** 2 if count else 1.0
        means.append(mean)
        deviations.append(math.sqrt(rewards + noise))
    found = chances(means, deviations) if len(arms) > 1 else [1.0]
    best = max(range(len(arms)), key=lambda place: found[place])
    return str(arms[best]["name"]), found[best]
