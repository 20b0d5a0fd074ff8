"""Two Beta draws on arrays, against the compiled chances of many."""

import numpy as np
import pytest

from hush.numerics.beta import win_chances
from hush.numerics.compiled import beta as compiled


@pytest.mark.parametrize("counts", [(1.0, 1.0), (3.0, 16.0), (64.0, 2.0), (256.0, 256.0)])
def test_pairs_agree_with_the_compiled_twin(counts):
    centers = np.array([0.0, 0.2, 0.5, 0.5, 0.93, 1.0])
    found = win_chances(centers, centers[::-1], counts)
    assert found.shape == (6, 6)
    low, high, chance = np.empty(2), np.empty(2), np.empty(2)
    edges = np.empty(compiled.MOST_PANELS)
    for i, one in enumerate(centers):
        for j, two in enumerate(centers[::-1]):
            pair = np.array([one, two])
            panels = compiled.make_grid(pair, pair, np.array(counts), low, high, edges)
            compiled.win_chances(pair, np.array(counts), low, high, edges, panels, chance)
            assert found[i, j] == pytest.approx(chance[0], rel=1e-7, abs=1e-10)
