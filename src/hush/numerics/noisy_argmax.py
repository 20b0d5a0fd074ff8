"""The law of a noisy argmax of known scores: who wins, with which chance.

``P(j wins) = integral of f(z) times the product over i of F(z + (s_j - s_i) / scale)``: a
polynomial in ``exp(-z)`` for exponential noise, a closed form for Gumbel noise, piecewise smooth
for Laplace noise, and a sum for discrete Laplace noise. All in logarithms: the chances of a winner
that trails far are compared, and may be below any double. Needs scipy.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from hush.errors import ParameterError, choice, positive
from hush.noise.laws import SCORE_LAWS

__all__ = ["log_win_chance", "win_chances"]

Floats = NDArray[np.float64]
FAR = 45.0  # in units of the scale: exp(-45) is below rounding


def win_chances(scores: Sequence[float], *, scale: float, law: str) -> Floats:
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
    >>> win_chances([3, 3], scale=2.0, law="laplace")
    array([0.5, 0.5])
    >>> win_chances([1, 0], scale=1.0, law="gumbel").round(4)
    array([0.7311, 0.2689])
    """
    choice("law", law, SCORE_LAWS)
    scale = positive("scale", scale)
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ParameterError("scores must be a list of finite numbers, one per action")
    if law == "discrete-laplace" and (values != np.rint(values)).any():
        raise ParameterError("discrete noise takes whole scores")
    return np.exp([log_win_chance(values, j, scale, law) for j in range(values.size)])


def log_win_chance(scores: Floats, winner: int, scale: float, law: str) -> float:
    """Return the logarithm: a winner that trails far has a chance below the smallest double.

    >>> round(log_win_chance(np.array([0.0, 2000.0]), 0, 1.0, "gumbel"))
    -2000
    """
    if law == "discrete-laplace":
        return _discrete(scores, winner, scale)
    if law == "gumbel":
        return -float(np.logaddexp.reduce((scores - scores[winner]) / scale))
    leads = (scores[winner] - np.delete(scores, winner)) / scale
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
