"""Beta draws on arrays, against the compiled chances and closed forms."""

import numpy as np
import pytest

from hush.numerics.beta import pair_win_chances, win_chances
from hush.numerics.compiled import beta as compiled
from hush.numerics.compiled.beta_panels import MOST_PANELS, make_grid


@pytest.mark.parametrize("counts", [(1.0, 1.0), (3.0, 16.0), (64.0, 2.0), (256.0, 256.0)])
def test_pairs_agree_with_the_compiled_twin(counts):
    centers = np.array([0.0, 0.2, 0.5, 0.5, 0.93, 1.0])
    found = pair_win_chances(centers, centers[::-1], counts)
    assert found.shape == (6, 6)
    chance = np.empty(2)
    for i, one in enumerate(centers):
        for j, two in enumerate(centers[::-1]):
            pair = np.array([one, two])
            grid = make_grid(pair, pair, np.array(counts), MOST_PANELS)
            compiled.win_chances(grid, pair, np.array(counts), chance)
            assert found[i, j] == pytest.approx(chance[0], rel=1e-7, abs=1e-10)


def test_many_arms_agree_with_the_compiled_twin():
    generator = np.random.default_rng(4)
    for n_arms in (1, 2, 3, 7):
        centers = generator.random(n_arms)
        counts = 2.0 ** generator.integers(0, 12, n_arms)
        chance = np.empty(n_arms)
        grid = make_grid(centers, centers, counts, MOST_PANELS)
        compiled.win_chances(grid, centers, counts, chance)
        found = win_chances(centers * counts + 1.0, (1.0 - centers) * counts + 1.0)
        assert found == pytest.approx(chance, rel=1e-6, abs=1e-14)


def test_clipped_arms_win_in_proportion():
    counts = np.array([1.0, 4.0, 16.0])
    found = win_chances(counts + 1.0, np.ones(3))
    assert found == pytest.approx((counts + 1.0) / (counts + 1.0).sum(), rel=1e-9)
