"""Types and small loops that compiled code shares.

Assigning to slices, and max() or sum() of an array, cost the compiler seconds, for checks and
messages that cannot come up here. These loops do the same.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Floats", "Integers", "copy_row", "largest"]

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
