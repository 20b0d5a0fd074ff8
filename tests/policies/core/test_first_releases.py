"""Arms without a release: who is played next, whatever rewards do."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hush
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


@settings(max_examples=300)
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
