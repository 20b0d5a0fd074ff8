"""Clocks that jump, at boot and while a store is open."""

import pytest
from tests.live.one_experiment import decided, ended, opened, running

from hush.errors import ClockError, ExpiredError
from hush.live.journal import Journal

HOUR, YEAR = 3_600_000, 365 * 86_400_000


@pytest.fixture
def place(tmp_path):
    return {"public": str(tmp_path / "s.db"), "private": str(tmp_path / "s.private.db")}


def stored(store):
    return int(store._private.run("SELECT value FROM about WHERE name = 'clock'")[0][0])


def in_use(place):
    """Return an open store with an experiment of 40 decisions, ten minutes before they are due."""
    store, clock = opened(place)
    experiment = running(store)
    store.settle()
    decided(experiment, 40)
    return store, clock, experiment


def refuses(store, why):
    """See that settlement waits, and that nothing of the jump is stored."""
    before = stored(store), list(store.experiment("one").releases)
    assert why in store.held
    with pytest.raises(ClockError, match="confirm_clock"):
        store.settle()
    assert (stored(store), list(store.experiment("one").releases)) == before


@pytest.mark.parametrize("jump", [HOUR, YEAR])
def test_set_forward_while_open(place, jump):
    store, clock, experiment = in_use(place)
    made = experiment.decide("u1")
    clock.jump(jump)
    refuses(store, "set forward")
    experiment.reward(made.id, 1)  # her window is not over: the clock is not believed
    later = experiment.decide("u2")
    assert (later.expires - made.expires).total_seconds() < 1
    store.confirm_clock(by="operator")
    assert store.held is None
    store.settle()
    assert stored(store) == clock.wall()
    with pytest.raises(ExpiredError):
        experiment.reward(later.id, 1)
    assert ended(store, clock, experiment) == (42, 41)
    assert "clock" in [entry.body.get("note") for entry in notes(store)]


def notes(store):
    return [entry for entry in Journal(store._public).all() if entry.kind == "note"]


@pytest.mark.parametrize("jump", [HOUR, YEAR])
def test_set_forward_by_mistake_and_set_right_again(place, jump):
    store, clock, experiment = in_use(place)
    clock.jump(jump)
    refuses(store, "set forward")
    clock.advance("12m")
    refuses(store, "set forward")
    clock.jump(-jump)
    store.confirm_clock()
    store.settle()
    assert stored(store) == clock.wall()
    assert ended(store, clock, experiment) == (40, 40)


@pytest.mark.parametrize("jump", [HOUR, YEAR])
def test_set_back_while_open(place, jump):
    store, clock, experiment = in_use(place)
    before = clock.wall()
    clock.jump(-jump)
    refuses(store, "set back")
    with pytest.raises(ClockError, match="behind"):
        store.confirm_clock()
    refuses(store, "set back")
    clock.advance("12m")  # time passes with the boot clock
    made = experiment.decide("u1")
    assert made.expires.timestamp() * 1_000 == before + 22 * 60_000
    clock.jump(jump)
    store.confirm_clock()
    store.settle()
    assert ended(store, clock, experiment) == (41, 40)


def test_an_hour_forward_at_boot_is_time_out_of_use(place):
    store, clock, _ = in_use(place)
    store.close()
    clock.jump(HOUR)
    again, _ = opened(place, clock)
    assert again.held is None
    again.settle()
    assert ended(again, clock, again.experiment("one")) == (40, 40)


def test_a_year_forward_at_boot(place):
    store, clock, _ = in_use(place)
    store.close()
    clock.jump(YEAR)
    again, _ = opened(place, clock)
    refuses(again, "have passed")
    again.close()
    again, _ = opened(place, clock)  # another start confirms nothing
    refuses(again, "have passed")
    again.confirm_clock()
    again.settle()
    assert stored(again) == clock.wall()
    assert ended(again, clock, again.experiment("one")) == (40, 40)


def test_a_long_window_is_no_gap(place):
    store, clock = opened(place)
    terms = {"policy": "NoiseAwareTS", "arms": ["a", "b"], "person_epsilon": 1.0}
    store.create("slow", window="30d", **terms).start()
    store.settle()
    store.close()
    clock.jump(29 * 86_400_000)
    again, _ = opened(place, clock)
    assert again.held is None
    again.settle()


@pytest.mark.parametrize("jump", [HOUR, YEAR])
def test_set_back_at_boot_and_set_right(place, jump):
    store, clock, _ = in_use(place)
    store.close()
    clock.jump(-jump)
    again, _ = opened(place, clock)
    refuses(again, "behind this store's time")
    with pytest.raises(ClockError, match="set it right"):
        again.confirm_clock()
    again.experiment("one").decide("u1")
    clock.jump(jump)
    again.confirm_clock()
    again.settle()
    assert ended(again, clock, again.experiment("one")) == (41, 40)


@pytest.mark.parametrize("step", [-120_000, 120_000])
def test_a_small_step_is_believed_and_time_never_goes_back(place, step):
    store, clock, experiment = in_use(place)
    first = experiment.decide("u1").expires
    clock.jump(step)
    second = experiment.decide("u2").expires
    assert store.held is None
    assert (second - first).total_seconds() == max(step, 0) / 1_000
    store.settle()
