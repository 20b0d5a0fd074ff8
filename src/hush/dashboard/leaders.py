"""Who leads, in a list of many: an estimate from the releases, without their history.

The page of an experiment has the exact posterior, which takes a while; a list of fifty does not
wait for it. Here every mean is taken to be normal: its releases count by what their rewards and
their noise leave of them, and before them it is about as likely anywhere in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

__all__ = ["chances", "estimate", "leader"]

POINTS = 201
REACH = 6.0
BEFORE = 12.0  # one over the variance of a number that is as likely anywhere in [0, 1]


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


def estimate(released: Sequence[tuple[int, float]], epsilon: float) -> tuple[float, float]:
    """Return about where a mean lies, and how far off that may be, from counts and noisy sums.

    >>> [round(each, 3) for each in estimate([(100, 30.0), (1000, 310.0)], epsilon=1.0)]
    [0.31, 0.014]
    >>> [round(each, 3) for each in estimate([], epsilon=1.0)]
    [0.5, 0.289]
    """
    noise = 0.5 / math.sinh(min(epsilon, 60.0) / 2.0) ** 2
    total, mean, known = sum(count for count, _ in released), 0.5, BEFORE
    for _ in range(3):  # the rewards' variance follows from the mean
        each = max(mean * (1.0 - mean), 0.25 / (total + 1.0))
        weights = [count / (each * count + noise) for count, _ in released]
        known = BEFORE + sum(w * count for w, (count, _) in zip(weights, released, strict=True))
        found = BEFORE / 2.0 + sum(
            w * value for w, (_, value) in zip(weights, released, strict=True)
        )
        mean = min(1.0, max(0.0, found / known))
    return mean, known**-0.5


def leader(
    releases: Sequence[Mapping[str, Any]], active: Mapping[int, str], epsilon: float
) -> tuple[str, float] | None:
    """Return the arm that is probably the best in the largest segment, and about how probably.

    Parameters
    ----------
    releases
        Their entries in the journal.
    active
        The numbers and names of the arms that may be shown.
    epsilon
        The loss of one reward in a release.

    Examples
    --------
    >>> releases = [{"segment": 0, "arm": 0, "count": 100, "value": 30.0},
    ...             {"segment": 0, "arm": 1, "count": 100, "value": 60.0}]
    >>> name, chance = leader(releases, {0: "a", 1: "b"}, epsilon=1.0)
    >>> name, chance > 0.99
    ('b', True)
    """
    sizes: dict[int, int] = {}
    for each in releases:
        sizes[each["segment"]] = sizes.get(each["segment"], 0) + each["count"]
    if not sizes:
        return None
    largest = max(sizes, key=lambda segment: sizes[segment])
    known: dict[int, list[tuple[int, float]]] = {arm: [] for arm in active}
    for each in releases:
        if each["segment"] == largest and each["arm"] in known:
            known[each["arm"]].append((each["count"], each["value"]))
    found = chances(*zip(*(estimate(of_arm, epsilon) for of_arm in known.values()), strict=True))
    arms = list(known)
    best = max(range(len(arms)), key=lambda place: found[place])
    return active[arms[best]], found[best]
