"""What operators do: lifecycle, populations with limits, arms and knobs."""

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import BudgetError, LifecycleError, ParameterError


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


def total(store, population="default"):
    return store.ledger(population)["total"]


def test_a_life(store, clock):
    experiment = scenes.made(store, starts=False)
    seen = [experiment.state]
    for act in ("start", "pause", "resume", "stop"):
        getattr(experiment, act)(by="ops") if act != "stop" else (
            experiment.decide("u1"),
            experiment.stop(by="ops"),
        )
        seen.append(experiment.state)
    scenes.pass_by(store, clock, "62m", step="1m")
    seen.append(experiment.state)
    assert seen == ["draft", "running", "paused", "running", "stopping", "stopped"]
    acts = [each["act"] for each in experiment.acts]
    assert acts == ["start", "pause", "resume", "stop", "stopped"]
    assert all(each["by"] == "ops" for each in experiment.acts[:4])


ALLOWED = {
    "draft": {"start", "stop"},
    "running": {"pause", "stop"},
    "paused": {"resume", "stop"},
    "stopping": set(),
    "stopped": set(),
    "quarantined": {"stop", "continue_"},
}


@pytest.mark.parametrize("state", ALLOWED)
@pytest.mark.parametrize("act", ["start", "pause", "resume", "stop", "continue_"])
def test_which_act_is_for_which_state(store, clock, state, act):
    experiment = scenes.made(store, starts=False)
    if state != "draft":
        experiment.start()
    if state == "paused":
        experiment.pause()
    if state == "stopping":
        experiment.decide("u1")
    if state in ("stopping", "stopped"):
        experiment.stop()
    if state == "quarantined":
        with store._private.transaction():
            store._acts.quarantine(clock.wall(), "a test")
    assert experiment.state == state
    before = scenes.dump(store)
    if act in ALLOWED[state]:
        getattr(experiment, act)()
        assert experiment.state != state
    else:
        with pytest.raises(LifecycleError, match=state):
            getattr(experiment, act)()
        assert scenes.dump(store) == before


def test_two_of_one_name_are_refused(store):
    scenes.made(store)
    before = scenes.dump(store)
    with pytest.raises(LifecycleError, match="already"):
        scenes.made(store)
    assert scenes.dump(store) == before
    assert store.names == ["checkout"]


def test_a_tenth_three_times_fits_into_three_tenths(store):
    store.population("eu", limit=0.3)
    for n in range(3):
        scenes.made(store, f"e{n}", population="eu", person_epsilon=0.1)
    assert total(store, "eu") == 0.3
    last = scenes.made(store, "last", population="eu", person_epsilon=1e-9, starts=False)
    before = scenes.dump(store)
    with pytest.raises(BudgetError, match="limit of 0.3"):
        last.start()
    assert scenes.dump(store) == before
    assert last.state == "draft"
    store.population("eu", limit=0.4)
    last.start()
    with pytest.raises(BudgetError, match="is spent already"):
        store.population("eu", limit=0.3)
    store.population("eu", limit=None)
    assert store.ledger("eu")["limit"] is None
    assert [each["charge"] for each in store.ledger("eu")["charges"]] == [0.1] * 3 + [1e-9]


def test_the_promise_comes_back_if_nobody_was_learnt_from(store):
    unused = scenes.made(store, "unused")
    unused.pause()
    unused.decide("u1")  # served, and not learnt
    unused.stop()
    assert unused.state == "stopped"
    assert total(store) == 0.0
    used = scenes.made(store, "used")
    used.decide("u1")
    used.stop()
    assert used.state == "stopping"
    assert total(store) == 1.0
    assert [each["charge"] for each in store.ledger()["charges"]] == [1.0, -1.0, 1.0]


def test_a_draft_costs_nothing_and_is_not_paid_back(store):
    scenes.made(store, starts=False).stop()
    assert total(store) == 0.0
    assert store.ledger()["charges"] == []


def test_after_a_quarantine_nothing_comes_back(store, clock):
    """Who was learnt from before is forgotten: the promise may have been used."""
    experiment = scenes.made(store)
    experiment.decide("u1")
    with store._private.transaction():
        store._acts.quarantine(clock.wall(), "a test")
    assert scenes.learnt(store) == 0
    experiment.continue_()
    assert total(store) == 2.0
    assert experiment.guarantee.epsilon == 2.0
    assert "charged 2 times" in experiment.guarantee.reason
    experiment.stop()
    assert experiment.state == "stopped"
    assert total(store) == 2.0
    assert experiment.guarantee.epsilon == 2.0


def test_continuing_beyond_the_limit_is_refused(store, clock):
    store.population("default", limit=1.5)
    experiment = scenes.made(store)
    with store._private.transaction():
        store._acts.quarantine(clock.wall(), "a test")
    before = scenes.dump(store)
    with pytest.raises(BudgetError):
        experiment.continue_()
    assert scenes.dump(store) == before


def test_after_continuing_epochs_go_on_where_releases_ended(store, clock):
    experiment = scenes.made(store, max_age="1m")
    scenes.visits(experiment, 40)
    scenes.pass_by(store, clock, "70m", step="1m")
    scenes.visits(experiment, 4)
    old = {(each.arm, each.epoch) for each in experiment.releases}
    assert old
    with store._private.transaction():
        store._acts.quarantine(clock.wall(), "a test")
    experiment.continue_()
    scenes.visits(experiment, 40)
    scenes.pass_by(store, clock, "70m", step="1m")
    every = [(each.arm, each.epoch) for each in experiment.releases]
    assert len(every) == len(set(every)) > len(old)
    ((learnt,),) = scenes.rows(store, "SELECT sum(learnt) FROM lanes")
    assert learnt == sum(each.count for each in experiment.releases)


def test_an_added_arm_begins_without_releases(store):
    experiment = scenes.made(store, segments=["de", "fr"])
    experiment.add_arm("newer", by="ops")
    assert experiment.arms == ("old", "new", "newer")
    assert experiment.plans["fr"]["arms"][2]["count"] == 0.0
    assert {experiment.decide(f"u{n}", segment="fr").name for n in range(3)} == {
        "old", "new", "newer",
    }  # fmt: skip
    for bad in ("newer", "old", "", "a b", None, 7, "x" * 65):
        before = scenes.dump(store)
        with pytest.raises(ParameterError):
            experiment.add_arm(bad)
        assert scenes.dump(store) == before


def test_a_retired_arms_open_batch_closes_and_is_learnt_from(store, clock):
    experiment = scenes.made(store)
    decided = scenes.visits(experiment, 6)
    mine = sum(each.arm == 1 for each in decided)
    experiment.retire_arm("new")
    assert scenes.rows(store, 'SELECT arm, "count" FROM batches') == [(1, mine)]
    assert {each.name for each in scenes.visits(experiment, 9)} == {"old"}
    assert [each["chance"] for each in experiment.plan["arms"]] == [1.0, 0.0]
    scenes.pass_by(store, clock, "62m")
    assert [(each.name, each.count) for each in experiment.releases] == [("new", mine)]
    with pytest.raises(ParameterError, match="no active arm"):
        experiment.retire_arm("new")
    with pytest.raises(ParameterError, match="control arm"):
        experiment.retire_arm("old")
    with pytest.raises(ParameterError, match="control must be one of old"):
        experiment.adjust(control="new")


def test_the_control_arm_is_retired_after_another_took_its_place(store):
    experiment = scenes.made(store)
    experiment.adjust(control="new")
    experiment.retire_arm("old")
    experiment.pause()
    assert experiment.decide("u1").name == "new"


def test_a_floor_leaves_room_for_every_arm(store):
    experiment = scenes.made(store, floor=0.4)
    before = scenes.dump(store)
    with pytest.raises(ParameterError, match="lower it"):
        experiment.add_arm("newer")
    assert scenes.dump(store) == before
    experiment.adjust(floor=0.3)
    experiment.add_arm("newer")
    chances = [each["chance"] for each in experiment.plan["arms"]]
    assert sum(chances) == pytest.approx(1.0)
    assert min(chances) >= 0.3


@pytest.mark.parametrize(
    "bad",
    [
        {"floor": 0.5}, {"floor": -0.1}, {"floor": float("nan")}, {"floor": "0.1"},
        {"control_share": 1.1}, {"control_share": 10**400}, {"control_share": True},
        {"control": "nobody"}, {"control": 1},
    ],
)  # fmt: skip
def test_knobs_that_cannot_be_turned_so(store, bad):
    experiment = scenes.made(store)
    before = scenes.dump(store)
    with pytest.raises(ParameterError):
        experiment.adjust(**bad)
    assert scenes.dump(store) == before


def test_lanes_are_bounded(store, monkeypatch):
    monkeypatch.setattr(hush.live.acts, "MOST_LANES", 4)
    experiment = scenes.made(store, segments=["de", "fr"])
    with pytest.raises(ParameterError, match="too many"):
        experiment.add_arm("newer")


def test_every_act_is_in_both_journals(store):
    experiment = scenes.made(store)
    experiment.adjust(floor=0.1)
    experiment.add_arm("newer")
    experiment.retire_arm("newer")
    private, public = scenes.dump(store)
    assert private["journal"] == public["journal"]
    assert private["experiments"] == public["experiments"]
    assert private["populations"] == public["populations"]
