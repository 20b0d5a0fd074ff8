"""What is seen of twins, and how it is compared."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.live.places import Draw


class WrongAnswerError(AssertionError):
    """A reward was answered by something else than its id, the clock and its bytes."""


class LeakError(AssertionError):
    """Twins differ in something that is public, or in somebody else's bit."""


class ExceededError(AssertionError):
    """The summed loss is more than was promised, or a batch was released twice."""


@dataclass
class Record:
    """What was seen in one twin."""

    public: list[Any] = field(default_factory=list)
    private: list[Any] = field(default_factory=list)
    sums: list[dict[int, int]] = field(default_factory=list)
    hers: dict[int, int] = field(default_factory=dict)
    draws: list[Draw] = field(default_factory=list)
    releases: list[tuple[str, tuple[int, ...], float]] = field(default_factory=list)
    promises: dict[str, Fraction] = field(default_factory=dict)


def compare(first: Record, second: Record) -> Fraction:
    """Raise where twins differ; return the largest share of a promise that was used."""
    for kind in ("public", "private"):
        pairs = itertools.zip_longest(getattr(first, kind), getattr(second, kind))
        for place, (one, two) in enumerate(pairs):
            if one != two:
                raise LeakError(f"{kind} entry {place} differs:\n{one!r}\n{two!r}")
    for one, two in zip(first.sums, second.sums, strict=True):
        for batch, total in one.items():
            if abs(total - two[batch]) > first.hers.get(batch, 0):
                raise LeakError(f"batch {batch} differs by more than her bits")
    return loss(first, second)


def loss(first: Record, second: Record) -> Fraction:
    """Raise where the summed loss exceeds a promise; return the largest share used."""
    drawn = [{draw.value: draw for draw in each.draws} for each in (first, second)]
    used: dict[str, Fraction] = dict.fromkeys(first.promises, Fraction(0))
    places = set()
    for name, place, value in first.releases:
        if (name, place) in places:
            raise ExceededError(f"batch {place} of {name} was released twice")
        places.add((name, place))
        one, two = (each[value] for each in drawn)
        used[name] += abs(one.total - two.total) * Fraction(one.epsilon)
    shares = [Fraction(0)]
    for name, spent in used.items():
        promised = first.promises[name]
        if spent > promised:
            raise ExceededError(f"{name} lost {float(spent):g}, and promised {float(promised):g}")
        if promised:
            shares.append(spent / promised)
    return max(shares)
