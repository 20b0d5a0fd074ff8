"""What has been released: restored as it was, and nothing where nothing was released."""

import numpy as np

from hush import Release
from hush.policies.core.statistics import Statistics


def test_an_arm_without_a_release_has_mean_zero_and_others_their_own():
    statistics = Statistics(4)
    marked = [np.full(4, 7.0) for _ in range(8)]
    del marked  # what is left in memory must not show
    statistics.restore(np.array([0.0, 1.0, 4.0, 0.0]), np.array([0.0, 0.75, 1.0, 0.0]))
    assert statistics.means.tolist() == [0.0, 0.75, 0.25, 0.0]
    assert statistics.counts.tolist() == [0.0, 1.0, 4.0, 0.0]


def test_releases_replace_each_other_or_add_up():
    first = Release(1, 0, 2, 1.0, "noisy-sum", 1.0)
    second = Release(1, 1, 4, 0.5, "noisy-sum", 1.0)
    for memory, wanted in (("last", (0.5, 4.0, 0.125)), ("total", (1.5, 6.0, 0.25))):
        statistics = Statistics(2)
        for release in (first, second):
            statistics.take(release, memory)
        assert (statistics.sums[1], statistics.counts[1], statistics.means[1]) == wanted
        assert statistics.counts[0] == 0.0
