"""Erasure: her bits become the default's for good, and she is not learnt from again."""

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import HushError, UnknownNameError


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


def mine(store, experiment, person):
    who = store._keys.person(experiment.terms.population, person)
    return scenes.rows(store, "SELECT bit FROM pending WHERE person = ?", who)


def test_her_bits_become_the_defaults_and_nobody_elses_do(store):
    experiment = scenes.made(store, person_bound=10, segments=["de", "fr"])
    for person in ("u1", "u2"):
        for segment in ("de", "fr") * 3:
            experiment.reward(experiment.decide(person, segment=segment), 1)
    store.erase("u1")
    assert mine(store, experiment, "u1") == [(0,)] * 6
    assert mine(store, experiment, "u2") == [(1,)] * 6


def test_the_default_that_is_no_bit_falls_as_it_would_have(store):
    experiment = scenes.made(store, default=0.5, person_bound=100)
    decisions = experiment.decide_many([{"person": "u1"}] * 100)
    before = sorted(scenes.bits(store).values())
    experiment.reward_many([(each, 1) for each in decisions])
    store.erase("u1")
    assert sorted(scenes.bits(store).values()) == before


def test_what_comes_afterwards_is_not_hers_any_more(store, clock):
    """A client that flushes late does not bring her back."""
    experiment = scenes.made(store, max_age="1m", person_epsilon=1e4)
    decisions = [experiment.decide("u1", key=f"k{n}") for n in range(3)]
    store.erase("u1")
    for decision in decisions:
        experiment.reward(decision, 1)  # answered as ever
    assert mine(store, experiment, "u1") == [(0,)] * 3
    store.erase("u1")
    assert mine(store, experiment, "u1") == [(0,)] * 3
    scenes.pass_by(store, clock, "63m")
    assert sum(each.count for each in experiment.releases) == 3
    assert sum(each.value for each in experiment.releases) == pytest.approx(0, abs=0.1)
    assert scenes.learnt(store) == 0


def test_her_counter_is_at_the_bound_and_her_replies_are_gone(store):
    experiment = scenes.made(store, person_bound=5)
    first = experiment.decide("u1", key="k1")
    store.erase("u1")
    again = experiment.decide("u1", key="k1")
    assert again.id != first.id
    experiment.decide("u1")
    assert len(mine(store, experiment, "u1")) == 1
    assert scenes.rows(store, "SELECT given FROM people") == [(5,)]


def test_an_unknown_person_is_erased_just_so(store):
    experiment = scenes.made(store, person_bound=5)
    store.erase("nobody")
    assert scenes.rows(store, "SELECT given FROM people") == [(5,)]
    experiment.decide("nobody")
    assert scenes.learnt(store) == 0


def test_only_her_population_is_touched(store):
    one, two = scenes.made(store, "one"), scenes.made(store, "two", population="eu")
    for experiment in (one, two):
        experiment.reward(experiment.decide("u1"), 1)
    store.erase("u1", population="eu")
    assert mine(store, one, "u1") == [(1,)]
    assert mine(store, two, "u1") == [(0,)]


def test_an_unknown_population_does_not_pass_for_an_erasure(store):
    scenes.made(store)
    for bad in ("deafult", None, ["default"], "\ud800"):
        with pytest.raises(UnknownNameError):
            store.erase("u1", population=bad)
    for bad in ("", None, 7, "x" * 513, "\ud800"):
        with pytest.raises(HushError) as caught:
            store.erase(bad)
        assert "x" * 20 not in str(caught.value)


def test_nothing_public_changes(store, clock):
    experiment = scenes.made(store)
    experiment.decide("u1")
    store.settle()
    before = scenes.dump(store)[1]
    store.erase("u1")
    store.settle()
    assert scenes.dump(store)[1] == before


def test_what_was_erased_is_not_left_in_the_log_of_writes(tmp_path):
    with hush.live.open(tmp_path / "experiments.db") as store:
        experiment = scenes.made(store)
        experiment.reward(experiment.decide("u1"), 1)
        log = tmp_path / "experiments.private.db-wal"
        assert log.stat().st_size > 0
        store.erase("u1")
        assert log.stat().st_size == 0
