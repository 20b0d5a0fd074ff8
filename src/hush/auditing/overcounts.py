"""A hunt for the round that counts for more than it may."""

from __future__ import annotations

import math

import numpy as np

from hush.auditing.finding import Witness
from hush.auditing.recorded_runs import Case
from hush.auditing.reward_tables import Pair
from hush.auditing.transcripts import (
    added_up,
    bisected,
    difference,
    mixed,
    neighbours_at,
    witnessed,
)

__all__ = ["hunt"]


def hunt(
    case: Case, shape: tuple[int, int], *, neighbours: str, claim: float
) -> tuple[float, Witness]:
    """Return the loss of a round that was looked for, and its witness.

    Losses of sums add up over the rounds that change, and each of them may lose the claim. So the
    rewards of a whole table are turned round, and then of that half of it, again and again, whose
    loss is largest against what its rounds may lose together. What is left is one round: a reward
    that is counted twice, say, on rare occasions that no guess would meet.
    """
    base = np.zeros(shape) if neighbours == "replace" else np.ones(shape)
    pair = Pair(base, 1.0 - base, -1, "every reward turned round")
    first = case.run(base)
    script = [each.noisy for each in first.drawn]

    def lost(rounds: int) -> float:
        second = case.run(mixed(pair, rounds), script)
        return math.inf if difference(first, second) else added_up(first, second)[0]

    low, high = 0, len(base)
    below, above = 0.0, lost(high)
    while high - low > 1 and math.isfinite(above):
        middle = (low + high) // 2
        here = lost(middle)
        left, right = here - below - claim * (middle - low), above - here - claim * (high - middle)
        if left >= right:
            high, above = middle, here
        else:
            low, below = middle, here
    if math.isinf(above):
        near, event = bisected(case, pair, first, script)
        return math.inf, witnessed(case, near, event, math.inf)
    near = neighbours_at(pair, low)
    loss, event = added_up(case.run(near.first, script), case.run(near.second, script))
    return loss, witnessed(case, near, event, loss)
