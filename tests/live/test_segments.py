"""What a process remembers: never stale, never told the same release twice."""

from dataclasses import asdict

import pytest
from tests.live import scenes

import hush
import hush.live


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def two(tmp_path, clock):
    """Two stores on the same files: what two processes have."""
    with (
        scenes.opened(tmp_path / "x.db", clock, seed=1) as one,
        scenes.opened(tmp_path / "x.db", clock, seed=2) as two,
    ):
        yield one, two


def released(store, experiment, clock):
    """Bring some releases about."""
    for n in range(40):
        experiment.decide(f"v{n}-{clock.wall()}")
    scenes.pass_by(store, clock, "70m", step="10m")


def test_a_release_that_comes_between_two_reads_is_told_once(two, clock):
    """Publishing reads without a transaction: the other process shows a release meanwhile."""
    one, other = two
    mine = scenes.made(one, max_age="1m")
    for n in range(40):
        mine.decide(f"u{n}")
    clock.advance("61m")
    other.settle()  # sealed
    clock.advance("1m")
    mine.pause()

    def show(statement):
        if "FROM journal" in statement and "kind IN" in statement:
            one._private.probe = None
            other.settle()

    one._private.probe = show
    mine.resume()  # its plan looks for releases
    assert one._private.probe is None
    mine.decide("u50")
    segment = one._memory.segment(one._memory.now(1), 0)
    counts = [count for count, _ in segment.plan.statistics]
    assert sum(counts) == sum(each.count for each in mine.releases) > 0


def test_one_pauses_and_the_other_serves_the_control_arm(two):
    one, other = two
    mine, theirs = scenes.made(one, control="new"), None
    theirs = other.experiment("checkout")
    assert theirs.decide("u1").plan == mine.decide("u2").plan
    mine.pause()
    served = [theirs.decide(f"w{n}") for n in range(5)]
    assert {each.name for each in served} == {"new"}
    assert scenes.learnt(other) == 2
    theirs.resume()
    mine.decide("u3")
    assert scenes.learnt(one) == 3


def test_one_settles_and_the_others_plan_moves(two, clock):
    one, other = two
    mine = scenes.made(one, max_age="1m")
    theirs = other.experiment("checkout")
    before = theirs.decide("u0")
    released(one, mine, clock)
    after = theirs.decide("u0")
    assert after.plan > before.plan
    assert theirs.releases == mine.releases
    assert theirs.plan == mine.plan
    known = [store._memory.segment(store._memory.now(1), 0) for store in two]
    assert known[0].plan.statistics == known[1].plan.statistics
    assert known[0].plan.chances(100) == known[1].plan.chances(100)
    assert known[0].lanes == known[1].lanes
    assert sum(known[0].plan.statistics[arm][0] for arm in (0, 1)) > 0


def test_the_bound_holds_across_both(two):
    one, other = two
    mine, theirs = scenes.made(one, person_bound=3), other.experiment("checkout")
    for _ in range(5):
        mine.decide("u1")
        theirs.decide("u1")
    assert scenes.learnt(one) == 3


def test_an_arm_that_one_adds_is_shown_by_the_other(two):
    one, other = two
    mine, theirs = scenes.made(one), other.experiment("checkout")
    theirs.decide("u0")
    mine.add_arm("newer")
    assert {theirs.decide(f"u{n}").name for n in range(1, 4)} >= {"newer"}
    assert theirs.arms == ("old", "new", "newer")
    mine.retire_arm("newer")
    assert "newer" not in {theirs.decide(f"w{n}").name for n in range(9)}
    assert theirs.retired == ("newer",)


def test_nothing_is_remembered_of_a_decision_that_failed(two):
    """The plan in memory is not ahead of the database."""
    one, _ = two
    mine = scenes.made(one)
    first = [mine.decide(f"u{n}").arm for n in range(2)]
    state = [asdict(lane) for lane in one._memory.segment(one._memory.now(1), 0).lanes]

    def fail(statement):
        if statement == "COMMIT":
            raise RuntimeError

    one._private.probe = fail
    with pytest.raises(RuntimeError):
        mine.decide("u9")
    one._private.probe = None
    one._memory.look()
    segment = one._memory.segment(one._memory.experiment(1), 0)
    assert [asdict(lane) for lane in segment.lanes] == state
    assert sorted(first) == [0, 1]
    assert mine.decide("u9").arm == 0  # the arm whose turn it was
    assert scenes.learnt(one) == 3


def test_an_experiment_that_is_not_there_is_named_so(two):
    one, _ = two
    with pytest.raises(hush.errors.NoDecisionError, match="not in the store"):
        one._memory.now(99)
    with pytest.raises(hush.HushError, match="unknown experiment"):
        one.experiment("nobody")


def test_memory_is_bounded(two, monkeypatch):
    one, _ = two
    monkeypatch.setattr(hush.live.segments, "MOST_KNOWN", 3)
    names = [scenes.made(one, f"e{n}").name for n in range(6)]
    for name in names:
        one.experiment(name).decide("u1")
    assert len(one._memory._known) == 3
    assert [one.experiment(name).state for name in names] == ["running"] * 6
