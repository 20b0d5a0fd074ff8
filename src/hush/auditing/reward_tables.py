"""Reward tables, and their neighbours: what an attack compares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.auditing.attacked_claim import Claim
from hush.auditing.finding import Witness
from hush.auditing.persons import Rounds, anywhere, placed
from hush.noise import NoiseSource
from hush.policies import Learner, Policy
from hush.privacy import Release

__all__ = ["Pair", "Table", "near_pairs", "pairs", "play", "rows_text", "told"]

Table = NDArray[Any]


@dataclass(frozen=True)
class Pair:
    """Two reward tables (a row a round, a column an arm) that differ in the rounds of one person.

    ``changed`` are these rounds, from 0; there are none where the tables are no neighbours.

    >>> import numpy as np
    >>> pair = Pair(np.zeros((2, 2)), np.eye(2), (0, 1), "x")
    >>> pair.swapped().first.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    first: Table
    second: Table
    changed: Rounds
    name: str

    def swapped(self) -> Pair:
        """Return the pair the other way round."""
        return Pair(self.second, self.first, self.changed, self.name)


def changed_rows(table: Table, rounds: Rounds, value: Any, name: str) -> Pair:  # noqa: ANN401  a number, a vector, or one a round
    """Return the table and its neighbour with other rows."""
    other = table.copy()
    other[list(rounds)] = value
    return Pair(table, other, rounds, name)


def pairs(
    n_arms: int, rounds: int, claim: Claim, ends: list[int], generator: np.random.Generator
) -> Iterator[Pair]:
    """Yield pairs to attack with: constant tables, swapped vectors, then random ones, for ever.

    ``ends`` are the rounds (from 0) in which releases are drawn, each the last of its epoch.
    Under ``"add-remove"`` a person's rows are there or count as zeros.
    """
    hot = np.eye(n_arms, dtype=np.int8)
    if claim.neighbours == "add-remove":
        shapes: list[tuple[Any, Any, str]] = [
            (1, 0, "all rewards 1, some removed"),
            (hot[0], 0, "action 0 always right, some rounds removed"),
            (hot[-1], 0, "the last action always right, some rounds removed"),
        ]
    else:
        shapes = [
            (0, 1, "all rewards 0, some rounds all 1"),
            (1, 0, "all rewards 1, some rounds all 0"),
            (hot[0], hot[-1], "action 0 always right, in some rounds the last"),
            (hot[-1], hot[0], "the last action always right, in some rounds action 0"),
            (hot[0], 1 - hot[0], "action 0 always right, in some rounds all others"),
        ]
    where = _where(n_arms, rounds, claim.rewards, ends)
    combined = product(range(len(shapes)), range(len(where)))  # few pairs are to change many places
    for which, place in sorted(combined, key=sum) if claim.rewards > 1 else combined:
        base, row, name = shapes[which]
        table = np.zeros((rounds, n_arms), dtype=np.int8)
        table[:] = base
        yield changed_rows(table, where[place], row, name)
    hers = anywhere(rounds - 1, claim.rewards, generator)
    inside = [each for each in ends if each < rounds]
    while True:
        table = (generator.random((rounds, n_arms)) < generator.random()).astype(np.int8)
        places = next(hers) if claim.rewards > 1 else (_any_round(rounds, inside, generator),)
        rows = np.zeros((len(places), n_arms), np.int8)
        if claim.neighbours == "replace":
            before = table[list(places)]
            keep = generator.random(rows.shape) < 0.3
            rows = np.where(keep, before, 1 - before)
        yield changed_rows(table, places, rows, "random rewards, some rounds' replaced")


def _where(n_arms: int, rounds: int, rewards: int, ends: list[int]) -> list[Rounds]:
    """Return where constant tables are changed; a person has nothing in the last round."""
    if rewards > 1:
        return placed(rounds - 1, rewards, ends)
    telling = [0, *ends[:1], *ends[-2:], min(rounds - 1, n_arms)]
    return list(dict.fromkeys((each,) for each in telling if each < rounds))


def _any_round(rounds: int, inside: list[int], generator: np.random.Generator) -> int:
    place = int(generator.integers(rounds))
    if inside and generator.random() < 0.5:
        place = int(generator.choice(inside))
    return place


def near_pairs(
    table: Table, claim: Claim, ends: list[int], arms: list[int], generator: np.random.Generator
) -> Iterator[Pair]:
    """Yield neighbours of a table: other rewards of one person, in telling rounds, then in any.

    ``ends`` are the rounds in which releases come, ``arms`` what the rounds play.
    """
    rounds, n_arms = table.shape
    if claim.rewards == 1:
        where, name = _single_rounds(rounds, ends, generator), "one round's rewards replaced"
    else:
        known = placed(rounds, claim.rewards, ends, arms)
        where = chain(known, anywhere(rounds, claim.rewards, generator))
        name = "one person's rewards replaced"
    for number, places in enumerate(where):
        if claim.neighbours != "replace":
            row = np.zeros(n_arms)
        elif claim.rewards > 1:
            row = _of_one_mind(table, places, _next_arm(places, ends, arms), number % 3)
        elif number % 3 == 1:
            row = np.eye(n_arms)[int(generator.integers(n_arms))]
        else:
            row = 1.0 - table[places[0]]
        yield changed_rows(table, places, row, name)


def _of_one_mind(table: Table, places: Rounds, arm: int, kind: int) -> Table:
    """Return what a person says in all her rounds: changes that go both ways cancel in a sum.

    Against what she gave in the first table, for an arm, or against it.
    """
    gave: Table = np.round(table[list(places)].mean(axis=0))
    chosen: Table = np.eye(table.shape[1])[arm]
    return (1.0 - gave, chosen, 1.0 - chosen)[kind]


def _next_arm(places: Rounds, ends: list[int], arms: list[int]) -> int:
    """Return what is played after the release that her last reward enters."""
    after = 1 + next((end for end in ends if end >= places[-1]), places[-1])
    return arms[after] if after < len(arms) else 0


def _single_rounds(
    rounds: int, ends: list[int], generator: np.random.Generator
) -> Iterator[Rounds]:
    """Yield telling rounds, one by one, then any, for ever.

    Telling are rounds in which releases come (``ends``), those half-way between, powers of two,
    the first and the last.
    """
    telling = [0, rounds - 1, *ends[:2], *ends[-3:]]
    telling += [(a + b) // 2 for a, b in zip([0, *ends[:-1]], ends, strict=False)][-2:]
    telling += [2**k + more for k in range(rounds.bit_length()) for more in (-1, 0)][-4:]
    yield from dict.fromkeys((each,) for each in telling if 0 <= each < rounds)
    while True:
        yield (int(generator.integers(rounds)),)


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


def told(pair: Pair, event: str, loss: float, note: str) -> Witness:
    """Return the witness that a pair of tables is."""
    rounds = tuple(each + 1 for each in pair.changed)
    return Witness(rows_text(pair.first), rows_text(pair.second), event, loss, note, rounds)
