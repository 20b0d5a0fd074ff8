"""Odds: what the decisions of a plan were drawn from, and how long that is remembered."""

import threading

import pytest

import hush
import hush.live
from hush.live.lanes import Lane
from hush.live.odds import EVERY, MOST_OFFERS, Firsts, Offers
from hush.live.sqlite import SQLite


@pytest.fixture
def database():
    made = SQLite(":memory:")
    made.run("CREATE TABLE lanes (lane, experiment, firsts, expected, spread)")
    made.many("INSERT INTO lanes VALUES (?, 1, 0, 0.0, 0.0)", [(n,) for n in range(3)])
    return made


LANES = [Lane(n, 1, 0, n) for n in range(3)]
READ = "SELECT firsts, expected FROM lanes ORDER BY lane"


def test_arms_without_a_chance_and_arms_that_came_since_are_left_alone(database):
    firsts = Firsts(database)
    firsts.add(LANES, (0.25, 0.75), [1])
    firsts.add(LANES, (0.0, 0.0), [])
    firsts.write()
    assert database.run(READ) == [(0, 0.25), (1, 0.75), (0, 0.0)]
    (first, second, third) = (row[0] for row in database.run("SELECT spread FROM lanes"))
    assert first == second > 0.0 == third


def test_first_decisions_are_written_once_whoever_asks(database):
    firsts = Firsts(database)
    firsts.add(LANES, (0.5, 0.5), [0, 1])
    for now in (1_000, 1_000 + EVERY - 1):
        firsts.write_in_time(now)
    assert database.run(READ)[0] == (0, 0.0)
    firsts.write_in_time(1_000 + EVERY)
    firsts.write_in_time(1_000 + 3 * EVERY)
    firsts.write()
    assert database.run(READ) == [(1, 1.0), (1, 1.0), (0, 0.0)]
    firsts.add(LANES, (0.5, 0.5), [0])
    firsts.write_in_time(5)  # a clock that was set back is believed
    assert database.run(READ)[0] == (2, 1.5)


def test_what_cannot_be_written_is_written_later(database):
    firsts = Firsts(database)
    firsts.write_in_time(0)
    firsts.add(LANES, (0.5, 0.5), [0])
    database.run("ALTER TABLE lanes RENAME TO away")
    firsts.write_in_time(EVERY)
    with pytest.raises(hush.StoreError):
        firsts.write()
    database.run("ALTER TABLE away RENAME TO lanes")
    firsts.write_in_time(2 * EVERY)
    assert database.run(READ)[0] == (1, 0.5)


def test_nothing_is_added_while_another_thread_writes(database):
    """Else what came between the writing and the new beginning would be lost."""
    firsts = Firsts(database)
    adding = threading.Thread(target=firsts.add, args=(LANES, (0.5, 0.5), [0]))
    with database.lock:
        adding.start()
        adding.join(0.2)
        assert adding.is_alive()
    adding.join()
    firsts.write()
    assert database.run(READ)[0] == (1, 0.5)


def test_a_fork_can_let_go_of_a_store(tmp_path):
    """Its parent's first decisions are not its own to write."""
    with hush.live.open(tmp_path / "x.db") as store:
        store._registrar.firsts.add(LANES, (0.5, 0.5), [0])
        store._private._process = -1  # as in a process that was forked off
        store.close()


def test_a_lane_that_is_another_experiments_by_now_is_left_alone(database):
    firsts = Firsts(database)
    firsts.add([Lane(0, 2, 0, 0)], (0.5,), [0])
    firsts.write()
    assert database.run(READ)[0] == (0, 0.0)


def test_odds_that_change_within_a_version_are_none():
    offers = Offers()
    for odds in ((0.5, 0.5), (0.4, 0.6), (0.5, 0.5)):
        offers.note((1, 0, 1), odds)
    assert offers.of((1, 0, 1)) is None
    offers.note((1, 0, 2), None)
    assert offers.of((1, 0, 2)) is None


def test_old_offers_are_forgotten():
    offers = Offers()
    for version in range(MOST_OFFERS + 5):
        offers.note((1, 0, version), (0.5, 0.5))
    assert offers.of((1, 0, 4)) is None
    assert offers.of((1, 0, 5)) == (0.5, 0.5)
