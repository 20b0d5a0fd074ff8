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


@pytest.mark.parametrize("step", ["_close", "_fold", "_fold_closed", "_seal", "_show"])
def test_a_thread_that_decides_between_two_steps_meets_lanes_as_they_are(
    store, clock, step, monkeypatch
):
    """Of one process: nothing else tells it that its own settlement has written."""
    age = "2m" if step == "_close" else "10m"
    terms = {"window": "5m", "max_age": age, "default": 1, "person_epsilon": 1e3}
    experiment = scenes.made(store, **terms)
    people = iter(range(10_000))
    take = getattr(store._settlement, step)

    def visit():
        for _ in range(3):
            experiment.decide(f"u{next(people)}")

    def take_and_visit(now):
        did = take(now)
        if did:
            visit()
        return did

    monkeypatch.setattr(store._settlement, step, take_and_visit)
    for _ in range(30):
        clock.advance("1m")
        visit()  # now it remembers lanes
        store.settle()
    asked = next(people)
    assert asked > 30 * 3
    monkeypatch.undo()
    experiment.stop()
    scenes.pass_by(store, clock, "70m")
    assert sum(each.count for each in experiment.releases) == asked
    counted = sum(each.value for each in experiment.releases)
    assert counted == pytest.approx(asked, abs=1)
    assert experiment.state == "stopped"
