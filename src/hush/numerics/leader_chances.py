"""How likely a worse action leads at most, and what that costs at most.

After n rounds an action with gap D trails the best one by ``n D`` on average. It leads only if luck
and noise make up for that. By Hoeffding's inequality luck exceeds ``x`` with chance
``exp(-x^2 / n)`` at most, for independent actions: it is no larger than ``sqrt(n / 2)`` times a
Rayleigh variable V. So the action leads with chance at most

    P(s V + W >= n D)  =  integral over v > 0 of v exp(-v^2 / 2) P(W >= n D - s v) dv,

where W is the difference of two noises and ``s = sqrt(n / 2)``. Everything in the integral is
positive, so that small chances have as many good digits as large ones.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hush.noise.laws import ArgmaxLaw

__all__ = ["costs_of_leaders", "difference_tail", "leader_chances", "mean_of_largest"]

Floats = NDArray[np.float64]

ROWS = 2048
NEVER = 1e-40
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(12)
WINDOW = np.linspace(-9.0, 9.0, 13)  # around the integrand's peak: exp(-9^2 / 2) is left out
KINK = np.array([-32.0, -16.0, -8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


def difference_tail(x: Floats, law: ArgmaxLaw) -> Floats:
    """Return the chance that the difference of two noises of scale 1 is at least x.

    The difference of exponential noises is Laplace's, that of Gumbel noises is logistic.

    >>> difference_tail(np.array([0.0, 1.0]), "gumbel").round(4).tolist()
    [0.5, 0.2689]
    """
    far = np.abs(x)
    tail = np.exp(-far)
    if law == "gumbel":
        tail = tail / (1.0 + tail)
    else:
        tail *= 0.5 if law == "exponential" else 0.5 + 0.25 * far
    return np.where(x >= 0.0, tail, 1.0 - tail)


def leader_chances(leads: Floats, counts: Floats, law: ArgmaxLaw, scale: float) -> Floats:
    """Return at most how likely an action that trails by ``leads`` on average leads.

    A Gauss rule on panels: some cover the peak of the integrand, others lie around the lead of 0,
    where the tail has its kink, and are as short as the noise is narrow. Chances above 1e-40 are
    found with a relative error below 1e-9, which a test compares with adaptive quadrature.

    Parameters
    ----------
    leads
        How far each action trails: rounds times gap.
    counts
        How many rounds were summed, for each action.
    law, scale
        The noise on each sum.

    Examples
    --------
    >>> leader_chances(np.array([12.5]), np.array([100.0]), "exponential", 2.0).round(5).tolist()
    [0.2385]
    """
    found = np.empty(leads.size)
    for first in range(0, leads.size, ROWS):
        rows = slice(first, first + ROWS)
        spreads = np.sqrt(0.5 * counts[rows])
        found[rows] = _integrals(leads[rows] / spreads, spreads / scale, law)
    return found


def _integrals(kinks: Floats, steepness: Floats, law: ArgmaxLaw) -> Floats:
    peaks = np.minimum(kinks, steepness)[:, None]
    around = kinks[:, None] + KINK / np.maximum(1.0, steepness)[:, None]
    edges = np.concatenate([peaks + WINDOW, around], axis=1)
    edges = np.sort(np.clip(edges, np.maximum(0.0, peaks - 9.0), peaks + 9.0), axis=1)
    halves = 0.5 * np.diff(edges, axis=1)[:, :, None]
    at = edges[:, :-1, None] + halves * (1.0 + POINTS)
    tails = difference_tail(steepness[:, None, None] * (kinks[:, None, None] - at), law)
    return np.asarray(np.einsum("rpq,q->r", halves * at * np.exp(-0.5 * at * at) * tails, WEIGHTS))


def costs_of_leaders(
    gaps: list[float], counts: NDArray[np.int64], law: ArgmaxLaw, scale: float
) -> Floats:
    """Return at most what a round costs on average if the leader of ``counts`` rounds is played.

    Chances are capped one by one and add up to 1 at most: the largest gaps get all they can.

    >>> costs_of_leaders([0.5, 0.25], np.array([1, 16, 256]), "exponential", 2.0).round(4).tolist()
    [0.3946, 0.1496, 0.0]
    """
    if not gaps:
        return np.zeros(counts.size)
    steps, members = np.unique(-np.array(gaps), return_inverse=True)
    numbers = np.bincount(members).astype(np.float64)
    block = max(1, 10**6 // steps.size)
    parts = [
        _costs(-steps, numbers, counts[first : first + block].astype(np.float64), law, scale)
        for first in range(0, counts.size, block)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _costs(gaps: Floats, numbers: Floats, counts: Floats, law: ArgmaxLaw, scale: float) -> Floats:
    leads, rounds = (
        counts[:, None] * gaps,
        np.broadcast_to(counts[:, None], (counts.size, gaps.size)),
    )
    # Two bounds on the caps themselves spare most of the work. Once the lower ones add up to 1,
    # smaller gaps get nothing; and where the upper one says "never", it will do.
    squares = leads * gaps  # leads^2 / n
    least = np.maximum(difference_tail(leads / scale, law), 0.5 * np.exp(-squares))
    before = np.cumsum(numbers * least, axis=1) - numbers * least
    caps = np.exp(-0.25 * squares) + difference_tail(0.5 * leads / scale, law)
    wanted = (before < 1.0) & (caps > NEVER)
    caps[wanted] = leader_chances(leads[wanted], rounds[wanted], law, scale)
    full = np.minimum(1.0, np.cumsum(numbers * caps, axis=1))
    return np.asarray(np.diff(full, axis=1, prepend=0.0) @ gaps)


def mean_of_largest(n_arms: int, law: ArgmaxLaw) -> float:
    """Return at most how far the largest of K noises of scale 1 lies above one of them, on average.

    >>> round(mean_of_largest(100, "exponential"), 3)
    4.605
    """
    logarithm = math.log(n_arms)
    return logarithm if law != "laplace" else max(0.0, logarithm + 1.0 - math.log(2.0))
