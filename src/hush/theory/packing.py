"""What packing instances cost every learner with full information, private or not.

All means are 1/2, but that of one action is ``1/2 + gap``. The proofs are in Hush's documentation,
"Proofs of lower bounds".
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, ndtri

from hush.errors import ParameterError, positive, whole

__all__ = ["identification_rounds", "least_mistake", "packing_minimax", "packing_regret"]

FARTHEST = 10**18
SLACK = 1e-6  # more than binomial tails are off by
FINE, MEDIUM, COARSE = 256, 64, 8  # rounds one by one, and then points in each e-fold
WORST = (0.62, 0.68, 0.76)  # where the worst gap is without privacy, in critical ones; else at 1/2

Floats = NDArray[np.float64]


def least_mistake(n_arms: int, gap: float, seen: int, epsilon: float = math.inf) -> float:
    """Return the least chance of naming a wrong action, after so many reward vectors.

    It is an average over the K packing instances, which no epsilon-private learner gets below,
    whatever it draws or knows but which of them is at work. Three bounds are made, and the largest
    is returned: privacy keeps the learner near fair coins, it keeps any two instances near each
    other, and without privacy too a test of size ``1/K`` has only so much power.

    Examples
    --------
    >>> round(least_mistake(64, 0.1, 0, epsilon=0.1), 4)  # nothing is known yet: 63 / 64
    0.9844
    >>> round(least_mistake(64, 0.1, 400, epsilon=0.1), 4)
    0.511
    >>> round(least_mistake(64, 0.1, 400), 4)  # without privacy
    0.0302
    """
    n_arms, gap, epsilon = _checked(n_arms, gap, epsilon)
    seen = whole("seen", seen, least=0, most=FARTHEST)
    return float(_mistakes(n_arms, gap, epsilon, np.array([float(seen)]))[0])


def packing_regret(n_arms: int, gap: float, horizon: int, epsilon: float = math.inf) -> float:
    """Return what full information costs every epsilon-private learner, averaged over K instances.

    These are the packing instances: all means are 1/2, but that of one action is ``1/2 + gap``. So
    one of the K costs at least that much, and each of them where a learner treats all actions
    alike. There are no conditions; the learner may draw lots and know the horizon.

    It is the gap times :func:`least_mistake`, added up over the rounds: one by one at first, and
    then in blocks that take the chance of their last round, which is the least.

    Examples
    --------
    >>> round(packing_regret(64, 0.1, 10**6, 0.1), 1)
    40.6
    >>> round(packing_regret(64, 0.1, 10**6), 1)  # without privacy
    14.0
    """
    n_arms, gap, epsilon = _checked(n_arms, gap, epsilon)
    return _regret(n_arms, gap, whole("horizon", horizon, least=1, most=FARTHEST), epsilon, FINE)


def packing_minimax(n_arms: int, horizon: int, epsilon: float = math.inf) -> float:
    """Return what the worst gap costs every epsilon-private learner with full information.

    On some packing instance each of them has at least that much regret. It is the largest
    :func:`packing_regret` of a few gaps: near ``0.7 sqrt(ln K / T)``, and 1/2. Any gap gives a
    lower bound, so nothing rests on the choice. It is of order ``sqrt(T ln K) + ln K / epsilon``.

    Examples
    --------
    >>> round(packing_minimax(64, 10**6, 0.1))
    820
    >>> round(packing_minimax(64, 10**6, 0.001))
    4126
    """
    n_arms = whole("n_arms", n_arms, least=1)
    rounds = whole("horizon", horizon, least=1, most=FARTHEST)
    return _minimax(n_arms, rounds, _loss(epsilon))


def identification_rounds(
    n_arms: int, gap: float, epsilon: float = math.inf, confidence: float = 0.8
) -> int:
    """Return how many reward vectors it takes at least to name the best of K actions.

    With fewer, no epsilon-private learner is right with a chance of ``confidence``, averaged over
    the K packing instances: the sample complexity of the test behind the lower bounds. It grows
    like ``ln(K / (1 - confidence)) / (gap epsilon)`` where privacy is what costs, and like
    ``ln K / (2 gap^2)`` where it is not. At most 10^18 is returned.

    Examples
    --------
    >>> identification_rounds(64, 0.1, epsilon=0.1, confidence=0.8)
    540
    >>> identification_rounds(64, 0.1, confidence=0.8)  # without privacy
    223
    """
    n_arms, gap, epsilon = _checked(n_arms, gap, epsilon)
    mistakes = 1.0 - positive("confidence", confidence)
    if mistakes <= 0.0:
        raise ParameterError(f"confidence must be below 1; got {confidence:g}")
    low, high = -1, 1  # more mistakes than wanted after ``low`` vectors; not known of ``high``

    def too_many(seen: int) -> bool:
        return float(_mistakes(n_arms, gap, epsilon, np.array([float(seen)]))[0]) > mistakes

    while high < FARTHEST and too_many(high):
        low, high = high, min(2 * high, FARTHEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if too_many(middle) else (low, middle)
    return high


def _checked(n_arms: int, gap: float, epsilon: float) -> tuple[int, float, float]:
    n_arms, gap = whole("n_arms", n_arms, least=1), positive("gap", gap)
    if gap > 0.5:
        raise ParameterError(f"gap must be at most 1/2; got {gap:g}")
    return n_arms, gap, _loss(epsilon)


def _loss(epsilon: float) -> float:
    return epsilon if epsilon == math.inf else positive("epsilon", epsilon)


def _mistakes(n_arms: int, gap: float, epsilon: float, seen: Floats) -> Floats:
    """Return the least chance of a mistake after each number of reward vectors."""
    if n_arms == 1:
        return np.zeros(seen.size)
    size = math.log(n_arms)
    tilt = math.tanh(epsilon / 2.0)
    near_coins = -np.expm1(np.minimum(seen * math.log1p(2.0 * gap * tilt) - size, 0.0))
    found = np.maximum(near_coins, _missed(n_arms, gap, seen))
    lever = math.exp(-epsilon) / -math.expm1(-epsilon) + 0.25 - gap / 2.0  # 0 without privacy
    if lever > 0.0:  # at gap 1/2
        odds = np.minimum(seen * math.log1p(gap / lever) - math.log(n_arms - 1), 700.0)
        found = np.maximum(found, 1.0 / (1.0 + np.exp(odds)))
    return found


def _missed(n_arms: int, gap: float, seen: Floats) -> Floats:
    """Return how often a test of size 1/K misses: fair coins against coins of mean 1/2 + gap.

    For any threshold s, with a the likelihood ratio there, the chance of a hit is at most
    ``a / K + P(S >= s | 1/2 + gap) - a P(S >= s | 1/2)``. So s need not be the best one.
    """
    hit = np.ones(seen.size)
    if gap < 0.5:
        middle = np.ceil(0.5 * (seen + float(ndtri(1.0 - 1.0 / n_arms)) * np.sqrt(seen)))
        # Where nearly all are hits no threshold is worth the time, where many are seen one is.
        some = np.sqrt(seen) * gap < 10.0 + math.sqrt(math.log(n_arms))
        for shift, tried in ((-1.0, some & (seen < 1e4)), (0.0, some), (1.0, some & (seen < 1e4))):
            power = _power(n_arms, gap, seen[tried], middle[tried] + shift)
            hit[tried] = np.minimum(hit[tried], power + SLACK)
    return 1.0 - hit


def _power(n_arms: int, gap: float, seen: Floats, threshold: Floats) -> Floats:
    least = np.clip(threshold, 1.0, np.maximum(seen, 1.0))
    rest = seen - least + 1.0
    with np.errstate(all="ignore"):
        ratio = np.exp(least * math.log1p(2.0 * gap) + (seen - least) * math.log1p(-2.0 * gap))
        fair, tilted = betainc(least, rest, 0.5), betainc(least, rest, 0.5 + gap)
        power = tilted + ratio * (1.0 / n_arms - fair)
    return np.where(seen > 0.0, np.nan_to_num(power, nan=1.0), 1.0 / n_arms)


@lru_cache(maxsize=64)
def _blocks(horizon: int, fine: int) -> tuple[Floats, Floats]:
    """Return the last number of reward vectors seen in each block of rounds, and its length."""
    ends = np.arange(1, min(horizon, fine) + 1, dtype=np.int64)
    if horizon > fine:
        many = math.ceil(fine * math.log(horizon / fine)) + 1
        later = np.geomspace(fine, horizon, many + 1)[1:-1].astype(np.int64)
        ends = np.unique(np.concatenate([ends, later, [horizon]]))
    return (ends - 1).astype(np.float64), np.diff(ends, prepend=0).astype(np.float64)


def _regret(n_arms: int, gap: float, horizon: int, epsilon: float, fine: int) -> float:
    seen, length = _blocks(horizon, fine)
    return gap * float(_mistakes(n_arms, gap, epsilon, seen) @ length)


@lru_cache(maxsize=256)
def _minimax(n_arms: int, horizon: int, epsilon: float) -> float:
    critical = math.sqrt(math.log(n_arms) / horizon)
    gaps = {min(0.5, factor * critical) for factor in WORST} - {0.0} | {0.5}
    best = max(gaps, key=lambda gap: _regret(n_arms, gap, horizon, epsilon, COARSE))
    return _regret(n_arms, best, horizon, epsilon, MEDIUM)
