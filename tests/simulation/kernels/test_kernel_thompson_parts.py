"""Parts of a window are few, and few of their rounds are looked at."""

import pytest

from hush.simulation.kernels.thompson_parts import new_parts, next_part, open_parts
from hush.simulation.kernels.thompson_windows import blank_window

pytest.importorskip("numba")


def test_parts_of_a_long_window_are_few():
    """10^12 rounds, of which 10^4 are not the leader's: hundreds of looks, not thousands."""
    parts = new_parts(2)
    parts.coefficients[1, :2] = -18.4, 0.7
    parts.coefficients[0, :2] = -1e-8, 0.0
    window = blank_window()._replace(points=2, rounds=10**12)
    part, laid, looks = open_parts(parts, window, 10**12), 0, 0.0
    while part.end < 2 * 10**12:
        before, part, laid = part, next_part(parts, part), laid + 1
        looks += part.rest * (part.end - before.end)
    assert laid < 200
    assert looks < 800
