"""A hunt for the rounds that count for more than they may."""

from __future__ import annotations

import math

import numpy as np

from hush.auditing.attacked_claim import Claim
from hush.auditing.finding import Witness
from hush.auditing.recorded_runs import Case, Transcript
from hush.auditing.reward_tables import Pair
from hush.auditing.transcripts import (
    added_up,
    bisected,
    difference,
    mixed,
    narrowed,
    witnessed,
)

__all__ = ["hunt"]


def hunt(case: Case, shape: tuple[int, int], claim: Claim) -> tuple[float, Witness]:
    """Return the loss of a person's rounds that were looked for, and its witness.

    Moves of sums add up over the rounds that change, and each of them may move by its share of the
    claim. So the rewards of a whole table are turned round, and then of that half of it, again and
    again, whose loss is largest against what its rounds may lose together. What is left is one
    round, or as many as a person has: a reward that is counted twice, say, on rare occasions that
    no guess would meet.
    """
    base = np.zeros(shape) if claim.neighbours == "replace" else np.ones(shape)
    pair = Pair(base, 1.0 - base, (), "every reward turned round")
    first = case.run(base)
    script = [each.noisy for each in first.drawn]

    def lost(rounds: int) -> float:
        return _moved(first, case.run(mixed(pair, rounds), script), claim)

    share = claim.share
    low, high = 0, len(base)
    below, above = 0.0, lost(high)
    while high - low > claim.rewards and math.isfinite(above):
        middle = (low + high) // 2
        here = lost(middle)
        left, right = here - below - share * (middle - low), above - here - share * (high - middle)
        if left >= right:
            high, above = middle, here
        else:
            low, below = middle, here
    if math.isinf(above):
        near, event = bisected(case, pair, first, script)
        return math.inf, witnessed(case, near, event, math.inf)
    found = []
    for start, end in _windows(low, high, min(claim.together, len(base)), len(base)):
        near = narrowed(pair, start, end)
        both = case.run(near.first, script), case.run(near.second, script)
        event = difference(*both)
        loss = math.inf
        if not event:
            loss, event = added_up(*both, concentrated=claim.concentrated)
        found.append((loss, witnessed(case, near, event, loss)))
    return max(found, key=lambda each: each[0])


def _moved(first: Transcript, second: Transcript, claim: Claim) -> float:
    """Return how far all sums moved in units of their noise: pure losses are just that."""
    if difference(first, second):
        return math.inf
    if not claim.concentrated:
        return added_up(first, second)[0]
    both = zip(first.drawn, second.drawn, strict=True)
    return sum(math.sqrt(2.0 * a.concentrated(b)) for a, b in both)


def _windows(low: int, high: int, count: int, rounds: int) -> list[tuple[int, int]]:
    """Return so many rounds in a row around those that were found, a few ways."""
    first, last = max(0, high - count), min(low, rounds - count)
    starts = dict.fromkeys((last, (first + last) // 2, first))
    return [(start, start + count) for start in starts]
