"""Two recorded runs with the same outcomes: what differs, and what the draws lose."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hush.auditing.finding import Witness
from hush.auditing.persons import differ_text
from hush.auditing.recorded_runs import Case, Transcript
from hush.auditing.reward_tables import Pair, Table, told
from hush.noise.laws import drawn_argmax
from hush.numerics.noisy_argmax import win_chances
from hush.testing.recording import DrawnRelease

__all__ = [
    "added_up",
    "bisected",
    "difference",
    "draw_loss",
    "mixed",
    "most_moved",
    "narrowed",
    "witnessed",
]


def difference(first: Transcript, second: Transcript) -> str:
    """Return what differs between two transcripts with the same outcomes; nothing if it is hid."""
    if second.seen != first.seen:
        place = next(
            (i for i, (a, b) in enumerate(zip(first.seen, second.seen, strict=False)) if a != b),
            min(len(first.seen), len(second.seen)),
        )
        shown = first.seen[place] if place < len(first.seen) else ("the run", "nothing more")
        t = sum(what == "arm" for what, _ in first.seen[: place + 1])
        text = str(shown[1])
        short = text if len(text) < 120 else f"{text[:117]}..."
        return (
            f"with all noisy values the same, {shown[0]} shows {short} under A only, in round {t}"
        )
    if len(first.drawn) != len(second.drawn):
        return "noise is drawn another number of times"
    for i, (a, b) in enumerate(zip(first.drawn, second.drawn, strict=True)):
        if (a.scale, a.law) != (b.scale, b.law):
            return f"draw {i + 1} has scale {a.scale:g} under A and {b.scale:g} under B"
    return ""


def added_up(
    first: Transcript, second: Transcript, *, concentrated: bool = False
) -> tuple[float, str]:
    """Return the losses of all draws together, pure or concentrated ones, and the event."""
    loss = DrawnRelease.concentrated if concentrated else draw_loss
    losses = [loss(a, b) for a, b in zip(first.drawn, second.drawn, strict=True)]
    moved = [i + 1 for i, loss in enumerate(losses) if loss > 0.0]
    event = (
        f"the outcomes of {len(losses)} draws; rewards move what enters draws {_few(moved)}"
        if moved
        else "nothing: no draw sees the change"
    )
    return sum(losses), event


def most_moved(first: Transcript, second: Transcript) -> int:
    """Return by how much one sum moved at most: so many changed rewards at least are in it."""
    moves = (
        sum(abs(x - y) for x, y in zip(a.raw, b.raw, strict=True))
        for a, b in zip(first.drawn, second.drawn, strict=True)
    )
    return max(moves, default=0)


def bisected(
    case: Case, pair: Pair, first: Transcript, script: Sequence[float]
) -> tuple[Pair, str]:
    """Find neighbours among tables that differ in many rounds: one round changes what is seen."""
    same, differs = 0, len(pair.first)  # how many rounds are taken from the second table
    event = difference(first, case.run(pair.second, script))
    while differs - same > 1:
        middle = (same + differs) // 2
        found = difference(first, case.run(mixed(pair, middle), script))
        if found:
            differs, event = middle, found
        else:
            same = middle
    return narrowed(pair, same, same + 1), event


def mixed(pair: Pair, rounds: int) -> Table:
    """Return the first table, with that many rounds of the second."""
    return np.concatenate([pair.second[:rounds], pair.first[rounds:]])


def narrowed(pair: Pair, start: int, end: int) -> Pair:
    """Return the two mixed tables that differ from one round to another."""
    name = f"{pair.name}, narrowed down"
    return Pair(mixed(pair, start), mixed(pair, end), tuple(range(start, end)), name)


def draw_loss(a: DrawnRelease, b: DrawnRelease) -> float:
    """Return the loss of one draw: exact for a noisy argmax's winner, worst case for a sum."""
    law = drawn_argmax(a.law)
    if law is None or a.raw == b.raw:
        return a.loss(b)
    chances = [win_chances(each.raw, scale=each.scale, law=law)[int(a.noisy)] for each in (a, b)]
    if min(chances) <= 0.0:  # too small for a double: the bound instead
        return a.loss(b)
    return abs(math.log(chances[0] / chances[1]))


def _few(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:5]))
    return shown if len(numbers) <= 5 else f"{shown}, ..."


def witnessed(case: Case, pair: Pair, event: str, loss: float) -> Witness:
    """Return what was found, in words."""
    note = f"{pair.name}; {differ_text(pair.changed)}; played by {case.way}"
    if case.ends != (0.0, 1.0):
        note += f", rewards in [{case.ends[0]:g}, {case.ends[1]:g}]"
    return told(pair, event, loss, note)
