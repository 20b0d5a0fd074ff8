"""Stores put back from copies that were taken at random times."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.every import sampled
from tests.live.fault_check import chain, complaints, observe, rows, second_values
from tests.live.fault_script import EXPERIMENTS, Log, Player, script

STEPS = 60
HEAD = "SELECT seq FROM head"
# Four kinds of fifty: 200 restores, of which `make test` meets one in ten.
CASES = sampled(range(50), 10)


def copied(source, target):
    """Take a copy as a backup would, while others write."""
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as two:
        one.backup(two)


def put_back(copy, target):
    """Put a copy in the place of a store that nobody uses."""
    for ending in ("", "-wal", "-shm"):
        Path(target + ending).unlink(missing_ok=True)
    if copy is not None:
        Path(target).write_bytes(Path(copy).read_bytes())


class Watchful(Player):
    """A player that notes all that is published, and takes copies in the middle of a step."""

    def __init__(self, place, steps, copy_at=None):
        super().__init__(place, steps)
        self._left = copy_at
        self.points.spring = self.points._meet = self._meet

    def _meet(self, which, statement):
        if self._left is not None:
            self._left -= 1
            if not self._left:
                for half in ("private", "public"):
                    copied(self.place[half], self.place[half] + ".copy")

    def _settle(self, step):
        super()._settle(step)
        observe(self.place)


def statements_of(steps, folder):
    """Return how many statements a script makes."""
    met = []
    player = Watchful(place_in(folder), steps)
    player.points._meet = lambda *given: met.append(given)
    player.play()
    player.store.close()
    return len(met)


def place_in(folder):
    folder.mkdir()
    return {
        "side": str(folder),
        "public": str(folder / "s.db"),
        "private": str(folder / "s.private.db"),
    }


@pytest.fixture
def broken_off(tmp_path):
    """Return a maker of players that have taken copies, and stopped some time later."""

    def make(seed):
        draw = random.Random(seed)
        whole = script(seed, STEPS)
        stop = draw.randrange(STEPS // 2, STEPS)
        count = statements_of(whole[:stop], tmp_path / "dry")
        place = place_in(tmp_path / "real")
        # Noise decides how batches go, so that another play has some statements more or fewer.
        player = Watchful(place, whole, draw.randrange(30, 3 * count // 4))
        player.steps = whole[:stop]
        player.play()
        assert Path(place["public"] + ".copy").exists()
        return player, whole

    return make


def reopened(player):
    """Open the store of a player anew, at the same time of day."""
    observe(player.place)
    player.store.close()
    again = Watchful(player.place, player.steps)
    again._move(player.clock.wall())
    again.named = player.named
    return again


def draws(place):
    return len(Log.read(Path(place["side"]) / "draws"))


def head(address):
    return rows(address, HEAD)[0][0]


def used_and_ended(player, name):
    """Decide, reward and settle for a while, then stop and let everything settle."""
    experiment = player.store.experiment(name)
    segment = (EXPERIMENTS[name].get("segments") or [None])[0]
    for number in range(12):
        made = experiment.decide(f"q{number}", segment=segment)
        experiment.reward(made.id, 1)
        if number % 4 == 3:
            player.clock.advance("7m")
            player.store.settle()
            observe(player.place)
    experiment.stop()
    for _ in range(3):
        player.clock.advance("30m")
        player.store.settle()
        observe(player.place)
    assert experiment.state == "stopped"


def assert_sound(place):
    observe(place)
    assert second_values(place, sealed=False) == []  # what was sealed and lost was never seen
    assert chain(place["private"]) == chain(place["public"])
    for number, most in rows(
        place["private"], "SELECT experiment, max(given) FROM people GROUP BY 1"
    ):
        name = dict(rows(place["private"], "SELECT id, name FROM experiments"))[number]
        assert most <= EXPERIMENTS[name]["person_bound"]


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("lost", [False, True], ids=["old", "lost"])
def test_the_public_store_alone_is_refilled(broken_off, seed, lost):
    player, whole = broken_off(seed)
    place = player.place
    again = reopened(player)
    put_back(None if lost else place["public"] + ".copy", place["public"])
    again.steps = whole
    again.play()
    again.finish()
    assert all(again.store.experiment(name).state == "stopped" for name in EXPERIMENTS)
    again.store.close()
    observe(place)
    assert complaints(place, whole) == []


@pytest.mark.parametrize("seed", CASES)
def test_the_private_store_alone_is_quarantined(broken_off, seed):
    player, _ = broken_off(seed)
    place = player.place
    again = reopened(player)
    lost = seed % 5 == 0
    older = lost or head(place["private"] + ".copy") < head(place["public"])
    put_back(None if lost else place["private"] + ".copy", place["private"])
    before, learning = draws(place), learning_in(place)
    again.open()
    if not older:  # nothing was shown since: what was drawn and sealed since was never seen
        assert not set(learning) & set(quarantined(again))
        for name in learning:
            again.store.experiment(name).stop()
        again.clock.advance("1h")
        again.store.settle()
        again.clock.advance("1h")
        again.store.settle()
        again.store.close()
        assert_sound(place)
        return
    assert quarantined(again) == learning
    again.clock.advance("1h")
    again.store.settle()
    assert draws(place) == before
    for place_, name in enumerate(learning):
        leave(again, name, by_charge=(seed + place_) % 2 == 0)
    again.store.close()
    assert_sound(place)


def learning_in(place):
    states = rows(place["public"], "SELECT name, state FROM experiments ORDER BY id")
    return [name for name, state in states if state in ("running", "paused", "stopping")]


def quarantined(player):
    store = player.store
    return [name for name in store.names if store.experiment(name).state == "quarantined"]


def leave(player, name, by_charge):
    """Leave the quarantine, by a charge or for good."""
    experiment, store = player.store.experiment(name), player.store
    segment = (EXPERIMENTS[name].get("segments") or [None])[0]
    shown = experiment.decide("somebody", segment=segment)
    assert (shown.arm, shown.propensity) == (experiment._known.knobs.control, 1.0)
    promised, total = experiment.guarantee.epsilon, store.ledger()["total"]
    if not by_charge:
        experiment.stop()
        assert experiment.state == "stopped"
        assert store.ledger()["total"] == total
        return
    experiment.continue_()
    once = EXPERIMENTS[name]["person_epsilon"]
    assert experiment.guarantee.epsilon == promised + once
    assert store.ledger()["total"] == total + once
    assert store.ledger()["charges"][-1]["act"] == "continue"
    used_and_ended(player, name)


@pytest.mark.parametrize("seed", CASES)
def test_both_together_are_found_by_a_newer_plan(broken_off, seed):
    """Before somebody names a newer plan nothing inside can tell; the operator's page says so."""
    player, _ = broken_off(seed)
    place = player.place
    witness = player.store.experiment("wide").decide("witness", segment="x", key="w")
    deferred = player.store.experiment("wide").decide("witness", segment="x", defer=True)
    again = reopened(player)
    for half in ("private", "public"):
        put_back(place[half] + ".copy", place[half])
    again.open()
    assert quarantined(again) == []  # this much is not found
    learning = learning_in(place)
    experiment = again.store.experiment("wide")
    newer = witness.plan > experiment._known.version
    before = draws(place)
    if seed % 2:
        again.clock.advance("1s")
        experiment.decide("witness", segment="x", seen=witness.id)
    else:
        experiment.activate(deferred, person="witness")
    begun = sorted({*learning, "wide"}, key=list(EXPERIMENTS).index)
    assert quarantined(again) == (begun if newer else [])
    if newer:
        again.clock.advance("1h")
        again.store.settle()
        assert draws(place) == before
        leave(again, "wide", by_charge=True)
        for name in set(learning) - {"wide"}:
            leave(again, name, by_charge=False)
        again.store.close()
        assert chain(place["private"]) == chain(place["public"])


def test_what_was_found_once_is_not_found_again(broken_off):
    """A witness from before the quarantine does not quarantine what was charged since."""
    player, _ = broken_off(10)
    place = player.place
    witness = player.store.experiment("wide").decide("witness", segment="x")
    player.clock.advance("1m")
    later = player.store.experiment("wide").decide("witness", segment="x", defer=True)
    again = reopened(player)
    for half in ("private", "public"):
        put_back(place[half] + ".copy", place[half])
    again.open()
    experiment = again.store.experiment("wide")
    assert witness.plan > experiment._known.version + 2
    experiment.decide("witness", segment="x", seen=witness.id)
    assert experiment.state == "quarantined"
    experiment.continue_()
    experiment.decide("witness", segment="x", seen=witness.id)
    experiment.activate(later, person="witness")
    assert experiment.state == "running"
    again.store.close()
