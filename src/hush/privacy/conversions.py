"""Concentrated privacy in numbers: what a loss of rho says as (epsilon, delta).

A mechanism is *rho-concentrated* (zCDP) if its outputs on neighbours have Renyi divergences
``D_alpha <= rho alpha`` for every ``alpha > 1``. Gaussian noise of variance ``1 / (2 rho)`` on a
sum that moves by 1 is that: ``D_alpha = rho alpha`` exactly.

Bun, Steinke: Concentrated Differential Privacy. TCC 2016. https://arxiv.org/abs/1605.02065
"""

from __future__ import annotations

import math

import numpy as np

from hush.errors import ParameterError, is_number, positive, shown

__all__ = [
    "checked_delta",
    "concentrated_epsilon",
    "discrete_gaussian_delta",
    "gaussian_delta",
    "gaussian_deviation",
    "gaussian_epsilon",
    "like_epsilon",
]

STEPS = 64  # of a bisection: down to the last digits of a double
WIDEST = 1e4  # deviation of discrete noise whose tail is summed term by term
TAIL = 40.0  # deviations, beyond which nothing is left of a normal law


def gaussian_deviation(rho: float) -> float:
    """Return the deviation of Gaussian noise that loses rho where a sum moves by 1.

    >>> gaussian_deviation(0.5)
    1.0
    """
    return math.sqrt(0.5 / rho)


def like_epsilon(rho: float) -> float:
    """Return the epsilon of Laplace noise of the same variance: ``2 sqrt(rho)``.

    It says how wide noise is, and nothing about privacy.

    >>> like_epsilon(0.25)
    1.0
    """
    return 2.0 * math.sqrt(rho)


def checked_delta(delta: object) -> float:
    """Return a delta between 0 and 1 as a float, or raise.

    >>> checked_delta(1e-6)
    1e-06
    """
    if not is_number(delta) or not 0.0 < delta < 1.0:
        raise ParameterError(f"delta must lie between 0 and 1, such as 1e-6; got {shown(delta)}")
    return float(delta)


def concentrated_epsilon(rho: float, delta: float) -> float:
    """Return an epsilon such that everything rho-concentrated is (epsilon, delta)-private.

    It is ``min over alpha of rho alpha + (ln(1/delta) + (alpha-1) ln(1 - 1/alpha) - ln alpha) /
    (alpha - 1)``. Every alpha gives one that holds, so that nothing rests on finding the best.

    Canonne, Kamath, Steinke: The Discrete Gaussian for Differential Privacy. NeurIPS 2020,
    proposition 12. https://arxiv.org/abs/2004.00010

    Examples
    --------
    >>> round(concentrated_epsilon(0.5, 1e-6), 3)  # rho + 2 sqrt(rho ln(1/delta)) is 5.757
    5.222
    """
    rho, delta = positive("rho", rho), checked_delta(delta)

    def epsilon(step: float) -> float:
        beyond = math.exp(step)  # alpha - 1
        alpha = 1.0 + beyond
        log_alpha = math.log1p(beyond)
        shape = beyond * (step - log_alpha) - log_alpha
        return rho * alpha + (shape - math.log(delta)) / beyond

    middle = 0.5 * math.log(-math.log(delta) / rho)  # of the simple bound
    low, high = middle - 12.0, middle + 12.0
    for _ in range(2 * STEPS):
        one, two = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (low, two) if epsilon(one) <= epsilon(two) else (one, high)
    return max(0.0, epsilon(low))


def gaussian_delta(rho: float, epsilon: float) -> float:
    """Return the exact delta at epsilon of one sum with Gaussian noise that loses rho.

    Balle, Wang: Improving the Gaussian Mechanism for Differential Privacy. ICML 2018, theorem 8.
    https://arxiv.org/abs/1805.06530

    Examples
    --------
    >>> round(gaussian_delta(0.5, 0.0), 4)  # how far apart two normal laws are
    0.3829
    """
    apart = math.sqrt(2.0 * positive("rho", rho))
    near, far = epsilon / apart - 0.5 * apart, epsilon / apart + 0.5 * apart
    first = 0.5 * math.erfc(near / math.sqrt(2.0))
    if first <= 0.0:
        return 0.0
    # exp(epsilon) alone may be too large for a double, and the tail beside it too small.
    log_tail = _log_tail(far)
    return max(0.0, first - math.exp(min(epsilon + log_tail, 0.0)))


def discrete_gaussian_delta(rho: float, epsilon: float) -> float:
    """Return the exact delta at epsilon of one sum with *discrete* Gaussian noise, as deployed.

    Canonne, Kamath, Steinke 2020, theorem 7: ``P(Z > epsilon s^2 - 1/2) - exp(epsilon) P(Z >
    epsilon s^2 + 1/2)`` for noise Z of ``s^2 = 1 / (2 rho)``.

    Examples
    --------
    >>> round(discrete_gaussian_delta(0.5, 1.0), 4), round(gaussian_delta(0.5, 1.0), 4)
    (0.1414, 0.1269)
    """
    deviation = gaussian_deviation(positive("rho", rho))
    if deviation > WIDEST:
        raise ParameterError(f"noise of deviation {deviation:g} is too wide to be summed up")
    variance = deviation * deviation
    reach = math.ceil(TAIL * deviation) + 1
    whole = np.exp(-0.5 * (np.arange(-reach, reach + 1.0) / deviation) ** 2).sum()
    first = math.floor(epsilon * variance - 0.5) + 1.0
    values = first + np.arange(reach + 1.0)
    logs = -0.5 * (values / deviation) ** 2
    moved = epsilon - 0.5 * ((values + 1.0) / deviation) ** 2
    return float((np.exp(logs) - np.exp(moved)).sum() / whole)


def gaussian_epsilon(rho: float, delta: float) -> float:
    """Return the least epsilon at which one sum with Gaussian noise is (epsilon, delta)-private.

    For continuous and discrete noise alike: the larger of the two. Noise so wide that the discrete
    law is not summed up is converted from rho, which holds for both.

    Examples
    --------
    >>> round(gaussian_epsilon(0.5, 1e-6), 3)
    4.887
    """
    rho, delta = positive("rho", rho), checked_delta(delta)
    converted = concentrated_epsilon(rho, delta)
    if gaussian_deviation(rho) > WIDEST:
        return converted
    low, high = 0.0, converted
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        worst = max(gaussian_delta(rho, middle), discrete_gaussian_delta(rho, middle))
        low, high = (middle, high) if worst > delta else (low, middle)
    return high


def _log_tail(x: float) -> float:
    """Return the logarithm of the normal law's tail beyond x."""
    tail = 0.5 * math.erfc(x / math.sqrt(2.0))
    if tail > 1e-300:
        return math.log(tail)
    return -0.5 * x * x - math.log(x * math.sqrt(2.0 * math.pi)) - math.log1p(1.0 / (x * x))
