"""How hard it is to mistake one arm for a better one, privately: transportation costs.

``d+(m, x) = inf over z of epsilon |z - m| + kl(z, x)`` for ``x >= m`` is what epsilon leaves of the
divergence of coins (:func:`hush.numerics.divergence.d_eps`), and ``d-(m, x) = d+(1 - m, 1 - x)``.
The cost of moving arm a, of mean u and weight w_a, and arm b, of a smaller mean v and weight w_b,
to a common mean is ``C = min over x of w_a d-(u, x) + w_b d+(v, x)``.

Jourdan, Azize: Optimal Best Arm Identification under Differential Privacy. NeurIPS 2025.
https://arxiv.org/abs/2510.17348
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from hush.errors import ParameterError, positive

__all__ = ["characteristic_time", "least_samples", "transport_cost"]

STEPS = 200
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


def transport_cost(u: float, v: float, w_a: float, w_b: float, epsilon: float) -> float:
    """Return the cost C of arms of means ``u`` and ``v``; 0 where u is not the larger one.

    Each of the two terms is kl near its own mean and flatter farther away, so that the minimum is
    in one of four cases, each solved by hand. Self-contained, so that it compiles.

    >>> round(transport_cost(0.75, 0.5, 1.0, 1.0, 100.0), 5)  # both kl: x is between them
    0.06764
    >>> round(transport_cost(0.75, 0.5, 1.0, 1.0, 0.1), 5)  # flat: about epsilon times the gap
    0.02251
    """
    if not (u > v and w_a > 0.0 and w_b > 0.0):
        return 0.0
    loss = min(epsilon, 700.0)  # a double has no smaller exp(-epsilon)
    shrink = math.exp(-loss)
    c = -math.expm1(-loss)
    fall = 1.0 - u  # arm a, seen from 1
    # Where each leaves kl: b above high, a below low.
    high = v / (v + (1.0 - v) * shrink) if v > 0.0 else 0.0
    low = 1.0 - fall / (fall + u * shrink) if fall > 0.0 else 1.0
    total = w_a + w_b
    # The slope at high tells whether the minimum lies below it; at low likewise.
    y = 1.0 - high
    slope_a = c / (high + y * shrink)
    if high >= low:
        slope_a = (y - fall) / (y * high) if y * high > 0.0 else math.inf
        slope_a = slope_a if y > fall else 0.0
    b_near = high >= u or w_b * c / (y + high * shrink) >= w_a * slope_a
    slope_b = c / (1.0 - low + low * shrink)
    if low <= high:
        edge = low * (1.0 - low)
        slope_b = (low - v) / edge if edge > 0.0 else math.inf
        slope_b = slope_b if low > v else 0.0
    a_near = low <= v or w_a * c / (low + (1.0 - low) * shrink) >= w_b * slope_b
    if a_near and b_near:
        x = (w_a * u + w_b * v) / total
    elif b_near:
        half = 0.5 * (w_b * (shrink - v * c) - w_a * c)
        x = (-half + math.sqrt(half * half + c * total * w_b * v * shrink)) / (c * total)
    elif a_near:
        half = 0.5 * (w_a * (shrink - fall * c) - w_b * c)
        x = 1.0 - (-half + math.sqrt(half * half + c * total * w_a * fall * shrink)) / (c * total)
    else:
        x = (w_a - w_b * shrink) / (c * total)
    x = min(max(x, v), u)
    # Both terms at x: kl in terms of the step from the mean, which keeps the digits of small ones.
    cost = 0.0
    for mean, point, weight, near in ((v, x, w_b, x <= high), (fall, 1.0 - x, w_a, x >= low)):
        step, rest = point - mean, 1.0 - mean
        if step <= 0.0:
            continue
        if near:
            up = mean * math.log1p(step / mean) if mean > 0.0 else 0.0
            cost += weight * (-up - rest * math.log1p(-min(step / rest, 1.0 - 2.0**-53)))
        else:
            drop = point * c
            kept = math.log1p(-drop) if drop < 0.5 else math.log(1.0 - point + point * shrink)
            cost += weight * (-kept - loss * mean)
    return cost


def characteristic_time(means: Sequence[float], epsilon: float) -> float:
    """Return ``T*_eps``: samples per nat of confidence that no private algorithm can do without.

    ``1 / T* = max over weights of the least cost between the best arm and another``. For a weight
    of 1 on the best arm, the weight z of another that makes its cost y grows with y, so that the
    maximum is that of ``y / (1 + sum z(y))``, one-dimensional and with one peak.

    Parameters
    ----------
    means
        The arms' means, one of which is the largest.
    epsilon
        The privacy loss; infinite without privacy.

    Examples
    --------
    >>> s1 = [0.75, 0.625, 0.5, 0.375, 0.25]
    >>> round(characteristic_time(s1, 1.0), 1), round(characteristic_time(s1, 0.1), 1)
    (124.0, 283.6)
    """
    if epsilon != math.inf:
        positive("epsilon", epsilon)
    ordered = sorted(map(float, means), reverse=True)
    if len(ordered) < 2 or ordered[0] <= ordered[1]:
        raise ParameterError(
            "a lower bound on samples needs two arms or more, and one best of them"
        )
    best, others = ordered[0], Counter(ordered[1:])
    limit = min(_most_cost(best, mean, epsilon) for mean in others)

    def value(y: float) -> float:
        return y / (1.0 + sum(n * _weight(best, mean, y, epsilon) for mean, n in others.items()))

    low, high = 0.0, limit
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if value(left) >= value(right):
            high = right
        else:
            low = left
        if high - low <= 1e-9 * high:
            break
    return 1.0 / value(0.5 * (low + high))


def least_samples(means: Sequence[float], epsilon: float, delta: float) -> float:
    """Return ``T*_eps ln(1 / (3 delta))``: a lower bound on the expected number of samples.

    It holds for every epsilon-private algorithm that names the best arm on all instances with a
    chance of at least ``1 - delta``. 0 where delta is a third or more.

    >>> round(least_samples([0.75, 0.625, 0.5, 0.375, 0.25], 1.0, 0.01))
    435
    """
    return characteristic_time(means, epsilon) * max(0.0, -math.log(3.0 * delta))


def _most_cost(best: float, mean: float, epsilon: float) -> float:
    """Return the cost of an arm of any weight relative to the best one's 1: ``d-(best, mean)``."""
    return transport_cost(best, mean, 1.0, 1e12, epsilon)


def _weight(best: float, mean: float, cost: float, epsilon: float) -> float:
    """Return the weight of an arm that makes its cost, by bisection on its logarithm."""
    low, high = -60.0, 30.0
    for _ in range(64):
        middle = 0.5 * (low + high)
        if transport_cost(best, mean, 1.0, math.exp(middle), epsilon) < cost:
            low = middle
        else:
            high = middle
    return math.exp(high)
