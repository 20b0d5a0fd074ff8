"""Lanes: one open batch each; numbers that never meet."""

import json

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.live.lanes import Lane, Lanes, batch_number
from hush.live.terms import MOST_EPOCHS


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


def test_numbers_of_batches():
    assert batch_number(1, MOST_EPOCHS - 1) + 1 == batch_number(2, 0)
    assert batch_number(2**38, MOST_EPOCHS - 1) < 2**63


def test_a_lane_for_every_arm_and_segment(store):
    scenes.made(store, arms=["a", "b", "c"], segments=["de", "fr"])
    lanes = Lanes(store._private)
    every = lanes.all_of(1)
    assert [(lane.segment, lane.arm) for lane in every] == [
        (s, a) for s in (0, 1) for a in range(3)
    ]
    assert len({lane.lane for lane in every}) == 6
    assert lanes.of(1, 1) == every[3:]
    with store._private.transaction():
        lanes.make(1, 0, 0)  # again
    assert lanes.all_of(1) == every
    scenes.made(store, "other")
    assert not {lane.lane for lane in lanes.all_of(2)} & {lane.lane for lane in every}


def test_what_is_put_is_what_is_read(store):
    scenes.made(store)
    lanes = Lanes(store._private)
    first, second = lanes.all_of(1)
    first.count, first.sum, first.closes, first.learnt = 3, 2, 17, 2**40
    with store._private.transaction():
        lanes.put([first])
    assert lanes.kept([first.lane]) == [first]
    assert lanes.kept([second.lane, first.lane]) == [first, second]
    assert lanes.to_close(17, 5) == [first]
    assert lanes.to_close(16, 5) == []


def test_closing_moves_the_batch_and_opens_the_next(store):
    experiment = scenes.made(store)
    lanes = Lanes(store._private)
    lane = lanes.all_of(1)[0]
    lane.count, lane.wanted, lane.sum, lane.last, lane.folds = 3, 9, 2, 1_000, 7
    assert lane.lacking == 6
    with store._private.transaction():
        lanes.close(lane, experiment.terms)
    row = scenes.rows(store, 'SELECT batch, arm, epoch, "count", "sum", due, folds FROM batches')
    assert row == [(batch_number(1, 0), 0, 0, 3, 2, experiment.terms.due(1_000), 7)]
    assert (lane.epoch, lane.count, lane.sum, lane.folds, lane.lacking) == (1, 0, 0, None, 0)


def test_a_lane_never_shows_its_sum():
    assert "4711" not in repr(Lane(1, 1, 0, 0, sum=4711))


def test_decisions_add_up(store, clock):
    experiment = scenes.made(store, max_age="7m", person_bound=1)
    for n in range(200):
        experiment.decide(f"u{n % 150}")
        if n % 10 == 0:
            clock.advance("2m")
            store.settle()
    scenes.pass_by(store, clock, "25m", step="5m")
    ((learnt, served),) = scenes.rows(store, "SELECT sum(learnt), sum(served) FROM lanes")
    assert (learnt, served) == (150, 200)
    ((open_, closed),) = scenes.rows(
        store,
        'SELECT (SELECT sum("count") FROM lanes), (SELECT COALESCE(sum("count"), 0) FROM batches)',
    )
    sealed = [json.loads(body) for (body,) in scenes.rows(store, "SELECT body FROM sealed")]
    shown = sum(each.count for each in experiment.releases)
    assert open_ + closed + shown + sum(each["count"] for each in sealed) == 150
    assert shown > 0
