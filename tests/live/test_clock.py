"""The guarded clock: never back, never believed blindly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.live import scenes

from hush.errors import ClockError, ParameterError
from hush.live.clock import DAY, JUMP, GuardedClock, ManualClock, SystemClock, moment


def test_the_systems_clock_goes_forward():
    clock = SystemClock()
    first = clock.wall(), clock.boot()
    assert clock.wall() >= first[0] > 1_700_000_000_000
    assert clock.boot() >= first[1] > 0
    assert moment(first[0]).year >= 2026


def test_a_jump_is_believed_up_to_five_minutes():
    for step, held in ((JUMP, False), (JUMP + 1, True), (-JUMP, False), (-JUMP - 1, True)):
        clock = ManualClock()
        guarded = GuardedClock(clock, None, 0)
        before = guarded.now()
        clock.jump(step)
        assert guarded.now() == max(before, before + step if not held else 0)
        assert (guarded.held is not None) is held


def test_a_held_clock_goes_with_the_boot_clock():
    clock = ManualClock()
    guarded = GuardedClock(clock, None, 0)
    before = guarded.now()
    clock.jump(365 * DAY)
    clock.advance("90s")
    assert guarded.now() == before + 90_000
    clock.advance("1s")
    assert guarded.now() == before + 91_000
    guarded.confirm()
    assert guarded.held is None
    assert guarded.now() == clock.wall()


def test_a_clock_that_is_behind_cannot_be_confirmed():
    clock = ManualClock()
    guarded = GuardedClock(clock, None, 0)
    guarded.now()
    clock.jump(-DAY)
    guarded.now()
    with pytest.raises(ClockError, match="set it right"):
        guarded.confirm()
    clock.jump(DAY)
    guarded.confirm()
    assert guarded.held is None


@pytest.mark.parametrize(
    ("away", "gap", "held"),
    [
        (DAY, 0, False),
        (DAY + 1, 0, True),
        (3 * DAY, 3 * DAY, False),
        (3 * DAY + 1, 3 * DAY, True),
        (-JUMP, 0, False),
        (-JUMP - 1, 0, True),
    ],
)
def test_a_gap_at_opening(away, gap, held):
    clock = ManualClock()
    stored = clock.wall() - away
    guarded = GuardedClock(clock, stored, gap)
    assert (guarded.held is not None) is held
    assert guarded.now() == (stored if held else max(stored, clock.wall()))


@given(st.lists(st.tuples(st.integers(0, 400_000), st.integers(-(10**7), 10**7)), max_size=20))
def test_time_never_goes_back(steps):
    clock = ManualClock()
    guarded = GuardedClock(clock, None, 0)
    last = guarded.now()
    for passed, jump in steps:
        clock.advance(passed / 1_000)
        clock.jump(jump)
        now = guarded.now()
        assert now >= last
        if guarded.held is None:
            assert now >= clock.wall()
        last = now


def test_whoever_asks_while_it_is_confirmed_does_not_hold_it_again():
    class Asked(ManualClock):
        """Another thread asks for the time whenever this clock is read in the midst of it."""

        ask = None

        def boot(self):
            ask, self.ask = self.ask, None
            if ask is not None:
                ask()
            return super().boot()

    clock = Asked()
    guarded = GuardedClock(clock, None, 0)
    clock.jump(DAY)
    guarded.now()
    inner = guarded.now

    def now():  # confirm() asks for the time itself, and then reads the clock
        found = inner()
        clock.ask = inner
        return found

    guarded.now = now
    guarded.confirm()
    assert clock.ask is None
    assert guarded.held is None


def test_nothing_settles_while_the_clock_is_held():
    clock = ManualClock()
    with scenes.in_memory(clock) as store:
        experiment = scenes.made(store, max_age="1m")
        scenes.visits(experiment, 5)
        clock.jump(DAY)
        with pytest.raises(ClockError, match="confirm_clock"):
            store.settle()
        assert scenes.learnt(store) == 5
        before = scenes.dump(store)
        with pytest.raises(ParameterError):
            store.confirm_clock(by=7)
        assert store.held is not None
        assert scenes.dump(store) == before
        store.confirm_clock(by="ops")
        store.settle()
        assert scenes.learnt(store) == 0
        notes = [entry.body for entry in store._publisher._copy.after(0) if entry.kind == "note"]
        assert notes[0]["by"] == "ops"


def test_a_store_that_was_left_alone_for_long_waits(tmp_path):
    clock = ManualClock()
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = scenes.made(store, window="2d")
        decision = experiment.decide("u1")
        store.settle()
    clock.jump(2 * DAY)  # the longest window is no gap
    with scenes.opened(tmp_path / "x.db", clock) as store:
        assert store.held is None
    clock.jump(1)
    with scenes.opened(tmp_path / "x.db", clock) as store:
        assert "have passed" in store.held
        store.reward(decision, 1)  # by the store's time it is in time
        assert scenes.bit_of(store, decision) == 1
