"""Bounds of our own for Lazy-DP-TS. Proofs: docs/theory/upper_bounds.md."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hush.numerics.bound import Bound, Setting
from hush.policies.core.shared_bounds import bandit_bounds, closed_forms

__all__ = ["lazy_thompson_bounds", "odds_of_failure"]

Floats = NDArray[np.float64]

SHARES = (0.125, 0.1875, 0.25, 0.3125, 0.375, 0.5, 0.625)  # of a gap, between the best mean and y
REST = 5.0  # pulls after bad releases and unlikely draws


def lazy_thompson_bounds(setting: Setting) -> Iterator[Bound]:
    """Yield the sum over epochs, and closed forms."""
    gaps = np.array(setting.gaps)
    values = closed_forms(setting, 126, 64) | {
        "epochs": (
            float(gaps @ _pulls(gaps, setting.horizon, setting.epsilon)),
            "sum D min(T, 2^(d + 1) + 5 + sum over r of 2^(r + 1) e(2^r)), d the first with "
            "sqrt(2 ln T / 2^d) + (4 ln T / eps + 1) / 2^d <= D - x, x the best share of D",
        ),
    }
    yield from bandit_bounds(setting, values)


def odds_of_failure(counts: Floats, share: Floats) -> Floats:
    """Return at most the mean odds that a draw for the best arm is below its mean by ``share``.

    The draw is from the posterior of ``counts`` coins, uniform prior. A row for each share.

    >>> odds_of_failure(np.array([1.0, 100.0, 10000.0]), np.array([0.1])).round(3).tolist()
    [[18.0, 1.978, 0.0]]
    """
    share = share[:, None]
    sharp = counts * share * share
    near = np.minimum(1.0 / share, (1.0 / share + math.pi**2 / (24.0 * share**2)) / (counts + 1.0))
    far = 2.0 * np.sqrt(math.e * counts) * np.exp(-2.0 * sharp)
    below = np.where(sharp >= 0.25, np.minimum(near, far), near)
    all_ones = np.where((counts + 1.0) * share <= 1.0, 1.0 / ((counts + 1.0) * share), 0.0)
    return np.asarray(np.minimum(3.0, 4.0 * np.exp(-sharp)) + below + all_ones)


def _pulls(gaps: Floats, rounds: int, epsilon: float) -> Floats:
    """Return at most how often each worse arm is played on average."""
    logarithm = math.log(rounds)
    counts = np.exp2(np.arange(rounds.bit_length() - 1, dtype=np.float64))
    width = np.sqrt(2.0 * logarithm / counts) + (4.0 * logarithm / epsilon + 1.0) / counts
    found = np.full(gaps.size, float(rounds))
    for share in SHARES if counts.size else ():
        known = width <= (1.0 - share) * gaps[:, None]
        own = np.where(known.any(axis=1), 2.0 * counts[known.argmax(axis=1)], float(rounds))
        others = odds_of_failure(counts, share * gaps) @ (2.0 * counts)
        found = np.minimum(found, own + REST + others)
    return found
