"""What has been released: restored as it was, and nothing where nothing was released."""

import numpy as np

from hush.policies.core.statistics import Statistics


def test_an_arm_without_a_release_has_mean_zero_and_others_their_own():
    statistics = Statistics(4)
    marked = [np.full(4, 7.0) for _ in range(8)]
    del marked  # what is left in memory must not show
    statistics.restore(np.array([0.0, 1.0, 4.0, 0.0]), np.array([0.0, 0.75, 1.0, 0.0]))
    assert statistics.means.tolist() == [0.0, 0.75, 0.25, 0.0]
    assert statistics.counts.tolist() == [0.0, 1.0, 4.0, 0.0]
