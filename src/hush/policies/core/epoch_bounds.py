"""How many pulls tell an arm from the best, for policies whose epochs double."""

from __future__ import annotations

from collections.abc import Callable

from hush.numerics.bound import Setting
from hush.numerics.divergence import kl

__all__ = ["likely_range", "pulls_until", "regret_of"]

HALVINGS = 60
Apart = Callable[[float, float], bool]


def pulls_until(rounds: float, apart: Callable[[float], bool]) -> float:
    """Return the first power of two that is enough, or about half of all rounds.

    >>> pulls_until(1000, lambda pulls: pulls > 100), pulls_until(1000, lambda pulls: False)
    (128.0, 512.0)
    """
    pulls = 1.0
    while 2.0 * pulls < rounds and not apart(pulls):  # more than there are is not asked for
        pulls *= 2.0
    return pulls


def regret_of(setting: Setting, apart: Apart, extra: float = 0.0) -> float:
    """Return ``sum D min(T, 2^(d + 1) + extra)``, d the first epoch that tells an arm apart.

    Parameters
    ----------
    setting
        The arms, the horizon, epsilon.
    apart
        Tells, of an arm's mean and the length of its epoch, whether that is enough.
    extra
        How many pulls more there may be on average.
    """
    rounds = float(setting.horizon)
    total = 0.0
    for mean, gap in zip(setting.worse, setting.gaps, strict=True):
        pulls = pulls_until(rounds, lambda length, mean=mean: apart(mean, length))  # type: ignore[misc]
        total += gap * min(rounds, 2.0 * pulls + extra)
    return total


def likely_range(mean: float, width: float) -> tuple[float, float]:
    """Return the ends of all x with ``kl(x, mean) <= width``: where averages of coins lie.

    By Chernoff's bound the average of n coins is beyond either end with a chance of at most
    ``exp(-n width)``.

    >>> low, high = likely_range(0.5, 0.020136)
    >>> round(low, 4), round(high, 4), likely_range(0.0, 1.0)
    (0.4, 0.6, (0.0, 0.0))
    """
    return 1.0 - _highest(1.0 - mean, width), _highest(mean, width)


def _highest(mean: float, width: float) -> float:
    if mean <= 0.0:
        return 0.0
    low, high = mean, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        inside = float(kl(1.0 - middle, 1.0 - mean)) <= width  # kl takes the smaller mean first
        low, high = (middle, high) if inside else (low, middle)
    return high
