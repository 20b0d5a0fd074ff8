"""Who reads a raw reward, line by line."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from tests import every

import hush
from hush.auditing.taint import taint
from hush.auditing.watching import Reads, WatchedReward
from hush.policies.core.bandit_learner import BanditLearner


@pytest.mark.untraced
@pytest.mark.parametrize("policy", every.of_each_kind(every.DEFAULT), ids=str)
def test_nobody_reads_the_rewards_of_registered_policies(policy):
    found = taint(policy, 3, seed=7)
    assert found.status == "consistent", found.says
    assert found.facts["passed"] > 1000


class Nosy(BanditLearner):
    _last = 0.0

    def update(self, arm, reward):
        self._last = reward
        return super().update(arm, reward)

    def select(self):
        arm = super().select()
        if self.rounds == 300 and self._last > 0.5:
            self.seen = True
        return arm


class Looking(BanditLearner):
    def select(self):
        self.total = sum(self._private._sums)
        return super().select()


def policy_of(learner):
    @dataclass(frozen=True)
    class Own(hush.AnytimeLazyUCB):
        epsilon: float = 1.0

        def _new_learner(self, n_arms, noise, rewards):
            return learner(self, n_arms, noise, rewards)

    return Own()


def test_a_read_is_found_with_its_line_though_no_table_triggers_it():
    found = taint(policy_of(Nosy), 3, seed=7)
    assert found.status == "inconclusive"
    (place,) = found.facts["reads"]
    assert place.startswith("test_taint.py:")
    assert place.endswith("compares")


def test_a_look_at_raw_sums_is_found():
    found = taint(policy_of(Looking), 3, seed=7)
    assert any("reads _sums" in place for place in found.facts["reads"])


@pytest.mark.parametrize(
    ("read", "what"),
    [
        (lambda r: r > 0, "compares"),
        (lambda r: r == 0.5, "compares"),
        (bool, "compares"),
        (float, "converts"),
        (int, "converts"),
        (str, "converts"),
        (lambda r: f"{r:.2f}", "converts"),
        (math.floor, "converts"),
        (lambda r: 1 - r, "computes"),
        (lambda r: sum([r, r]), "computes"),
        (abs, "computes"),
    ],
)
def test_every_kind_of_read_is_noted(read, what):
    reads = Reads()
    read(WatchedReward(0.5, reads))
    assert reads.found
    assert all(place.endswith(what) for place in reads.found)


def test_what_is_computed_with_it_is_watched_too():
    reads = Reads()
    later = 2.0 * (WatchedReward(0.25, reads) + 0.25)
    reads.found.clear()
    assert later == 1.0
    assert next(iter(reads.found)).endswith("compares")


def test_storing_a_reward_is_no_read():
    reads = Reads()
    kept = [WatchedReward(0.5, reads)]
    assert isinstance(kept[0], float)
    assert not reads.found


def test_a_watched_reward_is_a_reward():
    noise = hush.SeededNoise(1)
    one, two = (hush.LazyDPTS(1.0).learner(2, noise=hush.SeededNoise(1)) for _ in range(2))
    assert noise.kind == "seeded"
    rng = np.random.default_rng(2)
    for _ in range(100):
        value, reads = float(rng.random()), Reads()
        assert one.update(one.select(), value) == two.update(
            two.select(), WatchedReward(value, reads)
        )
        assert not reads.found
