"""The exact law of a noisy argmax, and the worst that one replaced reward vector can do to it.

``P(j wins) = integral of f(z) times the product over i of F(z + (s_j - s_i) / scale)``: a
polynomial in ``exp(-z)`` for exponential noise, a closed form for Gumbel noise, piecewise smooth
for Laplace noise, and a sum for discrete Laplace noise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from hush.errors import ParameterError, choice, positive, whole
from hush.privacy import NEIGHBOURS, Neighbours

__all__ = ["LAWS", "WinnerLaw", "WorstWinner", "winner_law", "worst_winner"]

Floats = NDArray[np.float64]
WinnerLaw = Literal["exponential", "laplace", "gumbel", "discrete-laplace"]
LAWS: tuple[str, ...] = get_args(WinnerLaw)
FAR = 45.0  # in units of the scale: exp(-45) is below rounding
MOST_ACTIONS = 8
LONGEST_EPOCH = 256


def winner_law(scores: Sequence[float], *, scale: float, law: str) -> Floats:
    """Return each action's chance to have the largest score after independent noise.

    Parameters
    ----------
    scores
        The sums that noise is added to.
    scale
        The scale of the noise.
    law
        ``"exponential"``, ``"laplace"``, ``"gumbel"``, or ``"discrete-laplace"`` on whole sums,
        where the lowest action wins a tie.

    Examples
    --------
    >>> from hush.auditing import winner_law
    >>> winner_law([3, 3], scale=2.0, law="laplace")
    array([0.5, 0.5])
    >>> winner_law([1, 0], scale=1.0, law="gumbel").round(4)
    array([0.7311, 0.2689])
    """
    choice("law", law, LAWS)
    scale = positive("scale", scale)
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ParameterError("scores must be a list of finite numbers, one per action")
    if law == "discrete-laplace" and (values != np.rint(values)).any():
        raise ParameterError("discrete noise takes whole scores")
    whole_law = [_log_chance(values, j, scale, law) for j in range(values.size)]
    return np.exp(whole_law)


def _log_chance(scores: Floats, winner: int, scale: float, law: str) -> float:
    """Return the logarithm: a winner that trails far has a chance below the smallest double."""
    if law == "discrete-laplace":
        return _discrete(scores, winner, scale)
    leads = (scores[winner] - np.delete(scores, winner)) / scale
    if law == "gumbel":
        return -float(logsumexp(np.append(-leads, 0.0)))
    return _exponential(leads) if law == "exponential" else _laplace(leads)


@lru_cache(maxsize=32)
def _nodes(count: int) -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(count)
    return (points + 1.0) / 2.0, weights / 2.0


def _exponential(leads: Floats) -> float:
    start = max(0.0, float(-leads.min(initial=0.0)))  # below it, somebody else is ahead for sure
    u, weights = _nodes(leads.size // 2 + 1)  # exact for a polynomial of this degree
    product = np.prod(1.0 - np.exp(-(start + leads))[:, None] * u, axis=0)
    return math.log(float(weights @ product)) - start


def _laplace(leads: Floats) -> float:
    """Both tails are polynomials in exp(-|z|); what is between is cut at every kink."""
    kinks = np.append(-leads, 0.0)
    low, high = float(kinks.min()), float(kinks.max())
    u, weights = _nodes(leads.size // 2 + 1)
    right = np.prod(1.0 - 0.5 * np.exp(-(high + leads))[:, None] * u, axis=0)
    rivals = leads.size
    logs = [
        np.array([math.log(float(weights @ right)) - math.log(2.0) - high]),
        np.array(
            [(rivals + 1.0) * (low - math.log(2.0)) + float(leads.sum()) - math.log(rivals + 1.0)]
        ),
    ]
    u, weights = _nodes(20)
    for start, stop in itertools.pairwise(np.unique(kinks).tolist()):
        pieces = max(1, math.ceil(stop - start))
        width = (stop - start) / pieces
        z = (start + width * (np.arange(pieces)[:, None] + u)).ravel()
        logs.append(
            np.tile(np.log(0.5 * width * weights), pieces) - np.abs(z) + _log_below(z, leads)
        )
    return float(logsumexp(np.concatenate(logs)))


def _log_below(z: Floats, leads: Floats) -> Floats:
    moved = z + leads[:, None]
    logs = np.where(moved >= 0.0, np.log1p(-0.5 * np.exp(-np.abs(moved))), moved - math.log(2.0))
    total: Floats = logs.sum(axis=0)
    return total


def _discrete(scores: Floats, winner: int, scale: float) -> float:
    reach = math.ceil(FAR * scale) + 1
    grid = np.arange(scores.min() - reach, scores.max() + reach + 1.0)
    away = np.abs(grid - scores[:, None]) / scale  # minus the logarithm of a mass, up to a constant
    ratio = math.exp(-1.0 / scale)
    tail = math.log1p(ratio)  # P(X <= k) = exp(-(s - k) / scale) / (1 + ratio) below the score
    with np.errstate(divide="ignore"):
        above = np.log1p(-np.exp(-away - 1.0 / scale - tail)), np.log1p(-np.exp(-away - tail))
    at_most = np.where(grid >= scores[:, None], above[0], -away - tail)
    below = np.where(grid > scores[:, None], above[1], -away - 1.0 / scale - tail)
    mass = math.log1p(-ratio) - tail - away[winner]
    rivals = np.concatenate([below[:winner], at_most[winner + 1 :]])  # a lower action wins a tie
    return float(logsumexp(mass + rivals.sum(axis=0)))


@dataclass(frozen=True)
class WorstWinner:
    """The worst case of a noisy argmax over scores and neighbours: what to check by hand.

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
    n_arms: int, epoch: int, *, scale: float, law: str, neighbours: str = "replace"
) -> WorstWinner:
    """Return the worst loss of one noisy argmax over 0/1 reward vectors.

    The neighbour that hurts most is known: an action's chance to win rises with its own sum and
    falls with every other, so under ``"replace"`` the winner's sum falls by one and all others
    rise; under ``"add-remove"`` one side of that happens. Over scores, what is searched are the
    ones where the winner trails every rival by one of two margins or leads it by as much as can be;
    tests compare with all scores where these can be listed.

    Parameters
    ----------
    n_arms
        How many actions, up to 8.
    epoch
        How many reward vectors are summed, up to 256.
    scale, law
        The noise on each sum: see :func:`winner_law`.
    neighbours
        ``"replace"`` or ``"add-remove"``.

    Examples
    --------
    >>> from hush.auditing import worst_winner
    >>> print(worst_winner(2, 8, scale=1.0, law="laplace"))
    sums [1, 7] and [0, 8]: action 0 wins with probability 0.0049575 and 0.000838657, a loss of
    1.7769
    """
    n_arms = whole("n_arms", n_arms, least=2, most=MOST_ACTIONS)
    epoch = whole("epoch", epoch, least=1, most=LONGEST_EPOCH)
    choice("neighbours", neighbours, NEIGHBOURS)
    choice("law", law, LAWS)
    places = (0, n_arms - 1) if law == "discrete-laplace" else (0,)  # ties know their place
    best: WorstWinner | None = None
    for scores, neighbour in _candidates(n_arms, epoch, neighbours):
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
    return _log_chance(np.array(relative, dtype=np.float64), winner, scale, law)


def _candidates(
    n_arms: int, epoch: int, neighbours: Neighbours | str
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield sums with action 0 as the winner, and their worst neighbours."""
    levels = _levels(epoch)
    rivals = n_arms - 1
    for own in {1, epoch // 2 + 1, epoch}:
        for first, second in itertools.combinations_with_replacement(levels, 2):
            for many in range(1, rivals + 1) if first != second else (rivals,):
                others = (first,) * many + (second,) * (rivals - many)
                raised = tuple(min(each + 1, epoch) for each in others)
                if neighbours == "replace":
                    yield (own, *others), (own - 1, *raised)
                else:  # all sums move one way: the winner's alone, or the rivals' alone
                    yield (own, *others), (own - 1, *others)
                    yield (own - 1, *others), (own - 1, *raised)


def _levels(epoch: int) -> list[int]:
    if epoch <= 8:
        return list(range(epoch + 1))
    inner = {0, 1, 2, epoch // 4, epoch // 2, 3 * epoch // 4, epoch - 2, epoch - 1, epoch}
    return sorted(inner)
