"""Stores without room: what cannot be written is refused as a whole, and made up for later."""

import os
import shutil
import subprocess
from contextlib import suppress

import pytest
from tests.live.fault_check import released, rows
from tests.live.one_experiment import decided, ended, opened, running

from hush.errors import StoreError

MANY = [f"arm{number}" for number in range(3_000)]


def fill(database):
    (pages,) = database.connection.execute("PRAGMA page_count").fetchone()
    database.connection.execute(f"PRAGMA max_page_count={pages}").fetchone()


def make_room(database):
    database.connection.execute("PRAGMA max_page_count=100000").fetchone()


@pytest.fixture
def place(tmp_path):
    return {"public": str(tmp_path / "s.db"), "private": str(tmp_path / "s.private.db")}


def test_a_full_private_store_refuses_and_goes_on(place):
    store, clock = opened(place)
    experiment = running(store)
    fill(store._private)
    count = decided(experiment, 5_000)
    assert 0 < count < 5_000
    assert rows(place["private"], "SELECT count(*) FROM pending") == [(count,)]
    assert rows(place["private"], "SELECT sum(given) FROM people") == [(count,)]
    with pytest.raises(StoreError, match="full"):
        store.create("two", policy="NoiseAwareTS", arms=MANY, person_epsilon=1.0)
    make_room(store._private)
    assert decided(experiment, 30, at=count) == count + 30  # the refused one under its old key
    assert ended(store, clock, experiment) == (count + 30, count + 30)
    assert store.names == ["one"]


def test_a_settlement_without_room_is_made_up_for(place):
    store, clock = opened(place)
    experiment = running(store)
    decided(experiment, 200)
    clock.advance("20m")
    fill(store._private)
    for failing in ("INSERT INTO sealed", "INSERT INTO journal"):
        plain = store._private._run

        def full(statement, values, failing=failing, plain=plain):
            if statement.startswith(failing):
                raise StoreError("the store cannot be used: database or disk is full")
            return plain(statement, values)

        store._private._run = full
        with pytest.raises(StoreError, match="full"):
            store.settle()
        store._private._run = plain
    make_room(store._private)
    assert ended(store, clock, experiment) == (200, 200)


def test_a_full_public_store_gets_the_same_release_later(place):
    store, clock = opened(place)
    experiment = running(store)
    decided(experiment, 100)
    fill(store._public)
    acts = (experiment.adjust(floor=0.0, by="x" * 128) for _ in range(100))
    with pytest.raises(StoreError, match="full"):
        list(acts)
    clock.advance("12m")
    with pytest.raises(StoreError, match="full"):
        store.settle()
    clock.advance("2m")
    with pytest.raises(StoreError, match="full"):
        store.settle()
    ahead = released(place["private"])
    assert ahead
    assert not released(place["public"])
    make_room(store._public)
    store.settle()
    assert released(place["public"]) == ahead
    assert ended(store, clock, experiment) == (100, 100)
    assert ahead.items() <= released(place["public"]).items()


@pytest.fixture
def tiny(tmp_path):
    """Return a folder on a disk of its own, with very little room."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = [shutil.which("mount"), "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a disk of its own needs the right to mount one")
    yield folder
    subprocess.run([shutil.which("umount"), "-l", str(folder)], check=True)


@pytest.mark.parametrize("half", ["private", "public"])
def test_a_disk_that_is_really_full(tiny, place, half):
    place[half] = str(tiny / "s.db")
    store, clock = opened(place)
    experiment = running(store)
    count, refused, filler = decided(experiment, 60), 0, tiny / "filler"
    clock.advance("12m")
    used_up(filler)
    for _ in range(20):
        try:
            experiment.adjust(floor=0.0, by="x" * 128)
            store.settle()
        except StoreError as error:
            refused += 1
            assert "full" in str(error) or "I/O" in str(error)  # noqa: PT017
        clock.advance("2m")
    assert refused
    ahead = released(place["private"])
    filler.unlink()
    assert decided(experiment, 10, at=count) == count + 10
    assert ended(store, clock, experiment) == (count + 10, count + 10)
    assert ahead.items() <= released(place["public"]).items()
    store.close()


def used_up(path):
    """Write until there is no room."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4_096))


def test_a_log_that_cannot_be_emptied_is_a_store_error(place):
    store, _ = opened(place)
    store._private.connection.close()
    with pytest.raises(StoreError):
        store._private.scrub()
