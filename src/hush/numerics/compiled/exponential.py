"""An exponential function that compilers turn into loops of several numbers at once.

The C library's takes them one by one. Here a number is divided by 1,024, put into Taylor's series,
and squared ten times.
"""

from __future__ import annotations

from numba import njit

__all__ = ["exponential"]

FARTHEST = 700.0  # beyond, doubles end
SQUARINGS = 10
SMALLER = 0.5**SQUARINGS


@njit(inline="always", error_model="numpy")
def exponential(x: float) -> float:
    """Return exp(x) to about twelve digits for x between -200 and 200; it neither ends nor is 0.

    >>> import numpy as np
    >>> x = np.linspace(-200.0, 200.0, 2001)
    >>> bool(np.abs(np.array([exponential(each) for each in x]) / np.exp(x) - 1.0).max() < 1e-12)
    True
    """
    z = min(max(x, -FARTHEST), FARTHEST) * SMALLER
    value = 1.0 + z * (1.0 / 9.0) * (1.0 + z * (1.0 / 10.0))
    value = 1.0 + z * (1.0 / 7.0) * (1.0 + z * (1.0 / 8.0) * value)
    value = 1.0 + z * (1.0 / 5.0) * (1.0 + z * (1.0 / 6.0) * value)
    value = 1.0 + z * (1.0 / 3.0) * (1.0 + z * (1.0 / 4.0) * value)
    value = 1.0 + z * (1.0 + z * (1.0 / 2.0) * value)
    for _ in range(SQUARINGS):
        value *= value
    return value
