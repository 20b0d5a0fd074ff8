"""Thompson learners draw rounds ahead, by the law of drawing them one by one."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

import hush
from hush import LazyDPTS, SeededNoise, ThompsonSampling
from hush.policies.core import thompson
from hush.policies.core.public_side import RuleSide
from hush.policies.core.statistics import Statistics
from hush.policies.core.thompson import ThompsonSide
from hush.privacy import Release

POLICY = LazyDPTS(1.0)


def test_thompson_draws_are_the_same_for_few_and_many_arms(monkeypatch):
    statistics = Statistics(12)
    statistics.counts[:] = 2.0 ** np.arange(12)
    statistics.means[:] = np.linspace(0.2, 0.8, 12)
    policy = ThompsonSampling()
    few = [policy._choose(t, statistics, np.random.default_rng(t)) for t in range(50)]
    monkeypatch.setattr(thompson, "FEW_ARMS", 1)
    assert few == [policy._choose(t, statistics, np.random.default_rng(t)) for t in range(50)]


def told(policy, n_arms=3, count=64):
    """Return a public side that knows one release of every arm."""
    public = policy._public_side(n_arms)
    for arm in range(n_arms):
        public.absorb(Release(arm, 6, count, 20 + 4 * arm, "noisy-sum", 1.0))
    return public


def test_rounds_drawn_ahead_are_those_drawn_one_by_one():
    generator, single = np.random.default_rng(7), np.random.default_rng(7)
    public = told(POLICY)
    ahead = [public.choose(t, generator) for t in range(200, 700)]
    alone = [POLICY._choose(t, public.statistics, single) for t in range(200, 700)]
    assert ahead == alone
    assert len(set(ahead)) == 3


@pytest.mark.untraced
def test_a_release_makes_what_was_drawn_ahead_void():
    """Arms after a release have the law that the release gives them: false alarms, 1 in 10^6."""
    generator, seen = np.random.default_rng(7), Counter()
    for _ in range(3000):
        public = told(POLICY)
        for t in range(200, 206):
            public.choose(t, generator)
        assert public._ahead
        public.absorb(Release(0, 7, 128, 120, "noisy-sum", 1.0))
        seen[public.choose(206, generator)] += 1
    chances = public.chances(206)
    found = stats.chisquare([seen[arm] for arm in range(3)], 3000 * chances / chances.sum())
    assert found.pvalue > 1e-6


def test_learners_play_as_if_they_drew_round_by_round():
    learner, single = POLICY.learner(4, noise=SeededNoise(5)), SeededNoise(5).selection
    for t in range(1, 2000):
        arm = learner.select()
        if t > 4:
            assert arm == POLICY._choose(t, learner.statistics, single)
        learner.update(arm, t * arm % 2)
        if t % 97 == 0:
            assert learner.state()["releases"]


def test_a_restored_learner_plays_what_was_drawn_ahead():
    learner = POLICY.learner(3, noise=SeededNoise(5))
    for t in range(300):
        learner.update(learner.select(), t % 2)
    assert learner._public._ahead
    again = POLICY.restore(json.loads(json.dumps(learner.state())))
    for t in range(300):
        arm = learner.select()
        assert arm == again.select()
        assert learner.update(arm, t % 2) == again.update(arm, t % 2)


def test_a_generator_that_others_use_does_not_go_back():
    public, generator = told(POLICY), np.random.default_rng(7)
    for t in range(200, 206):
        public.choose(t, generator)
    before = generator.random(), generator.bit_generator.state
    public.absorb(Release(0, 7, 128, 120, "noisy-sum", 1.0))
    assert generator.bit_generator.state == before[1]


@dataclass(frozen=True)
class OneRound(hush.ThompsonPolicy):
    """Its centre takes one round at a time."""

    epsilon: float

    @staticmethod
    def center(mean, count, t, parameters):
        bonus = 1.0 / count if t > 100 else 0.0
        return np.minimum(1.0, np.maximum(0.0, mean + bonus))


def test_a_rule_of_one_round_at_a_time_is_asked_for_one():
    public = told(OneRound(1.0))
    generator, single = np.random.default_rng(7), np.random.default_rng(7)
    arms = [public.choose(t, generator) for t in range(50, 150)]
    alone = [OneRound(1.0)._choose(t, public.statistics, single) for t in range(50, 150)]
    assert arms == alone


@dataclass(frozen=True)
class Watched(hush.ThompsonPolicy):
    """Tells with which rounds its centre was asked for; it has none in round 60."""

    epsilon: float
    refuses: bool = False
    asked: ClassVar[list[Any]] = []

    def center(self, mean, count, t, parameters):
        self.asked.append(t)
        if self.refuses and np.size(t) > 1:
            raise ValueError("one round at a time")
        return np.where(np.asarray(t) == 60, np.nan, 0.0 * mean + 0.5)


def test_many_rounds_are_asked_for_as_plain_floats_and_no_longer_once_refused():
    for refuses, several in ((False, [2, 4, 8]), (True, [2])):
        policy = Watched(1.0, refuses)
        public = told(policy)
        policy.asked.clear()
        for t in range(100, 115):
            public.choose(t, np.random.default_rng(7))
        arrays = [t for t in policy.asked if np.size(t) > 1]
        assert [each.shape for each in arrays] == [(size, 1) for size in several]
        assert {each.dtype for each in arrays} == {np.dtype(np.float64)}


def test_no_more_is_drawn_ahead_than_there_is_room_for():
    policy = Watched(1.0)
    public = told(policy)
    policy.asked.clear()
    generator = np.random.default_rng(7)
    for t in range(100, 1200):
        public.choose(t, generator)
    sizes = [np.size(t) for t in policy.asked]
    most = thompson.MOST_DRAWS // 3
    assert sizes == [1, 2, 4, 8, 16, 32, 64, 128, 256, most, most]


def test_many_arms_are_drawn_from_their_centres_in_that_round():
    policy, n_arms = LazyDPTS(0.5), thompson.FEW_ARMS + 4
    statistics = Statistics(n_arms)
    statistics.restore(np.full(n_arms, 64.0), np.linspace(0.0, 40.0, n_arms))
    one, two = np.random.default_rng(7), np.random.default_rng(7)
    for t in (2, 40, 10**9):
        means, counts = statistics.means, statistics.counts
        center = policy.center(means, counts, float(t), policy._parameter_array(n_arms))
        draws = two.beta(center * counts + 1, (1 - center) * counts + 1)
        assert policy._choose(t, statistics, one) == draws.argmax()


def test_a_centre_that_is_no_number_is_refused_in_its_own_round():
    policy = Watched(1.0)
    public, generator = told(policy), np.random.default_rng(7)
    for t in range(50, 60):
        public.choose(t, generator)
    with pytest.raises(hush.ParameterError, match="NaN as the centre of arm 0"):
        public.choose(60, generator)
    assert public.choose(61, generator) in range(3)


@dataclass(frozen=True)
class Stubborn(LazyDPTS):
    """Its own rule counts, whatever its centre is."""

    def _choose(self, t, statistics, generator):
        return 1


@dataclass(frozen=True)
class Committed(LazyDPTS):
    commits = True


def test_only_the_family_s_own_rule_is_drawn_ahead():
    assert isinstance(POLICY._public_side(512), ThompsonSide)
    for policy, n_arms in ((Stubborn(1.0), 3), (Committed(1.0), 3), (POLICY, 513)):
        assert type(policy._public_side(n_arms)) is RuleSide
    assert [told(Stubborn(1.0)).choose(t, np.random.default_rng(1)) for t in (9, 10)] == [1, 1]
