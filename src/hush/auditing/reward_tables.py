"""Reward tables, and their neighbours: what an attack compares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.noise import NoiseSource
from hush.policies import Learner, Policy
from hush.privacy import Release

__all__ = ["Pair", "Table", "one_round_pairs", "pairs", "play", "rows_text"]

Table = NDArray[Any]


@dataclass(frozen=True)
class Pair:
    """Two 0/1 reward tables (a row a round, a column an arm) that differ in one row.

    >>> import numpy as np
    >>> pair = Pair(np.zeros((2, 2), np.int8), np.eye(2, dtype=np.int8)[:1].repeat(2, 0), 0, "x")
    >>> pair.name
    'x'
    """

    first: Table
    second: Table
    changed: int
    name: str

    def swapped(self) -> Pair:
        """Return the pair the other way round."""
        return Pair(self.second, self.first, self.changed, self.name)


def changed_row(table: Table, row: int, value: Any, name: str) -> Pair:  # noqa: ANN401  a number or a vector
    """Return the table and its neighbour with another row."""
    other = table.copy()
    other[row] = value
    return Pair(table, other, row, name)


def pairs(
    n_arms: int, rounds: int, neighbours: str, ends: list[int], generator: np.random.Generator
) -> Iterator[Pair]:
    """Yield pairs to attack with: constant tables, swapped vectors, then random ones, for ever.

    ``ends`` are the rounds (from 0) in which releases are drawn, each the last of its epoch.
    Under ``"add-remove"`` a row is there or counts as zeros.
    """
    hot = np.eye(n_arms, dtype=np.int8)
    telling = [0, *ends[:1], *ends[-2:], min(rounds - 1, n_arms)]
    where = list(dict.fromkeys(each for each in telling if each < rounds))
    if neighbours == "add-remove":
        shapes: list[tuple[Any, Any, str]] = [
            (1, 0, "all rewards 1, one round removed"),
            (hot[0], 0, "action 0 always right, one round removed"),
            (hot[-1], 0, "the last action always right, one round removed"),
        ]
    else:
        shapes = [
            (0, 1, "all rewards 0, one round all 1"),
            (1, 0, "all rewards 1, one round all 0"),
            (hot[0], hot[-1], "action 0 always right, in one round the last"),
            (hot[-1], hot[0], "the last action always right, in one round action 0"),
            (hot[0], 1 - hot[0], "action 0 always right, in one round all others"),
        ]
    for base, row, name in shapes:  # few pairs are to change many places
        for place in where:
            table = np.zeros((rounds, n_arms), dtype=np.int8)
            table[:] = base
            yield changed_row(table, place, row, name)
    inside = [each for each in ends if each < rounds]
    while True:
        table = (generator.random((rounds, n_arms)) < generator.random()).astype(np.int8)
        place = int(generator.integers(rounds))
        if inside and generator.random() < 0.5:
            place = int(generator.choice(inside))
        row = np.zeros(n_arms, np.int8)
        if neighbours == "replace":
            row = (1 - table[place]).astype(np.int8)
            keep = generator.random(n_arms) < 0.3
            row[keep] = table[place][keep]
        yield changed_row(table, place, row, "random rewards, one round's replaced")


def one_round_pairs(
    table: Table, neighbours: str, ends: list[int], generator: np.random.Generator
) -> Iterator[Pair]:
    """Yield neighbours of a table: another reward in one telling round, then in any, for ever.

    Telling are rounds in which releases come (``ends``), those half-way between, powers of two,
    the first and the last.
    """
    rounds, n_arms = table.shape
    telling = [0, rounds - 1, *ends[:2], *ends[-3:]]
    telling += [(a + b) // 2 for a, b in zip([0, *ends[:-1]], ends, strict=False)][-2:]
    telling += [2**k + more for k in range(rounds.bit_length()) for more in (-1, 0)][-4:]
    places = list(dict.fromkeys(each for each in telling if 0 <= each < rounds))
    hot = np.eye(n_arms)
    number = 0
    while True:
        place = places[number] if number < len(places) else int(generator.integers(rounds))
        row = np.zeros(n_arms) if neighbours != "replace" else 1.0 - table[place]
        if neighbours == "replace" and number % 3 == 1:
            row = hot[int(generator.integers(n_arms))]
        yield changed_row(table, place, row, "one round's rewards replaced")
        number += 1


def settle(learner: Learner, arm: int, row: list[Any]) -> Release | None:
    """Hand a learner the rewards of a round: all of them, or that of the arm it played."""
    return learner.observe(arm, lambda which: row if which is None else row[which])


def play(learner: Learner, table: Table, *, settle_last: bool = True) -> list[int]:
    """Play a table from its first round to its last; return the arms.

    Without ``settle_last`` the last round is decided only: nothing later can show its reward.
    """
    arms = []
    last = len(table) - 1
    for t, row in enumerate(table.tolist()):
        arm = learner.select()
        arms.append(int(arm))
        if t < last or settle_last:
            settle(learner, arm, row)
    return arms


def release_rounds(policy: Policy, n_arms: int, rounds: int, noise: NoiseSource) -> list[int]:
    """Return the rounds after which releases come, on a table of zeros."""
    learner = policy.learner(n_arms, noise=noise)
    row = [0] * n_arms
    return [t for t in range(rounds) if settle(learner, learner.select(), row) is not None]


def _digit(value: float) -> str:
    """Return a reward as a digit, or in brackets where it is a fraction."""
    return str(int(value)) if float(value).is_integer() else f"({value:g})"


def rows_text(table: Table, limit: int = 12) -> str:
    """Write a table in a line: a group of digits a round, equal rounds once.

    >>> import numpy as np
    >>> rows_text(np.array([[1, 0], [1, 0], [0, 1]], np.int8))
    '10 x2, 01'
    """
    groups: list[tuple[str, int]] = []
    for row in table:
        text = "".join(map(_digit, row.tolist()))
        if groups and groups[-1][0] == text:
            groups[-1] = (text, groups[-1][1] + 1)
        else:
            groups.append((text, 1))
    shown = [text if many == 1 else f"{text} x{many}" for text, many in groups]
    if len(shown) > 2 * limit:
        shown = [*shown[:limit], "...", *shown[-limit:]]
    return ", ".join(shown)
