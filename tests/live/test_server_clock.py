import time

import pytest

import hush.live
from hush.errors import ClockError
from hush.live.connecting import connect
from hush.live.postgres import NOW, ServerClock

SECRET = bytes(32)
HOUR = 3_600_000


def test_it_tells_the_servers_time(postgres_pair):
    database = connect(postgres_pair[1])
    clock = ServerClock(database)
    ((before,),) = database.run(NOW)
    assert abs(clock.wall() - before) < 2_000
    assert abs(clock.wall() - time.time_ns() // 1_000_000) < 2_000  # the same machine
    database.close()


def test_time_passes_with_the_boot_clock_between_measures(postgres_pair, monkeypatch):
    local = hush.live.ManualClock()
    database = connect(postgres_pair[1])
    clock = ServerClock(database, local)
    asked = []
    database.probe = asked.append
    first = clock.wall()
    local.jump(HOUR)  # nobody's business
    assert clock.wall() == first
    local.advance("1h")
    assert clock.wall() - first == HOUR
    assert asked == []
    clock.measure()
    assert asked == [NOW]
    assert abs(clock.wall() - first) < 10_000  # the server's clock has hardly moved
    database.close()


def test_a_store_on_a_server_uses_it_and_asks_once_a_settlement(postgres_pair):
    public, private = postgres_pair
    with hush.live.open(public, private=private, secret=SECRET) as store:
        exp = store.create(
            "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0, window="1h"
        )
        exp.start()
        asked = []
        store._private.probe = asked.append
        decision = exp.decide(person="u1")
        exp.reward(decision.id, 1)
        assert NOW not in asked
        store.settle()
        assert asked.count(NOW) == 1


def test_a_server_whose_clock_jumped_holds_settlement(postgres_pair, monkeypatch):
    public, private = postgres_pair
    with hush.live.open(public, private=private, secret=SECRET) as store:
        monkeypatch.setattr(
            "hush.live.postgres.NOW", NOW.replace("AS BIGINT)", "AS BIGINT) + 3600000")
        )
        with pytest.raises(ClockError, match="set forward"):
            store.settle()


def test_an_injected_clock_is_used_instead(postgres_pair):
    public, private = postgres_pair
    clock = hush.live.ManualClock()
    with hush.live.open(public, private=private, secret=SECRET, clock=clock) as store:
        store.settle()
        assert store._clock.now() == clock.wall()


def test_a_file_has_the_machines_clock(tmp_path):
    with hush.live.open(tmp_path / "experiments.db") as store:
        assert isinstance(store._clock._clock, hush.live.SystemClock)
