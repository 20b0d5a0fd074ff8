"""A database server that crashes, and comes back."""

import os
import signal
import threading

import pytest
from tests.live.fault_check import KEYS, chain, released, rows
from tests.live.fault_cluster import cluster, needs_postgres
from tests.live.one_experiment import decided, ended, opened, running

from hush.errors import StoreError
from hush.live.ids import DecisionId

__all__ = ["cluster"]


def crash(server):
    server.stop("immediate")
    server.start()


def kill_backend(server):
    """Kill the process behind one connection; the server then restarts all of them."""
    (pid,) = rows(server.address, BACKEND)[0]
    os.kill(pid, signal.SIGKILL)


BACKEND = "SELECT pid FROM pg_stat_activity WHERE application_name = 'victim' LIMIT 1"


@needs_postgres
@pytest.mark.parametrize("how", [crash, pytest.param(kill_backend, marks=pytest.mark.slow)])
def test_a_database_crash_forgets_a_suffix_at_most(cluster, how):
    place = cluster.place()
    victim = {half: address + "&application_name=victim" for half, address in place.items()}
    store, clock = opened(victim)
    experiment = running(store)
    decided(experiment, 100)
    clock.advance("12m")
    store.settle()
    clock.advance("2m")
    store.settle()
    before = released(place["public"])
    assert before
    answered = [experiment.decide(f"q{n}", key=f"q{n}").id for n in range(60)]
    how(cluster)
    failures = 0
    for _ in range(200):  # the same store object goes on; the first calls may be refused
        try:
            experiment.decide("q60", key="q60")
            break
        except StoreError:
            failures += 1
            threading.Event().wait(0.05)
    assert failures
    pending = set(rows(place["private"], "SELECT worker, ordinal FROM pending"))
    made = [DecisionId.read(name, KEYS) for name in answered]
    there = [(each.worker, each.ordinal) in pending for each in made]
    assert there == sorted(there, reverse=True)
    assert rows(place["private"], "SELECT sum(given) FROM people") == [(101 + sum(there),)]
    store.close()
    again, _ = opened(place, clock)  # and so does a new one
    assert released(place["public"]) == before
    counts, _ = ended(again, clock, again.experiment("one"))
    assert counts == 101 + sum(there)
    assert before.items() <= released(place["public"]).items()
    assert chain(place["private"]) == chain(place["public"])
    again.close()


@pytest.mark.untraced
@needs_postgres
@pytest.mark.parametrize(
    "points", [(5, 12, 18), pytest.param(range(1, 39), marks=pytest.mark.slow)]
)
def test_a_connection_lost_within_any_transaction_of_a_settlement(cluster, points):
    """At each statement in turn: what it was part of is undone, and all is released once."""
    visits = 0
    for visit in points:
        place = cluster.place()
        store, clock = opened(place)
        experiment = running(store)
        decided(experiment, 50)
        clock.advance("12m")
        left = [visit]

        def met(statement, left=left, store=store):
            left[0] -= 1
            if not left[0]:
                store._private._connection.close()

        store._private.probe = store._public.probe = met
        try:
            store.settle()
        except StoreError:
            visits += 1
        store._private.probe = store._public.probe = None
        assert ended(store, clock, experiment) == (50, 50), visit
        store.close()
    assert visits > len(points) / 3
