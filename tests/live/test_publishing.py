"""The public store: refilled, never ahead, the same whoever writes it."""

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import StoreError


@pytest.fixture
def clock():
    return hush.live.ManualClock()


def busy(store, clock):
    experiment = scenes.made(store, max_age="1m", segments=["de", "fr"])
    scenes.visits(experiment, 20, segment="de")
    scenes.pass_by(store, clock, "65m", step="5m")
    scenes.visits(experiment, 3, segment="fr")
    store.settle()
    return experiment


def test_a_public_store_that_was_lost_is_refilled(tmp_path, clock):
    path = tmp_path / "x.db"
    with scenes.opened(path, clock) as store:
        busy(store, clock)
        private, public = scenes.dump(store)
    for each in tmp_path.glob("x.db*"):
        each.unlink()
    with scenes.opened(path, clock) as store:
        store.settle()
        again = scenes.dump(store)
    for table in ("journal", "head", "experiments", "populations", "tallies"):
        assert again[1][table] == public[table], table
    assert {row[:3] for row in again[1]["plans"]} == {row[:3] for row in public["plans"]}
    assert again[0]["journal"] == private["journal"]


def test_publishing_again_changes_nothing(tmp_path, clock):
    with scenes.opened(tmp_path / "x.db", clock) as store:
        busy(store, clock)
        before = scenes.dump(store)[1]
        store._publisher.publish()
        store._publisher.tally()
        assert scenes.dump(store)[1] == before


def test_two_who_publish_write_each_entry_once(tmp_path, clock):
    with (
        scenes.opened(tmp_path / "x.db", clock, seed=1) as one,
        scenes.opened(tmp_path / "x.db", clock, seed=2) as two,
    ):
        experiment = scenes.made(one)
        told = []

        def also(statement):
            if statement.startswith("INSERT INTO journal") and not told:
                told.append(statement)

        one._public.probe = also
        stale = two._publisher._origin.after(0)
        plans = two._publisher._plans({1})
        experiment.pause()
        two._publisher._copy_all(stale, plans)  # what it read before the other published
        assert told
        journals = [database["journal"] for database in scenes.dump(one)]
        assert journals[0] == journals[1]
        versions = one._public.run("SELECT version FROM plans")
        assert versions == one._private.run("SELECT version FROM experiments")


def test_journals_that_do_not_agree_are_not_mixed(tmp_path, clock):
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = scenes.made(store)
        store._public.run("UPDATE head SET hash = ?", (bytes(32),))
        before = store._public.run("SELECT count(*) FROM journal")
        with pytest.raises(StoreError, match="do not agree"):
            experiment.pause()
        assert store._public.run("SELECT count(*) FROM journal") == before


def test_tallies_are_of_visits(tmp_path, clock):
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = scenes.made(store, person_bound=1)
        assert experiment.tallies == []
        for _ in range(3):
            experiment.decide("u1")
        store.settle()
        assert sum(row["served"] for row in experiment.tallies) == 3
        assert sum(row["learnt"] for row in experiment.tallies) == 1
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = store.experiment("checkout")
        experiment.decide("u2")
        store.settle()
        assert sum(row["served"] for row in experiment.tallies) == 4


def test_nothing_raw_is_in_the_public_files(tmp_path, clock):
    path = tmp_path / "x.db"
    with scenes.opened(path, clock) as store:
        experiment = scenes.made(store)
        decision = experiment.decide("sentinel-person-18", key="sentinel-key-18")
        experiment.reward(decision, 0.7182818)
        store.settle()
        person = store._keys.person("default", "sentinel-person-18")
        seen = b"".join(each.read_bytes() for each in tmp_path.glob("x.db*"))
        private = b"".join(each.read_bytes() for each in tmp_path.glob("x.private.db*"))
    for secret in (b"sentinel", b"7182818", person, decision.id.encode()):
        assert secret not in seen
    assert person in private  # the search can find something
    assert b"sentinel" not in private
