"""Power cuts: only the end of the log may be missing, or torn."""

import random
import shutil
from pathlib import Path

import pytest
from tests.every import sampled
from tests.live.fault_check import GENESIS, KEYS, chain, observe, released, rows, second_values
from tests.live.fault_cluster import cluster
from tests.live.fault_script import EXPERIMENTS, Player, script

from hush.live.ids import DecisionId

__all__ = ["GENESIS", "cluster"]

STEPS = 60


class Disk:
    """What is certainly on the disk of a store's two files: notes it after every durable commit."""

    def __init__(self, store, place):
        self._place, self.kept = place, {}
        self._durable = dict.fromkeys(("private", "public"), False)
        for half, database in (("private", store._private), ("public", store._public)):
            self._sync(half)
            self._listen(half, database)

    def _listen(self, half, database):
        begin, scrub = database._begin, database.scrub

        def beginning(durable):
            self._durable[half] = durable
            begin(durable)

        def scrubbed():
            scrub()
            self._sync(half)

        database._begin, database.scrub = beginning, scrubbed
        database.probe = lambda statement: self._meet(half, statement)

    def _meet(self, half, statement):
        if statement == "COMMITTED" and self._durable[half]:
            self._sync(half)

    def _sync(self, half):
        self.kept[half] = size(self._place[half] + "-wal")
        if half == "private":
            self.sealed = seen(self._place)


def size(path):
    return Path(path).stat().st_size if Path(path).exists() else 0


def seen(place):
    """Return what was drawn for good."""
    return {**released(place["private"]), **released(place["private"], SEALED)}


SEALED = "SELECT experiment, body FROM sealed"


def cut(place, disk, folder, draw):
    """Return a copy of the files as the disk may have them after a power cut."""
    folder.mkdir()
    copy = {"side": str(folder)}
    for half in ("private", "public"):
        copy[half] = str(folder / Path(place[half]).name)
        shutil.copy(place[half], copy[half])
        log = bytearray(Path(place[half] + "-wal").read_bytes())
        keep = draw.randint(min(disk.kept[half], len(log)), len(log))
        tail = log[keep:] if draw.random() < 0.5 else b""  # cut off, or written in part
        torn = bytearray(byte if draw.random() < 0.7 else draw.randrange(256) for byte in tail)
        Path(copy[half] + "-wal").write_bytes(log[:keep] + torn)
    for name in ("log", "draws", "seen"):
        if Path(place["side"], name).exists():
            shutil.copy(Path(place["side"], name), folder / name)
    return copy


def learnt_ids(player):
    """Return acknowledged decisions in order, each with its row, whether learnt or not."""
    return [DecisionId.read(name, KEYS) for name in player.named.values() if len(name) == 64]


forgotten = {}


def is_prefix(flags):
    return flags == sorted(flags, reverse=True)


@pytest.mark.parametrize("seed", sampled(range(100), 10))
def test_a_power_cut_forgets_a_suffix_of_decisions(tmp_path, seed):
    draw = random.Random(seed)
    steps = script(seed, STEPS)
    steps = steps[: draw.randrange(20, len(steps))]
    place = {"side": str(tmp_path), "public": str(tmp_path / "s.db")}
    place["private"] = str(tmp_path / "s.private.db")
    player = Player(place, steps)
    player._move(steps[0]["at"])
    player.open()
    disk = Disk(player.store, place)
    player.play()
    observe(place)
    present = "SELECT worker, ordinal FROM pending"
    there = set(rows(place["private"], present))
    copy = cut(place, disk, tmp_path / "copy", draw)
    after = Player(copy, steps)
    after._move(player.clock.wall())
    after.open()
    # Of the decisions that were pending at the cut, the first ones are there.
    left = set(rows(copy["private"], present))
    order = [(d.worker, d.ordinal) for d in learnt_ids(player) if (d.worker, d.ordinal) in there]
    kept = [each in left for each in order]
    assert is_prefix(kept)
    forgotten[seed] = kept.count(False)
    assert disk.sealed.items() <= seen(copy).items()
    published = released(place["public"])
    assert published.items() <= seen(copy).items()
    states = {name: after.store.experiment(name).state for name in after.store.names}
    assert "quarantined" not in states.values()
    for name, state in states.items():
        if state in ("running", "paused"):
            after.store.experiment(name).stop()
    for _ in range(3):
        after.clock.advance("30m")
        after.store.settle()
    assert all(after.store.experiment(name).state in ("stopped", "draft") for name in states)
    after.store.close()
    player.store.close()
    observe(copy)
    assert second_values(copy) == []
    assert chain(copy["private"]) == chain(copy["public"])
    names = dict(rows(copy["private"], "SELECT id, name FROM experiments"))
    for number, given in rows(copy["private"], "SELECT experiment, given FROM people"):
        assert given <= EXPERIMENTS[names[number]]["person_bound"]


def test_some_decisions_were_forgotten():
    """Else the cuts above would not cut anything."""
    if forgotten:
        assert sum(forgotten.values()) > 0


def test_a_log_that_lost_a_durable_commit_is_found(tmp_path):
    """What a disk that lies about its syncs does: the private store is older than the public."""
    steps = script(5, STEPS)[:40]
    place = {"side": str(tmp_path), "public": str(tmp_path / "s.db")}
    place["private"] = str(tmp_path / "s.private.db")
    player = Player(place, steps)
    player.play()
    player.store.experiment("wide").adjust(floor=0.2)
    for half in ("private", "public"):
        shutil.copy(place[half], place[half] + ".copy")
        if half == "public":
            shutil.copy(place[half] + "-wal", place[half] + ".copy-wal")
    copy = {half: place[half] + ".copy" for half in ("private", "public")} | {"side": str(tmp_path)}
    after = Player(copy, steps)
    after._move(player.clock.wall())
    after.open()
    assert after.store.experiment("wide").state == "quarantined"
    after.store.close()
    player.store.close()
