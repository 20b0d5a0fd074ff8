"""Deciding and registering: keys, bounds, batches, and what is served where nothing is learnt."""

import json

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import HushError, KeyReusedError, LifecycleError
from hush.live import registering
from hush.live.ids import DecisionId
from hush.live.terms import MOST_EPOCHS


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


def test_a_draft_refuses_and_nothing_is_kept(store):
    draft = scenes.made(store, starts=False)
    before = scenes.dump(store)
    with pytest.raises(LifecycleError, match="draft"):
        draft.decide("u1", key="k1")
    with pytest.raises(LifecycleError, match="draft"):
        draft.decide("u1", defer=True)
    (answer,) = draft.decide_many([{"person": "u1", "key": "k1"}])
    assert isinstance(answer, LifecycleError)
    assert scenes.dump(store) == before
    draft.start()
    assert draft.decide("u1", key="k1").arm in (0, 1)
