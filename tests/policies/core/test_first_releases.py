"""Arms without a release: who is played next, whatever rewards do."""

import json
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import hush
from hush import AdaPUCB, AnytimeLazyUCB, LazyDPTS, NoiseAwareTS, SeededNoise
from hush.policies.core.first_releases import FirstReleases


def slow_next(wanted, claimed, outstanding, waiting):
    """What the class says, by a look at every arm."""
    keys = [
        (claimed[arm] >= wanted and outstanding[arm] > 0, outstanding[arm], arm)
        for arm in range(len(waiting))
        if waiting[arm]
    ]
    enough, _, arm = min(keys)
    return None if enough and not all(waiting) else arm


HAPPENS = ("next", "settled", "dropped", "released", "resume")
EVENTS = st.lists(st.tuples(st.sampled_from(HAPPENS), st.integers(0, 4)), max_size=120)


@examples(300)
@given(st.integers(1, 3), st.integers(1, 5), EVENTS)
def test_it_names_the_arm_that_a_look_at_all_of_them_names(wanted, n_arms, events):
    first = FirstReleases(n_arms, wanted)
    claimed, outstanding, waiting = [0] * n_arms, [0] * n_arms, [True] * n_arms
    for what, place in events:
        arm = place % n_arms
        if what == "next":
            assert first.next() == slow_next(wanted, claimed, outstanding, waiting)
            played = arm if (found := first.next()) is None else found
            first.decided(played)
            if waiting[played]:
                claimed[played] += 1
                outstanding[played] += 1
        elif what == "released":
            if sum(waiting) == 1:
                return
            first.released(arm)
            waiting[arm] = False
        elif what == "resume":
            arrived = [c - o for c, o in zip(claimed, outstanding, strict=True)]
            first.resume([not each for each in waiting], outstanding, arrived)
        elif waiting[arm] and outstanding[arm]:
            getattr(first, what)(arm)
            outstanding[arm] -= 1
            claimed[arm] -= what == "dropped"
        assert first.left == sum(waiting)
        assert first.with_release() == [a for a in range(n_arms) if not waiting[a]]


def test_the_queue_does_not_grow_with_what_happens():
    first = FirstReleases(3, wanted=2)
    for _ in range(5000):
        first.decided(0)
        first.settled(0)
    assert len(first._queue) <= 64 + 4 * 3


def test_events_of_arms_with_a_release_change_nothing():
    first = FirstReleases(2, wanted=1)
    first.released(0)
    first.released(0)
    for event in (first.decided, first.settled, first.dropped):
        event(0)
    assert first.left == 1
    assert first.next() == 1


@dataclass(frozen=True)
class Slower(hush.AnytimeLazyUCB):
    """Its private half sums three rewards where its schedule says one."""

    def _private_side(self, n_arms, noise, rewards):
        private = super()._private_side(n_arms, noise, rewards)
        for arm in range(n_arms):
            private.open(arm, 3)
        return private


@pytest.mark.parametrize("n_arms", [2, 5])
def test_an_arm_that_wants_more_than_was_said_gets_it(n_arms):
    learner = Slower(1.0).learner(n_arms, noise=hush.SeededNoise(1))
    for _ in range(20 * n_arms):
        learner.update(learner.select(), 1)
    assert {release.arm for release in learner.releases} == set(range(n_arms))


BANDITS = [LazyDPTS(0.8), AnytimeLazyUCB(0.8), NoiseAwareTS(0.8), AdaPUCB(0.8), hush.DPTS(0.8)]


@pytest.mark.parametrize("policy", BANDITS, ids=str)
def test_a_silent_arm_cannot_take_the_traffic(policy):
    """One arm's rewards never come; it gets the decisions of its first release and no more."""
    learner = policy.with_horizon(4000).learner(3, noise=SeededNoise(3))
    rng = np.random.default_rng(4)
    wanted = policy.schedule.length(0)
    played = Counter()
    for _ in range(4000):
        arm = learner.select()
        played[arm] += 1
        if arm != 1:
            learner.update(arm, int(rng.random() < 0.5))
    assert played[1] == wanted
    assert learner.statistics.counts[1] == 0


@pytest.mark.parametrize("policy", BANDITS, ids=str)
def test_an_arm_that_goes_silent_after_a_release_keeps_its_place(policy):
    """Decisions that no reward comes for change nothing: the rule looks at releases alone."""
    learner = policy.with_horizon(500).learner(2, noise=SeededNoise(3))
    while not all(learner.statistics.counts):
        learner.update(learner.select(), 0)
    learner.select()
    chances = learner._public.chances(400)
    for _ in range(100):
        learner.select()
    assert learner._public.chances(400).tolist() == chances.tolist()
    assert chances.sum() == pytest.approx(1.0)


def test_a_decision_that_is_dropped_lets_its_arm_be_tried_again():
    learner = NoiseAwareTS(1.0).learner(2, noise=SeededNoise(1))  # a first batch of four
    decisions = [learner.decide() for _ in range(8)]
    assert Counter(each.arm for each in decisions) == {0: 4, 1: 4}
    for each in decisions[1::2]:
        learner.settle(each, 1)
    assert learner.decide().arm == 1
    learner.expire(decisions[0])
    assert learner.decide().arm == 0


@given(st.sampled_from(BANDITS), st.integers(0, 2**32 - 1))
def test_exploration_in_any_order_follows_the_rule(policy, seed):
    """Against the words of the rule, arm by arm: decisions, rewards, drops, restores, any order."""
    rng = np.random.default_rng(seed)
    n_arms, wanted = int(rng.integers(1, 5)), policy.schedule.length(0)
    policy = policy.with_horizon(500)
    learner = policy.learner(n_arms, noise=SeededNoise(1))
    arrived, opened = [0] * n_arms, []
    for _ in range(60):
        known = learner.statistics.counts > 0
        if opened and rng.random() < 0.4:
            decision = opened.pop(int(rng.integers(len(opened))))
            if rng.random() < 0.3:
                learner.expire(decision)
            else:
                learner.settle(decision, 1)
                arrived[decision.arm] += 1
            continue
        if rng.random() < 0.1:
            learner = policy.restore(json.loads(json.dumps(learner.state())))
        outstanding = learner.outstanding
        short = [
            arm
            for arm in range(n_arms)
            if not known[arm] and arrived[arm] + outstanding[arm] < wanted
        ]
        decision = learner.decide()
        opened.append(decision)
        if short:
            assert decision.arm == min(short, key=lambda arm: (outstanding[arm], arm))
        elif known.any():
            assert known[decision.arm]
        else:
            assert decision.arm == min(range(n_arms), key=lambda arm: (outstanding[arm], arm))


@pytest.mark.untraced
def test_deciding_among_very_many_silent_arms_looks_at_few():
    """The queue's work grows with the logarithm of their number: counted, not timed."""
    looks = {}
    for n_arms in (1000, 16_000):
        learner = LazyDPTS(1.0).learner(n_arms, noise=SeededNoise(1))
        first = learner._public._first
        inner, count = first._key, [0]

        def key(arm, inner=inner, count=count):
            count[0] += 1
            return inner(arm)

        first._key = key
        for _ in range(3 * n_arms):
            learner.select()
        looks[n_arms] = count[0] / (3 * n_arms)
    assert looks[16_000] < 1.1 * looks[1000]
