"""Settlement: when batches close, are summed, sealed and shown; once each, by the clock alone."""

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import ClockError


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


@pytest.mark.parametrize(
    "statement", ["INSERT INTO batches", "DELETE FROM pending", "INSERT INTO sealed"]
)
def test_a_thread_that_decides_between_two_steps_meets_lanes_as_they_are(store, clock, statement):
    """Of one process: nothing else tells it that its own settlement has written."""
    experiment = scenes.made(store, max_age="10m", default=1, person_epsilon=1e3)
    people = iter(range(10_000))

    def visit():
        for _ in range(3):
            experiment.decide(f"u{next(people)}")

    for _ in range(80):
        clock.advance("1m")
        visit()  # now it remembers lanes
        with scenes.at_commit(store._private, visit, after=statement):
            store.settle()
    asked = next(people)
    assert asked > 80 * 3
    experiment.stop()
    scenes.pass_by(store, clock, "70m")
    assert sum(each.count for each in experiment.releases) == asked
    assert sum(each.value for each in experiment.releases) == pytest.approx(asked, abs=1)
    assert experiment.state == "stopped"
