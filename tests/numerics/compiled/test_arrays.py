"""Small loops of compiled code, against NumPy."""

import numpy as np
import pytest

from hush.numerics.compiled.arrays import sort


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10, 11, 12, 100, 5000])
def test_sorting(size):
    generator = np.random.default_rng(size)
    for values in (
        generator.random(size),
        np.sort(generator.random(size)),
        generator.integers(0, 4, size).astype(float),
        np.concatenate((np.arange(size // 2 + 0.0), generator.random(size - size // 2))),
    ):
        wanted = np.sort(values)
        sort(values)
        assert values.tobytes() == wanted.tobytes()
