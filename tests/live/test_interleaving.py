"""Deciding while another thread settles, stops, or fails half way: nothing stale is believed."""

import threading

import pytest
from tests.live.fault_cluster import cluster, needs_postgres

import hush
import hush.live
from hush.errors import StoreError

__all__ = ["cluster"]

TERMS = {
    "policy": "NoiseAwareTS", "arms": ["a", "b"], "person_epsilon": 1e5, "person_bound": 1000,
    "window": "10m", "tick": "1m", "grace": "5s", "parameters": {"first_batch": 50},
}  # fmt: skip


def running(address=":memory:", **given):
    clock = hush.live.ManualClock()
    store = hush.live.open(
        address, clock=clock, noise=hush.SeededNoise(3, discrete=True), secret=bytes(32), **given
    )
    experiment = store.create("one", **TERMS)
    experiment.start()
    return store, clock, experiment


def finished(store, clock, experiment):
    """Stop, let everything settle, and return counts and sums of all releases by arm."""
    experiment.stop()
    for _ in range(4):
        clock.advance("15m")
        store.settle()
    assert experiment.state == "stopped"
    keys = [(each.arm, each.epoch) for each in experiment.releases]
    assert len(set(keys)) == len(keys)
    counts = sum(each.count for each in experiment.releases)
    # At this epsilon the noise is 0, but for one draw in a very great number.
    return counts, sum(each.value for each in experiment.releases)


class Inserted:
    """Calls something once, when a database meets a statement for the n-th time."""

    def __init__(self, database, statement, call, visit=1):
        self._statement, self._call, self._left = statement, call, visit
        database.probe = self

    def __call__(self, statement):
        if statement.startswith(self._statement):
            self._left -= 1
            if not self._left:
                self._call()


def commits_of_a_settlement():
    store, clock, experiment = running()
    decide_some(experiment)
    clock.advance("11m")
    met = []
    store._private.probe = met.append
    store.settle()
    return met.count("COMMITTED")


def decide_some(experiment, count=10, value=1):
    for number in range(count):
        experiment.reward(experiment.decide(f"p{number}").id, value)


def test_a_decision_between_any_two_transactions_of_a_settlement():
    for visit in range(1, commits_of_a_settlement() + 1):
        store, clock, experiment = running()
        decide_some(experiment)
        clock.advance("11m")
        Inserted(store._private, "COMMITTED", lambda e=experiment: decide_some(e), visit)
        store.settle()
        store._private.probe = None
        assert finished(store, clock, experiment) == (20, 20), visit


def failing():
    raise StoreError("as if the disk were full")


def test_a_settlement_that_fails_half_way_leaves_nothing_stale():
    for visit in range(1, commits_of_a_settlement() + 1):
        store, clock, experiment = running()
        decide_some(experiment)
        clock.advance("11m")
        Inserted(store._private, "COMMIT", failing, 2 * visit - 1)  # COMMITTED begins so, too
        with pytest.raises(StoreError):
            store.settle()
        store._private.probe = None
        decide_some(experiment)
        assert finished(store, clock, experiment) == (20, 20), visit


@needs_postgres
def test_a_decision_that_was_under_way_when_its_experiment_was_stopped(cluster):
    place = cluster.place()
    store, clock, experiment = running(place["public"], private=place["private"])
    decide_some(experiment)
    other = hush.live.open(place["public"], private=place["private"], secret=bytes(32), clock=clock)

    def stop():
        stopping = threading.Thread(target=other.experiment("one").stop)
        stopping.start()
        stopping.join()

    Inserted(store._private, "INSERT INTO people", stop)
    decision = experiment.decide("late")
    store._private.probe = None
    assert (decision.name, decision.propensity) == ("a", 1.0)  # by the plan after the stop
    for _ in range(4):
        clock.advance("15m")
        store.settle()
    assert experiment.state == "stopped"
    assert sum(each.count for each in experiment.releases) == 10
    assert store._private.run("SELECT count(*) FROM pending") == [(0,)]
    assert store._private.run('SELECT sum("count") FROM lanes') == [(0,)]
    other.close()
    store.close()


@needs_postgres
def test_a_quarantine_waits_for_decisions_under_way_and_forgets_them_too(cluster):
    """It came in between: the row that is about to be written must not outlive it."""
    place = cluster.place()
    store, clock, experiment = running(place["public"], private=place["private"])
    decide_some(experiment)
    other = hush.live.open(place["public"], private=place["private"], secret=bytes(32), clock=clock)

    def quarantine():
        with other._private.transaction(durable=True):
            other._acts.quarantine(clock.wall(), "a test")

    quarantining = threading.Thread(target=quarantine)

    def begin():
        quarantining.start()
        quarantining.join(1.0)  # it waits for the lane, which this decision keeps

    Inserted(store._private, "INSERT INTO pending", begin)
    experiment.decide("late")
    store._private.probe = None
    quarantining.join()
    assert experiment.state == "quarantined"
    assert store._private.run("SELECT count(*) FROM pending") == [(0,)]
    for each in (store, other):
        each.close()


KEEPS = 'SELECT "lane"'  # and ends by keeping them: what opens, fills or was overtaken


@needs_postgres
@pytest.mark.parametrize(
    ("before", "others", "kept"), [(10, 3, 0), (96, 3, 1), (97, 0, 0), (98, 0, 1)]
)
def test_others_who_decide_before_the_commit_are_counted_too(cluster, before, others, kept):
    """Two arms take turns, 50 to a batch: others may fill the one that the next decision is for."""
    place = cluster.place()
    store, clock, experiment = running(place["public"], private=place["private"])
    other = hush.live.open(place["public"], private=place["private"], secret=bytes(32), clock=clock)
    decide_some(experiment, before)
    met = []

    def decide_elsewhere():
        for number in range(others):
            other.experiment("one").reward(other.experiment("one").decide(f"o{number}").id, 1)

    def probe(statement):
        met.append(statement)
        if statement.startswith("INSERT INTO pending") and "done" not in met:
            met.append("done")
            decide_elsewhere()

    store._private.probe = probe
    experiment.reward(experiment.decide("late").id, 1)
    store._private.probe = None
    assert sum(each.startswith(KEEPS) and each.endswith("FOR UPDATE") for each in met) == kept
    assert met.count("COMMITTED") == 2  # of the decision and its reward
    sizes = store._private.run('SELECT "count" FROM batches')
    assert all(size <= 50 for (size,) in sizes)
    total = before + others + 1
    assert finished(store, clock, experiment) == (total, total)
    other.close()
    store.close()
