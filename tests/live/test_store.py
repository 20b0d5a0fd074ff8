"""A store as a whole: opened and closed at any time, by threads, processes and forks."""

import os
import subprocess
import sys
import threading

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import HushError, MisuseError, NoDecisionError, ParameterError, StoreError


@pytest.fixture
def clock():
    return hush.live.ManualClock()


def test_closing_and_opening_at_any_time_loses_nothing(tmp_path, clock):
    decisions = []
    for step in range(25):
        with scenes.opened(tmp_path / "x.db", clock, seed=step) as store:
            if step == 0:
                scenes.made(store, max_age="5m", person_epsilon=1e4, person_bound=4)
            experiment = store.experiment("checkout")
            if step < 15:
                decisions.append(experiment.decide(f"u{step}"))
                experiment.reward(decisions[-1], 1)
            clock.advance("7m")
            store.settle()
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = store.experiment("checkout")
        assert len({each.id for each in decisions}) == 15
        releases = experiment.releases
        assert sum(each.count for each in releases) == 15
        assert sum(each.value for each in releases) == pytest.approx(15, abs=0.5)
        assert len({(each.arm, each.epoch) for each in releases}) == len(releases)


def test_a_closed_store_says_so(tmp_path, clock):
    store = scenes.opened(tmp_path / "x.db", clock)
    experiment = scenes.made(store)
    decision = experiment.decide("u1")
    store.close()
    store.close()
    for act in (
        lambda: experiment.decide("u1"),
        lambda: experiment.decide("u1", defer=True),
        lambda: experiment.reward(decision, 1),
        experiment.pause,
        lambda: experiment.state,
        lambda: experiment.plan,
        store.settle,
        lambda: store.erase("u1"),
    ):
        with pytest.raises(HushError):
            act()


FORKED = """
import os, sys
from tests.live import scenes
import hush.live
store = scenes.opened({path!r}, hush.live.ManualClock())
experiment = scenes.made(store)
decision = experiment.decide("u1")
child = os.fork()
if child == 0:
    refused = 0
    for act in (
        lambda: experiment.decide("u2"),
        lambda: experiment.reward(decision, 1),
        lambda: experiment.state,
        store.settle,
        experiment.pause,
    ):
        try:
            act()
        except hush.MisuseError:
            refused += 1
    os._exit(refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
experiment.decide("u3")
print(scenes.learnt(store), experiment.state)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_may_not_use_it(tmp_path):
    code = FORKED.format(path=str(tmp_path / "x.db"))
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.stdout.split() == ["5", "2", "running"], ran.stderr


def test_threads_share_a_store(tmp_path, clock):
    """Eight of them decide, reward and settle: the bound holds, and everything adds up."""
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = scenes.made(store, person_bound=3, max_age="1m", window="2m")
        failed = []

        def work(number):
            try:
                for n in range(60):
                    decision = experiment.decide(f"u{n % 20}", key=f"{number}-{n}")
                    assert experiment.decide(f"u{n % 20}", key=f"{number}-{n}") == decision
                    experiment.reward_many([(decision, 1)])
                    if number == 0:
                        clock.advance("1s")
                        store.settle()
            except BaseException as error:  # noqa: BLE001  whatever it is
                failed.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        assert scenes.rows(store, "SELECT count(*), max(given), min(given) FROM people") == [
            (20, 3, 3)
        ]
        experiment.stop()
        scenes.pass_by(store, clock, "6m")
        assert sum(each.count for each in experiment.releases) == 60
        store.settle()
        assert sum(row["served"] for row in experiment.tallies) == 8 * 60


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"public": ""}, "a store is a path"), ({"public": "mysql://x"}, "private"),
        ({"public": 7}, "a store is a path"), ({"public": ":memory:", "noise": 7}, "noise source"),
        ({"public": ":memory:", "secret": b"short"}, "master secret"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened(bad, said):
    with pytest.raises(HushError, match=said):
        hush.live.open(**bad)


def test_a_file_that_is_no_store(tmp_path):
    path = tmp_path / "x.db"
    path.write_text("not a database, and long enough to be looked at" * 100)
    with pytest.raises(StoreError):
        hush.live.open(path, secret=scenes.SECRET)


def test_halves_of_two_stores_do_not_belong_together(tmp_path, clock):
    for name in ("x", "y"):
        with scenes.opened(tmp_path / f"{name}.db", clock) as store:
            scenes.made(store)
    with pytest.raises(StoreError, match="belong together"):
        scenes.opened(tmp_path / "x.db", clock, private=tmp_path / "y.private.db")


def test_a_private_store_that_was_lost_is_quarantined(tmp_path, clock):
    with scenes.opened(tmp_path / "x.db", clock) as store:
        learning, draft = scenes.made(store), scenes.made(store, "draft", starts=False)
        learning.decide("u1")
        assert draft.state == "draft"
    for each in tmp_path.glob("x.private.db*"):
        each.unlink()
    with scenes.opened(tmp_path / "x.db", clock) as store:
        assert store.experiment("checkout").state == "quarantined"
        assert store.experiment("draft").state == "draft"
        assert store.names == ["checkout", "draft"]
        assert store.ledger()["total"] == 1.0


def test_an_id_of_another_store_with_the_same_secret_is_none_of_this_one(clock):
    """It would say that this store was set back, and everything would be quarantined."""
    with scenes.in_memory(clock) as here, scenes.in_memory(clock) as there:
        mine, theirs = scenes.made(here), scenes.made(there)
        for _ in range(3):
            theirs.pause()
            theirs.resume()
        newer, deferred = theirs.decide("u1"), theirs.decide("u1", defer=True)
        assert newer.plan > mine.decide("u1").plan
        for act in (
            lambda: mine.decide("u1", seen=newer.id),
            lambda: mine.activate(deferred, person="u1"),
            lambda: mine.reward(newer, 1),
        ):
            with pytest.raises(NoDecisionError):
                act()
        assert mine.state == "running"


def test_reprs_show_no_person_and_no_reward(tmp_path, clock):
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = scenes.made(store)
        experiment.decide("u1")
        assert repr(store) == "<store of 1 experiment>"
        assert repr(experiment) == "<experiment checkout: running, 2 arms, 0 releases>"


@pytest.mark.parametrize("by", [None, 7, "x" * 129])
def test_whoever_acts_is_named_in_a_text(clock, by):
    with scenes.in_memory(clock) as store:
        experiment = scenes.made(store)
        before = scenes.dump(store)
        with pytest.raises(ParameterError, match="by must be"):
            experiment.pause(by=by)
        assert scenes.dump(store) == before
        with pytest.raises(MisuseError, match="under way"), store._private.transaction():
            experiment.pause()
