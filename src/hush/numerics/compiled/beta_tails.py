"""Tails of Beta laws, drawn without drawing the rest: rarely, and exactly.

The logarithm of the density of Beta(k + 1, rest + 1) is concave. Above a place beyond its mode it
lies below its tangent, so that the density lies below an exponential one. Let a draw be *proposed*
with that one's mass, from that one, and accepted with the ratio of the two densities at it: then
the law has put its draw there with the density it should, and has otherwise put it below the place.
Most of the time nothing is proposed, and nothing has to be computed.

A tangent serves many laws. With fewer successes ``k`` or more failures ``rest`` the ratio of the
densities falls along the tail; so if it is at most 1 at the place, it is so everywhere beyond it.
It falls at the place if ``ln place`` is at least the mean of ``ln X`` and ``ln (1 - place)`` at
most that of ``ln (1 - X)``, which :func:`upper_tail` makes sure of; both only become truer.

A lower tail is the upper one of Beta(rest + 1, k + 1) above ``1 - place``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy.random import Generator

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.binomial import log_pmf
from hush.numerics.compiled.draws import standard_exponential

__all__ = ["Tail", "log_density", "propose", "upper_tail"]


class Tail(NamedTuple):
    """An exponential that lies above a law's density beyond a place: its height there, its fall.

    ``mass`` is its integral; infinite where there is none.
    """

    log_top: float
    fall: float
    mass: float


@apart
def log_density(k: float, rest: float, x: float) -> float:
    """Return the logarithm of the density of Beta(k + 1, rest + 1): a binomial law of real k.

    >>> round(math.exp(log_density(2.0, 1.0, 0.5)), 12)
    1.5
    """
    return float(math.log1p(k + rest) + log_pmf(k, rest, x, 1.0 - x))


@apart
def upper_tail(k: float, rest: float, place: float) -> Tail:
    """Return what lies above the density of Beta(k + 1, rest + 1) beyond a place.

    And above that of every law with at most ``k`` and at least ``rest``. The digamma function,
    which the means of logarithms are made of, lies between ``ln (x - 1/2)`` and ``ln x``.

    >>> tail = upper_tail(50.0, 50.0, 0.7)
    >>> round(1e5 * tail.mass, 2)  # of which the law has 1.29
    1.38
    """
    inside = 0.0 < place < 1.0 and k >= 0.0 and rest >= 0.0
    if not (
        inside
        and place * (k + rest + 1.5) >= k + 1.0
        and (1.0 - place) * (k + rest + 2.0) <= rest + 0.5
    ):
        return Tail(0.0, 1.0, math.inf)
    fall = rest / (1.0 - place) - k / place
    if not fall > 0.0:
        return Tail(0.0, 1.0, math.inf)
    log_top = log_density(k, rest, place)
    return Tail(log_top, fall, math.exp(log_top) / fall)


@apart
def propose(tail: Tail, k: float, rest: float, place: float, source: Generator) -> float:
    """Return where beyond the place the draw of Beta(k + 1, rest + 1) lies; -1 if it does not.

    To be called as often as the tail's mass says.
    """
    away = standard_exponential(source)
    x = place + away / tail.fall
    if x >= 1.0:
        return -1.0
    lack = tail.log_top - away - log_density(k, rest, x)
    return float(x if standard_exponential(source) > lack else -1.0)
