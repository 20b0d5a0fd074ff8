"""Deciding and registering: keys, bounds, batches, and what is served where nothing is learnt."""

import json

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import HushError, KeyReusedError, LifecycleError
from hush.live import registering
from hush.live.ids import DECISION
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


def test_a_key_stands_for_one_decision(store):
    experiment = scenes.made(store)
    first = experiment.decide("u1", key="k1")
    assert experiment.decide("u1", key="k1") == first
    assert experiment.decide("u1", key="k2").id != first.id
    assert experiment.decide("u1").id != first.id
    assert scenes.learnt(store) == 3


def test_a_key_for_another_person_or_segment_is_refused(store):
    experiment = scenes.made(store, segments=["de", "fr"])
    first = experiment.decide("u1", key="k1", segment="de")
    for person, segment in (("u2", "de"), ("u1", "fr")):
        with pytest.raises(KeyReusedError) as caught:
            experiment.decide(person, key="k1", segment=segment)
        assert not any(word in str(caught.value) for word in ("u1", "u2", "k1"))
    assert experiment.decide("u1", key="k1", segment="de") == first
    assert scenes.learnt(store) == 1


def test_a_key_of_another_experiment_is_another_key(store):
    one, two = scenes.made(store, "one"), scenes.made(store, "two")
    assert one.decide("u1", key="k1").id != two.decide("u2", key="k1").id
    assert scenes.learnt(store) == 2


def test_a_key_outlives_a_restart_a_stop_and_its_window(tmp_path, clock):
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = scenes.made(store)
        first = experiment.decide("u1", key="k1")
        experiment.stop()
        scenes.pass_by(store, clock, "3h", step="30m")
    with scenes.opened(tmp_path / "x.db", clock) as store:
        assert store.experiment("checkout").decide("u1", key="k1") == first
        clock.advance("23h")
        store.settle()
        assert scenes.rows(store, "SELECT count(*) FROM replies") == [(0,)]


def test_keys_twice_in_one_group(store):
    experiment = scenes.made(store)
    asked = [("u1", "a"), ("u2", "b"), ("u1", "a"), ("u3", "b"), ("u4", None)]
    answers = experiment.decide_many([{"person": p, "key": k} for p, k in asked])
    assert answers[0] == answers[2]
    assert isinstance(answers[3], KeyReusedError)
    assert scenes.learnt(store) == 3
    assert experiment.decide("u2", key="b") == answers[1]


def test_the_bound_counts_over_segments_and_not_over_experiments(store):
    experiment = scenes.made(store, person_bound=3, segments=["de", "fr"])
    for segment in ("de", "fr") * 4:
        experiment.decide("u1", segment=segment)
    assert scenes.learnt(store) == 3
    other = scenes.made(store, "other", person_bound=2)
    answers = other.decide_many([{"person": "u1"}] * 5)  # in one transaction, too
    assert not any(isinstance(each, HushError) for each in answers)
    assert scenes.learnt(store) == 5


def test_a_decision_that_is_not_learnt_looks_the_same(store):
    experiment = scenes.made(store, person_bound=2)
    shown = [experiment.decide("u1") for _ in range(4)]
    said = [scenes.read(store, each) for each in shown]
    assert scenes.learnt(store) == 2
    assert len({(each.plan, each.expires, len(each.id)) for each in shown}) == 1
    assert len({(each.experiment, each.batch % MOST_EPOCHS, each.deadline) for each in said}) == 1
    for each in shown:
        experiment.reward(each, 1)
    store.settle()
    assert sum(row["served"] for row in experiment.tallies) == 4
    assert sum(row["learnt"] for row in experiment.tallies) == 2


@pytest.mark.parametrize("state", ["paused", "stopping", "stopped", "quarantined"])
def test_where_nothing_is_learnt_the_control_arm_is_served(store, clock, state):
    experiment = scenes.made(store, control="new")
    early = experiment.decide("u0", defer=True)
    experiment.decide("u0")
    if state == "paused":
        experiment.pause()
    elif state == "quarantined":
        with store._private.transaction():
            store._acts.quarantine(clock.wall(), "a test")
    else:
        experiment.stop()
    if state == "stopped":
        scenes.pass_by(store, clock, "70m", step="10m")
    assert experiment.state == state
    before = scenes.learnt(store)
    for n in range(20):
        decision = experiment.decide(f"w{n}", key=f"k{n}")
        assert (decision.name, decision.propensity) == ("new", 1.0)
        experiment.reward(decision, 1)
    deferred = experiment.decide("w1", defer=True)
    assert deferred.name == "new"
    experiment.activate(deferred, person="w1")
    if state != "stopped":  # by then it has expired
        assert experiment.activate(early, person="u0").arm == early.arm
    assert scenes.learnt(store) == before


def test_a_batch_takes_what_the_policy_wants_and_the_next_opens_at_once(store):
    experiment = scenes.made(store)
    wanted = experiment.terms.learning.schedule.length(0)
    scenes.visits(experiment, 2 * wanted)
    closed = scenes.rows(store, 'SELECT arm, epoch, "count" FROM batches ORDER BY arm')
    assert closed == [(0, 0, wanted), (1, 0, wanted)]
    scenes.visits(experiment, 2)
    opened = scenes.rows(store, 'SELECT epoch, "count", learnt FROM lanes ORDER BY arm')
    assert {row[0] for row in opened} == {1}
    assert sum(row[1] for row in opened) == 2
    assert sum(row[2] for row in opened) == 2 * wanted + 2


def test_no_id_is_given_twice_when_ordinals_run_out(store, monkeypatch):
    monkeypatch.setattr(registering, "MOST_ORDINALS", 20)
    experiment = scenes.made(store)
    before = store._front._registrar._worker
    ids = [scenes.read(store, each) for each in scenes.visits(experiment, 50)]
    assert len({(each.worker, each.ordinal) for each in ids}) == 50
    assert {each.worker for each in ids} == {before, before + 1, before + 2, before + 3, before + 4}
    store._front._registrar._worker = 2**63 - 1
    ids = [scenes.read(store, each) for each in scenes.visits(experiment, 30)]
    assert min(each.worker for each in ids) == -(2**63)


def test_ordinals_stay_far_from_what_an_id_holds():
    assert registering.MOST_ORDINALS * 2 - 1 < 2**32
    layout = DECISION
    assert layout.pack(2**32 - 1, 2**32 - 1, 2**63 - 1, -(2**63), 2**32 - 1, 2**63 - 1)


def test_a_lane_that_has_no_number_left_learns_no_more(store):
    experiment = scenes.made(store, floor=0.3)
    store._private.run("UPDATE lanes SET epoch = ? WHERE arm = 0", (MOST_EPOCHS,))
    store._memory.doubt()
    served = scenes.visits(experiment, 20)
    assert {each.arm for each in served} == {0, 1}
    assert {row[0] // MOST_EPOCHS for row in scenes.rows(store, "SELECT batch FROM pending")} == {2}
    assert scenes.learnt(store) == sum(each.arm == 1 for each in served)


def test_a_reply_is_plain_text(store):
    experiment = scenes.made(store)
    decision = experiment.decide("u1", key="k1")
    ((body,),) = scenes.rows(store, "SELECT body FROM replies")
    assert json.loads(body)[:3] == [decision.id, decision.arm, decision.propensity]
