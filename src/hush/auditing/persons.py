"""Where one person's rewards are: the rounds of a table that an attack changes together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

__all__ = ["Rounds", "anywhere", "differ_text", "placed", "rounds_text"]

Rounds = tuple[int, ...]
GROUPS = 12  # of rounds in a row that are written out


def placed(rounds: int, count: int, ends: Sequence[int], arms: Sequence[int] = ()) -> list[Rounds]:
    """Return telling places for a person's rewards, the most telling first.

    They are all in one arm's epoch, or at the beginning, up to the end of an epoch, on both sides
    of one, at the borders of epochs, spread out, at the end.

    Parameters
    ----------
    rounds
        How long the table is.
    count
        How many rewards she gives; as many as there are rounds, at most.
    ends
        The rounds (from 0) in which releases come, each the last of its epoch.
    arms
        The arm that each round plays, where that is known.

    Examples
    --------
    >>> placed(16, 3, [3, 7, 15], [0, 1] * 8)
    [(11, 13, 15), (3, 5, 7), (0, 1, 2), (13, 14, 15), (6, 7, 8), (7, 8, 15), (0, 7, 15)]
    """
    count = min(count, rounds)
    inside = [end for end in ends if end < rounds] or [rounds - 1]
    last, before = inside[-1], inside[-2:][0]
    borders = chain.from_iterable((end, end + 1) for end in reversed(inside))
    found = [
        *(
            _of_one_arm(arms, end, count)
            for end in dict.fromkeys((last, before))
            if end < len(arms)
        ),
        range(count),
        range(last + 1 - count, last + 1),
        range(before + 1 - count // 2 - count % 2, before + 1 + count // 2),
        list(borders),
        np.linspace(0, rounds - 1, count).astype(int).tolist(),
        range(rounds - count, rounds),
    ]
    return list(dict.fromkeys(_filled(each, rounds, count) for each in found))


def _of_one_arm(arms: Sequence[int], end: int, count: int) -> list[int]:
    """Return the last plays, up to a round, of the arm that it plays."""
    return [t for t in range(end + 1) if arms[t] == arms[end]][-count:]


def _filled(found: Sequence[int], rounds: int, count: int) -> Rounds:
    """Return so many rounds of a table: those found, and the first others."""
    inside = dict.fromkeys(each for each in found if 0 <= each < rounds)
    others = range(rounds) if len(inside) < count else ()
    return tuple(sorted([*dict.fromkeys([*inside, *others])][:count]))


def anywhere(rounds: int, count: int, generator: np.random.Generator) -> Iterator[Rounds]:
    """Yield rounds for a person's rewards, for ever: side by side, or anywhere.

    >>> drawn = anywhere(100, 3, np.random.default_rng(7))
    >>> [next(drawn) for _ in range(2)]
    [(92, 93, 94), (61, 67, 89)]
    """
    count = min(count, rounds)
    while True:
        start = int(generator.integers(rounds - count + 1))
        yield tuple(range(start, start + count))
        scattered = generator.choice(rounds, size=count, replace=False)
        yield tuple(sorted(scattered.tolist()))


def rounds_text(rounds: Rounds) -> str:
    """Write rounds, counted from 1, runs of them once.

    >>> rounds_text((4,)), rounds_text((0, 1, 2, 8))
    ('round 5', 'rounds 1 to 3, 9')
    """
    runs: list[list[int]] = []
    for each in rounds:
        if runs and each == runs[-1][-1] + 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    texts = [str(r[0] + 1) if len(r) == 1 else f"{r[0] + 1} to {r[-1] + 1}" for r in runs]
    if len(texts) > 2 * GROUPS:
        texts = [*texts[:GROUPS], "...", *texts[-GROUPS:]]
    return f"{'round' if len(rounds) == 1 else 'rounds'} {', '.join(texts)}"


def differ_text(rounds: Rounds) -> str:
    """Say where two tables differ, and whose rewards these are.

    >>> differ_text((4,)), differ_text((0, 1))
    ('they differ in round 5', 'they differ in rounds 1 to 2, all of one person')
    """
    if not rounds:
        return "they differ"
    return f"they differ in {rounds_text(rounds)}{', all of one person' * (len(rounds) > 1)}"
