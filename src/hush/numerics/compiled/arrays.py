"""Types and small loops that compiled code shares.

Assigning to slices, and max(), sum() or sort() of an array, cost the compiler seconds, for checks,
messages and cases that cannot come up here. These loops do the same.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hush.numerics.compiled.apart import apart

__all__ = ["Floats", "Integers", "copy_row", "largest", "sort"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@njit(inline="always", error_model="numpy")
def copy_row(values: Integers, table: Integers, row: int) -> None:
    """Write values into a row of a table."""
    for j in range(values.size):
        table[row, j] = values[j]


@njit(inline="always", error_model="numpy")
def largest(values: Floats) -> float:
    """Return the largest of some values."""
    found = -np.inf
    for j in range(values.size):
        found = max(found, values[j])
    return found


@apart
def sort(values: Floats) -> None:
    """Sort values in place, by insertion over gaps that shrink (Shell 1959)."""
    gap = values.size
    while gap > 1:
        gap = max(1, gap * 5 // 11)
        for i in range(gap, values.size):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
