"""Where noisy sums can lie, and how short panels must be there."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hush.noise.laws import SumLaw
from hush.numerics.panels import MOST, STEP, Floats, rule

__all__ = ["DEPTH", "NEVER", "Steps", "sides", "steps", "window", "zones"]

DEPTH = 60.0  # what lies beyond has a chance below exp(-DEPTH)
NEVER = 1e-30  # a coin of a smaller mean shows no 1 in any number of tosses considered


class Steps(NamedTuple):
    """The panels that an arm's sums above k are gone through by: a row an arm."""

    lengths: Floats
    points: Floats
    weights: Floats


def zones(means: Floats, count: float, law: SumLaw, scale: float) -> Floats:
    """Return where panels must be short, and how short: rows of start, end, length.

    An arm's function changes on the scale of its standard deviation where its sum can lie, and on
    the scale of the noise beside that, unless the noise is too narrow to matter there.
    """
    ends = sides(means, count)
    found = [np.column_stack([ends[:, :2], STEP * ends[:, 2]])]
    beside = ends[scale * math.sqrt(2.0 * DEPTH) > ends[:, 2]]
    if law != "none" and beside.size:
        # Gumbel's left tail falls like exp(-exp), which needs shorter panels.
        length = np.full(len(beside), (1.0 if law == "gumbel" else 2.0) * scale)
        far = 2.0 * DEPTH * scale
        found.append(np.column_stack([beside[:, 1], beside[:, 1] + far, length]))
        found.append(np.column_stack([beside[:, 0] - far, beside[:, 0], length]))
    return np.concatenate(found)


def sides(means: Floats, count: float) -> Floats:
    """Return where each sum can lie by Bernstein's inequality, and its standard deviation."""
    variance = count * means * (1.0 - means)
    far = DEPTH / 3.0 + np.sqrt((DEPTH / 3.0) ** 2 + 2.0 * DEPTH * variance)
    low = np.floor(np.maximum(count * means - far, 0.0))
    high = np.ceil(np.minimum(count * means + far, count)) + 1.0
    return np.stack([low, high, np.sqrt(variance)], axis=1)


def window(
    means: Floats, numbers: Floats, count: float, law: SumLaw, scale: float
) -> tuple[int, int, NDArray[np.intp]]:
    """Return the range of k that matters, and the arms that can win in it."""
    ends = sides(means, count)
    deep = DEPTH + math.log(float(numbers.sum()))
    down = {"laplace": deep, "gumbel": math.log(deep)}.get(law, 0.0) * scale
    up = 0.0 if law == "none" else deep * scale
    low = math.floor(float(ends[:, 0].max()) - down)
    kept = np.flatnonzero(ends[:, 1] + up > low)
    high = math.ceil(float(ends[kept, 1].max()) + up) + 1
    return low, high, kept


def steps(spreads: Floats, scale: float) -> Steps:
    """Return each arm's panels above k."""
    lengths = [max(MOST, int(min(0.5 * scale, STEP * each))) for each in spreads.tolist()]
    rules = [rule(length) for length in lengths]
    points, weights = (np.stack([each[part] for each in rules]) for part in (0, 1))
    return Steps(np.array(lengths, dtype=np.float64), points, weights)
