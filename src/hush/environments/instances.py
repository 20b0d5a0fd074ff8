"""The named instances of the literature."""

from __future__ import annotations

from collections.abc import Callable

from hush.environments.bernoulli import Bernoulli
from hush.errors import ParameterError, positive, whole

__all__ = ["INSTANCES", "PAPER_SETTINGS", "doubling_gaps", "packing", "paper_s1", "paper_s2"]


def paper_s1() -> Bernoulli:
    """Return the paper's first setting: five arms with different gaps.

    >>> paper_s1()
    Bernoulli([0.75, 0.625, 0.5, 0.375, 0.25])
    """
    return Bernoulli([0.75, 0.625, 0.5, 0.375, 0.25])


def paper_s2() -> Bernoulli:
    """Return the paper's second setting: five arms, all gaps equal.

    >>> paper_s2()
    Bernoulli([0.5, 0.4, 0.4, 0.4, 0.4])
    """
    return Bernoulli([0.5, 0.4, 0.4, 0.4, 0.4])


def packing(k: int, gap: float) -> Bernoulli:
    """Return the instance of the full-information lower bound: all means 1/2 but one above.

    The best arm is the last, so that ties, which go to the lowest arm, do not help.

    >>> packing(3, 0.1)
    Bernoulli([0.5, 0.5, 0.6])
    """
    k = whole("k", k, least=2)
    gap = positive("gap", gap)
    if gap > 0.5:
        raise ParameterError(f"gap must be at most 1/2; got {gap!r}")
    return Bernoulli([0.5] * (k - 1) + [0.5 + gap])


def doubling_gaps(k: int, smallest_gap: float) -> Bernoulli:
    """Return the instance behind the paper's conjecture: gaps that double from arm to arm.

    The best arm has mean 3/4 if the largest gap allows, else 1.

    >>> doubling_gaps(4, 0.125)
    Bernoulli([0.75, 0.625, 0.5, 0.25])
    """
    k = whole("k", k, least=2)
    smallest = positive("smallest_gap", smallest_gap)
    gaps = [smallest * 2.0**j for j in range(k - 1)]
    if gaps[-1] > 1.0:
        raise ParameterError(
            f"the largest gap would be {gaps[-1]:g}; choose a smaller k or smallest_gap"
        )
    best = 0.75 if gaps[-1] <= 0.75 else 1.0
    return Bernoulli([best, *(best - gap for gap in gaps)])


PAPER_SETTINGS: dict[str, Callable[[], Bernoulli]] = {"S1": paper_s1, "S2": paper_s2}
"""The paper's two settings, by name."""
INSTANCES: dict[str, Callable[[], Bernoulli]] = {
    **PAPER_SETTINGS,
    "C1": lambda: Bernoulli([0.75, 0.7, 0.7, 0.7, 0.7]),
    "C3": lambda: Bernoulli([0.75, 0.53125, 0.375, 0.28125, 0.25]),
    "C4": lambda: Bernoulli([0.75, 0.71875, 0.625, 0.46875, 0.25]),
}
"""Instances that the command line knows by name; C1, C3 and C4 are of Azize et al. 2025."""
