"""The store against a model: releases, bounds, counts, chains, lifecycle, ledger, replies."""

import dataclasses
from collections import Counter

import pytest
from hypothesis import given, seed, settings
from tests.live import scripts as s
from tests.live.model import Model
from tests.live.places import InMemory
from tests.live.planted_leaks import LEAKS
from tests.live.test_planted_leaks import SCRIPTS


def plain(script):
    """Return a script without power cuts: a model cannot know what they forget."""
    steps = [
        dataclasses.replace(step, forgets=False) if isinstance(step, s.Restart) else step
        for step in script.steps
    ]
    return dataclasses.replace(script, steps=tuple(steps))


def play_many(number, seeded=0):
    seen = Counter()

    @seed(seeded)
    @settings(max_examples=number, derandomize=False, database=None)
    @given(s.scripts(most=16))
    def check(script):
        model = Model(plain(script), InMemory())
        model.play()
        seen.update(model.counts)

    check()
    return seen


@pytest.mark.untraced
def test_the_store_does_as_the_model():
    seen = play_many(60)
    assert min(seen["releases"], seen["ones"]) > 50


@pytest.mark.slow
@pytest.mark.parametrize("seeded", range(1, 5))
def test_the_store_does_as_the_model_at_length(seeded):
    assert play_many(1_000, seeded)["ones"] > 1_000


WRONG = (
    "reward_that_activates",
    "refund_after_sealing",
    "late_rewards_counted",
    "count_less_the_erased",
    "flush_by_count",
    "quarantine_by_a_reward",
    "erasure_that_resets",
)


@pytest.mark.parametrize("name", WRONG)
def test_the_model_notices(name):
    def play_all():
        for script in SCRIPTS.values():
            Model(plain(script), InMemory(), LEAKS[name]).play()

    with pytest.raises((AssertionError, KeyError)):
        play_all()


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_store_does_as_the_model_where_leaks_do_not(name):
    Model(plain(SCRIPTS[name]), InMemory()).play()


def test_a_key_that_an_erasure_forgot_is_nobodys():
    """Found among the thousands: the model took a key to be sent that was not."""

    def decide(person, key):
        return s.Decide(0, (s.Ask(person, key),))

    steps = (decide(s.HER, 0), s.Erase(s.HER, alone=True), decide(1, 0), decide(1, 0))
    Model(s.Script(SCRIPTS["values"].setups, steps), InMemory()).play()
