"""The journal: a chain in which nothing can be changed, left out or put in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.live import scenes

import hush
import hush.live
from hush.errors import StoreError
from hush.live.journal import GENESIS, Entry, Journal, written


@pytest.fixture
def store():
    with scenes.in_memory() as store:
        experiment = scenes.made(store)
        experiment.adjust(floor=0.1)
        experiment.pause()
        yield store


def chained(entries):
    before = GENESIS
    for entry in entries:
        if not entry.follows(before):
            return False
        before = entry.hash
    return True


def test_every_entry_follows_the_one_before(store):
    journal = Journal(store._private)
    entries = list(journal.all())
    assert chained(entries)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert journal.head().hash == entries[-1].hash
    assert [entry.kind for entry in entries] == ["population", "create", "act", "act", "act"]


@pytest.mark.parametrize("field", ["seq", "at", "kind", "experiment", "text"])
def test_no_part_of_an_entry_can_be_changed(store, field):
    first, second, *_ = Journal(store._private).all()
    value = getattr(second, field)
    changed = Entry(**{**vars(second), field: value + 1 if isinstance(value, int) else f"{value} "})
    assert second.follows(first.hash)
    assert not changed.follows(first.hash)
    assert not second.follows(GENESIS)


def test_none_can_be_left_out_or_swapped(store):
    entries = list(Journal(store._private).all())
    assert not chained(entries[1:])
    assert not chained([*entries[:1], *entries[2:]])
    assert not chained([entries[1], entries[0], *entries[2:]])


def test_entries_are_found_by_experiment_and_kind(store):
    other = scenes.made(store, "other")
    journal = Journal(store._public)
    assert {entry.experiment for entry in journal.of(2, ("create", "act"))} == {2}
    assert [entry.body["act"] for entry in journal.of(1, ("act",))] == ["start", "adjust", "pause"]
    assert journal.of(1, ("release",)) == []
    assert len(journal.of(1, ("act",), after=journal.of(1, ("act",))[0].seq)) == 2
    assert len(journal.after(2, most=2)) == 2
    assert other.state == "running"


def test_what_is_not_known_is_refused(store):
    journal = Journal(store._private)
    before = scenes.dump(store)
    for kind, body in (("surprise", {}), ("act", {"act": "x", "set": {"name": "stolen"}})):
        with pytest.raises(StoreError), store._private.transaction():
            journal.append(1, kind, 1, body)
        assert scenes.dump(store) == before


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
        max_leaves=6,
    )
)
def test_the_same_values_are_the_same_text(value):
    import json

    assert json.loads(written(value)) == value
    assert written(json.loads(written(value))) == written(value)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_is_not_written(bad):
    with pytest.raises(ValueError, match="JSON"):
        written({"value": bad})


def test_more_than_a_pageful(store):
    journal = Journal(store._private)
    with store._private.transaction():
        for n in range(1_100):
            journal.append(n, "note", 0, {"note": str(n)})
    assert chained(list(journal.all()))
    store._publisher.publish()
    assert list(Journal(store._public).all()) == list(journal.all())
    assert hush.live.journal.GENESIS == bytes(32)
