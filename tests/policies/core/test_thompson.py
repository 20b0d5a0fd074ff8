"""Thompson sampling: how its Beta draws are made."""

import numpy as np

from hush import ThompsonSampling
from hush.policies.core import thompson
from hush.policies.core.statistics import Statistics


def test_thompson_draws_are_the_same_for_few_and_many_arms(monkeypatch):
    statistics = Statistics(12)
    statistics.counts[:] = 2.0 ** np.arange(12)
    statistics.means[:] = np.linspace(0.2, 0.8, 12)
    policy = ThompsonSampling()
    few = [policy._choose(t, statistics, np.random.default_rng(t)) for t in range(50)]
    monkeypatch.setattr(thompson, "FEW_ARMS", 1)
    assert few == [policy._choose(t, statistics, np.random.default_rng(t)) for t in range(50)]
