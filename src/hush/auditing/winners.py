"""The worst that replaced reward vectors can do to the law of a noisy argmax."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hush.errors import choice, whole
from hush.noise.laws import SCORE_LAWS
from hush.numerics.noisy_argmax import log_win_chance
from hush.privacy import NEIGHBOURS, Neighbours

__all__ = ["WorstWinner", "worst_winner"]

MOST_ACTIONS = 8
LONGEST_EPOCH = 256


@dataclass(frozen=True)
class WorstWinner:
    """The worst case found of a noisy argmax over scores and neighbours: what to check by hand.

    Attributes
    ----------
    loss
        ``ln(P(winner | scores) / P(winner | neighbour))``.
    scores, neighbour
        The sums of the two epochs.
    winner
        The action.
    log_chances
        The logarithms of the two probabilities; the probabilities may be below any double.
    """

    loss: float
    scores: tuple[int, ...]
    neighbour: tuple[int, ...]
    winner: int
    log_chances: tuple[float, float]

    def __str__(self) -> str:
        first, second = (_readable(each) for each in self.log_chances)
        return (
            f"sums {list(self.scores)} and {list(self.neighbour)}: action {self.winner} wins with "
            f"probability {first} and {second}, a loss of {self.loss:.4f}"
        )


def _readable(log_chance: float) -> str:
    """Write exp(x), also where it is too small for a double."""
    if log_chance > -600.0:
        return f"{math.exp(log_chance):.6g}"
    power = log_chance / math.log(10.0)
    return f"{10.0 ** (power - math.floor(power)):.5f}e{math.floor(power)}"


def worst_winner(
    n_arms: int,
    epoch: int,
    *,
    scale: float,
    law: str,
    neighbours: str = "replace",
    replaced: int = 1,
) -> WorstWinner:
    """Return the worst loss that a search finds of one noisy argmax over 0/1 reward vectors.

    The neighbour that hurts most is known: an action's chance to win rises with its own sum and
    falls with every other, so under ``"replace"`` the winner's sum falls by one and all others
    rise; under ``"add-remove"`` one side of that happens. Where several vectors are replaced, sums
    move by as many. Over scores, what is searched are the ones where the winner trails every rival
    by one of two margins or leads it by as much as can be: all margins in epochs of up to 8, nine
    or ten of them in longer ones. So the loss is a lower bound on the worst case: it can show a
    violation, and proves nothing. Where all scores can be listed it is the worst of all, as tests
    show.

    Parameters
    ----------
    n_arms
        How many actions, up to 8.
    epoch
        How many reward vectors are summed, up to 256.
    scale, law
        The noise on each sum: see :func:`hush.numerics.noisy_argmax.win_chances`.
    neighbours
        ``"replace"`` or ``"add-remove"``, where a vector counts as zeros.
    replaced
        How many vectors of the epoch change: those of one person.

    Examples
    --------
    >>> from hush.auditing import worst_winner
    >>> print(worst_winner(2, 8, scale=1.0, law="laplace"))
    sums [1, 7] and [0, 8]: action 0 wins with probability 0.0049575 and 0.000838657, a loss of
    1.7769
    >>> round(worst_winner(2, 8, scale=1.0, law="laplace", replaced=3).loss, 3)
    5.084
    """
    n_arms = whole("n_arms", n_arms, least=2, most=MOST_ACTIONS)
    epoch = whole("epoch", epoch, least=1, most=LONGEST_EPOCH)
    replaced = min(whole("replaced", replaced, least=1), epoch)
    choice("neighbours", neighbours, NEIGHBOURS)
    choice("law", law, SCORE_LAWS)
    places = (0, n_arms - 1) if law == "discrete-laplace" else (0,)  # ties know their place
    best: WorstWinner | None = None
    for scores, neighbour in _candidates(n_arms, epoch, neighbours, replaced):
        for place in places:
            first, second = (_moved(each, place) for each in (scores, neighbour))
            for one, other in ((first, second), (second, first)):
                found = _compared(one, other, place, scale, law)
                if best is None or found.loss > best.loss:
                    best = found
    assert best is not None  # noqa: S101  there is always a candidate
    return best


def _moved(scores: tuple[int, ...], place: int) -> tuple[int, ...]:
    return scores if place == 0 else (*scores[1:], scores[0])


def _compared(
    scores: tuple[int, ...], neighbour: tuple[int, ...], winner: int, scale: float, law: str
) -> WorstWinner:
    first, second = (
        _cached(tuple(s - each[winner] for s in each), winner, scale, law)
        for each in (scores, neighbour)
    )
    return WorstWinner(first - second, scores, neighbour, winner, (first, second))


@lru_cache(maxsize=65536)
def _cached(relative: tuple[int, ...], winner: int, scale: float, law: str) -> float:
    return log_win_chance(np.array(relative, dtype=np.float64), winner, scale, law)


def _candidates(
    n_arms: int, epoch: int, neighbours: Neighbours | str, replaced: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield sums with action 0 as the winner, and their worst neighbours."""
    levels = _levels(epoch, replaced)
    rivals = n_arms - 1
    for own in {replaced, min(epoch // 2 + replaced, epoch), epoch}:
        fallen = own - replaced
        for first, second in itertools.combinations_with_replacement(levels, 2):
            for many in range(1, rivals + 1) if first != second else (rivals,):
                others = (first,) * many + (second,) * (rivals - many)
                raised = tuple(min(each + replaced, epoch) for each in others)
                if neighbours == "replace":
                    yield (own, *others), (fallen, *raised)
                else:  # all sums move one way: the winner's alone, or the rivals' alone
                    yield (own, *others), (fallen, *others)
                    yield (fallen, *others), (fallen, *raised)


def _levels(epoch: int, replaced: int) -> list[int]:
    if epoch <= 8:
        return list(range(epoch + 1))
    inner = {0, 1, 2, epoch // 4, epoch // 2, 3 * epoch // 4, epoch - 2, epoch - 1, epoch}
    return sorted(inner | {epoch - replaced})
