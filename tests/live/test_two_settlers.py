"""Two processes that settle and decide at the same time; wrong secrets; a fork."""

import json
import multiprocessing
import os
import threading

import pytest
from tests.live.fault_check import chain, released, rows
from tests.live.fault_cluster import cluster, needs_postgres
from tests.live.one_experiment import ended, opened, running

import hush
import hush.live
from hush.errors import ClockError, MisuseError, StoreError

__all__ = ["cluster"]

TURNS = 12


class Shared:
    """A clock that two processes read, and one of them moves."""

    def __init__(self, value):
        self.value = value

    def wall(self):
        return self.value.value

    boot = wall

    def advance(self, length):
        with self.value.get_lock():
            self.value.value += {"15m": 900_000, "1m": 60_000}[length]


def work(place, value, name, acknowledged):
    """Decide, reward and settle in turns."""
    store, _ = opened(place, Shared(value))
    experiment = store.experiment("one")
    for turn in range(TURNS):
        for number in range(6):
            made = experiment.decide(f"{name}{turn}.{number}")
            try:
                experiment.reward(made.id, 1)
            except hush.errors.ExpiredError:  # the other one let much time pass
                acknowledged.put(0)
            else:
                acknowledged.put(1)
        Shared(value).advance("1m")
        store.settle()
    store.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
def place(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("cluster").place()
    return {"public": str(tmp_path / "s.db"), "private": str(tmp_path / "s.private.db")}


def test_each_batch_is_released_once(place):
    context = multiprocessing.get_context("spawn")
    value, acknowledged = context.Value("q", 1_767_225_600_000), context.Queue()
    clock = Shared(value)
    store, _ = opened(place, clock)
    experiment = running(store)
    both = [context.Process(target=work, args=(place, value, name, acknowledged)) for name in "ab"]
    for each in both:
        each.start()
    rewards = [acknowledged.get(timeout=60) for _ in range(2 * 6 * TURNS)]
    for each in both:
        each.join()
    assert [each.exitcode for each in both] == [0, 0]
    assert ended(store, clock, experiment) == (len(rewards), sum(rewards))
    assert len(released(place["public"])) > 4
    assert chain(place["private"]) == chain(place["public"])
    lanes = rows(place["private"], "SELECT arm, served, learnt FROM lanes ORDER BY arm")
    told = rows(place["public"], "SELECT arm, served, learnt FROM tallies ORDER BY arm")
    assert told == [row for row in lanes if row[1]]
    store.close()


def test_a_slow_settler_does_not_set_tallies_back(place):
    store, clock = opened(place)
    experiment = running(store)
    experiment.decide("u1")
    other, _ = opened(place, clock)

    def faster():
        for number in range(20):
            other.experiment("one").decide(f"v{number}")
        other.settle()

    meanwhile = threading.Thread(target=faster)

    def met(statement):
        if statement.startswith("INSERT INTO tallies"):
            store._public.probe = None
            meanwhile.start()
            meanwhile.join(timeout=0.5)  # it is through, or waits

    store._public.probe = met
    store.settle()
    meanwhile.join()
    assert sum(each["served"] for each in experiment.tallies) == 21
    store.close()
    other.close()


def test_another_master_secret_is_refused(place):
    store, clock = opened(place)
    running(store)
    store.settle()
    store.close()
    before = [rows(place[half], "SELECT * FROM about ORDER BY name") for half in place]
    journal = chain(place["public"])
    with pytest.raises(StoreError, match="another master secret"):
        hush.live.open(place["public"], private=place["private"], secret=b"x" * 32, clock=clock)
    assert [rows(place[half], "SELECT * FROM about ORDER BY name") for half in place] == before
    assert chain(place["public"]) == chain(place["private"]) == journal
    again, _ = opened(place, clock)
    assert again.experiment("one").state == "running"
    again.close()


def test_a_missing_key_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    hush.live.open(tmp_path / "s.db").close()
    key = tmp_path / "s.key"
    kept = key.read_text()
    key.unlink()
    with pytest.raises(StoreError, match="missing"):
        hush.live.open(tmp_path / "s.db")
    assert not key.exists()
    key.write_text("not a secret")
    with pytest.raises(StoreError, match="does not hold a master secret"):
        hush.live.open(tmp_path / "s.db")
    key.write_text(kept)
    hush.live.open(tmp_path / "s.db").close()


def test_a_fork_may_not_use_an_open_store(place):
    store, clock = opened(place)
    experiment = running(store)
    made = experiment.decide("u1")
    calls = {
        "decide": lambda: experiment.decide("u2"),
        "reward": lambda: experiment.reward(made.id, 1),
        "settle": store.settle,
        "stop": experiment.stop,
        "erase": lambda: store.erase("u1"),
    }
    reading, writing = os.pipe()
    if not os.fork():
        found = {}
        for name, call in calls.items():
            try:
                call()
                found[name] = "nothing"
            except BaseException as error:  # noqa: BLE001  its name is what is asked for
                found[name] = type(error).__name__
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.wait()
    found = json.loads(os.read(reading, 10_000))
    assert found == dict.fromkeys(calls, MisuseError.__name__)
    assert ended(store, clock, experiment) == (1, 0)
    store.close()


def test_a_held_clock_in_one_process_does_not_hold_the_other(tmp_path):
    place = {"public": str(tmp_path / "s.db"), "private": str(tmp_path / "s.private.db")}
    store, clock = opened(place)
    experiment = running(store)
    wrong = hush.live.ManualClock(clock.wall())
    other, _ = opened(place, wrong)
    wrong.jump(10**10)
    with pytest.raises(ClockError):
        other.settle()
    assert ended(store, clock, experiment) == (0, 0)
    store.close()
    other.close()
