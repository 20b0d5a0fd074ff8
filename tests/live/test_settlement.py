"""Settlement: when batches close, are summed, sealed and shown; once each, by the clock alone."""

import pytest
from tests.live import scenes

import hush
import hush.live


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


@pytest.mark.parametrize("step", ["_close", "_fold", "_fold_closed", "_seal", "_show"])
def test_a_thread_that_decides_between_two_steps_meets_lanes_as_they_are(
    store, clock, step, monkeypatch
):
    """Of one process: nothing else tells it that its own settlement has written."""
    age = "2m" if step == "_close" else "10m"
    terms = {"window": "5m", "max_age": age, "default": 1, "person_epsilon": 1e3}
    experiment = scenes.made(store, **terms)
    people = iter(range(10_000))
    take = getattr(store._settlement, step)

    def visit():
        for _ in range(3):
            experiment.decide(f"u{next(people)}")

    def take_and_visit(now):
        did = take(now)
        if did:
            visit()
        return did

    monkeypatch.setattr(store._settlement, step, take_and_visit)
    for _ in range(30):
        clock.advance("1m")
        visit()  # now it remembers lanes
        store.settle()
    asked = next(people)
    assert asked > 30 * 3
    monkeypatch.undo()
    experiment.stop()
    scenes.pass_by(store, clock, "70m")
    assert sum(each.count for each in experiment.releases) == asked
    counted = sum(each.value for each in experiment.releases)
    assert counted == pytest.approx(asked, abs=1)
    assert experiment.state == "stopped"


def counted(store):
    """Return how many rows are pending, batches closed, releases sealed."""
    return [
        scenes.rows(store, f"SELECT count(*) FROM {table}")[0][0]
        for table in ("pending", "batches", "sealed")
    ]


def test_when_exactly_a_batch_settles_and_is_shown(store, clock):
    """The deadline is at 1 h; with a grace of 5 s it is due at 61 min, and shown at 62 min."""
    experiment = scenes.made(store, max_age="2m")
    scenes.visits(experiment, 4)
    store.settle()
    assert counted(store) == [4, 0, 0]
    clock.advance("119.999s")
    store.settle()
    assert counted(store) == [4, 0, 0]
    clock.advance("1ms")
    store.settle()
    assert counted(store) == [4, 2, 0]
    clock.advance("58m")
    store.settle()
    assert counted(store) == [4, 2, 0]
    clock.advance("59.999s")
    store.settle()
    assert counted(store) == [4, 2, 0]
    clock.advance("1ms")
    store.settle()
    assert counted(store) == [0, 0, 2]
    assert experiment.releases == ()
    before = experiment.plan
    clock.advance("59.999s")
    store.settle()
    assert experiment.releases == ()
    assert experiment.decide("w1").plan == before["version"]
    clock.advance("1ms")
    store.settle()
    assert len(experiment.releases) == 2
    assert {each.at.minute for each in experiment.releases} == {2}
    assert experiment.plan["version"] > before["version"]


def test_a_settler_that_is_late_shows_with_the_time_that_was_set(store, clock):
    experiment = scenes.made(store, max_age="2m")
    scenes.visits(experiment, 4)
    for _ in range(2):
        clock.advance("5h")
        store.settle()
    assert {each.at.isoformat() for each in experiment.releases} == {"2026-01-01T01:02:00+00:00"}


def test_a_full_batch_waits_for_its_last_deadline(store, clock):
    experiment = scenes.made(store, person_epsilon=1e4)  # batches of one
    experiment.decide("u1")
    assert counted(store) == [1, 1, 0]
    scenes.pass_by(store, clock, "60m")
    assert counted(store) == [1, 1, 0]
    scenes.pass_by(store, clock, "1m")
    assert counted(store) == [0, 0, 1]


def test_a_batch_without_an_age_stays_open_and_its_rows_live_one_window(store, clock):
    experiment = scenes.made(store)
    for n in range(3):
        experiment.reward(experiment.decide(f"u{n}"), 1)
        clock.advance("30m")
        store.settle()
    scenes.pass_by(store, clock, "1h")
    assert counted(store) == [0, 0, 0]
    lanes = scenes.rows(store, 'SELECT sum("count"), sum("sum"), sum(passed) FROM lanes')
    assert lanes == [(3, 3, 3)]
    experiment.stop()
    scenes.pass_by(store, clock, "3m")
    assert sum(each.count for each in experiment.releases) == 3
    assert experiment.state == "stopped"


def test_without_a_tick_a_batch_settles_at_once(store, clock):
    experiment = scenes.made(store, window=0, tick=0, grace=0, person_epsilon=1e4)
    decision = experiment.decide("u1")
    experiment.reward(decision, 1)
    clock.advance("1ms")
    store.settle()
    (release,) = experiment.releases
    assert release.value == pytest.approx(1, abs=0.1)


def test_a_release_is_what_was_drawn_for_it(clock):
    """A noise source of one script: value and all, once for each batch."""
    with scenes.in_memory(clock, noise=hush.ScriptedNoise([7, 8])) as store:
        experiment = scenes.made(store, max_age="2m")
        scenes.visits(experiment, 4)
        scenes.pass_by(store, clock, "65m", step="5m")
        assert sorted(each.value for each in experiment.releases) == [7, 8]
        assert {each.epsilon for each in experiment.releases} == {0.25}
        assert store._settlement._noise.remaining == 0


def test_two_settlers_draw_once(tmp_path, clock):
    with (
        scenes.opened(tmp_path / "x.db", clock, seed=1) as one,
        scenes.opened(tmp_path / "x.db", clock, seed=2) as two,
    ):
        experiment = scenes.made(one, max_age="2m")
        scenes.visits(experiment, 4)
        clock.advance("70m")
        one._settlement._close(clock.wall())

        def both(statement):
            if statement.startswith("SELECT batch, experiment, segment"):
                one._private.probe = None
                raise InterruptedError  # it has drawn, and is not faster

        one._private.probe = both
        with pytest.raises(InterruptedError):
            one.settle()
        two.settle()
        sealed = scenes.rows(one, "SELECT * FROM sealed")
        one.settle()
        clock.advance("1m")
        one.settle()
        assert len(sealed) in (0, 2)
        assert len(experiment.releases) == 2
        assert len({(each.arm, each.epoch) for each in experiment.releases}) == 2


def test_nothing_is_left_of_what_was_summed(tmp_path, clock):
    path = tmp_path / "x.db"
    with scenes.opened(path, clock) as store:
        experiment = scenes.made(store, max_age="2m", person_bound=1)
        scenes.visits(experiment, 30)
        assert len(store._keys.person("default", "u1")) == 16
        hashes = [store._keys.person("default", f"u{n}") for n in range(30)]
        scenes.pass_by(store, clock, "65m", step="5m")
        assert counted(store) == [0, 0, 0]
        files = b"".join(each.read_bytes() for each in tmp_path.glob("x.private.db*"))
        # The count of each person stays, and nothing else of her.
        assert all(files.count(each) <= 2 for each in hashes)


def test_an_experiment_that_stops_costs_no_transaction_while_it_waits(store, clock):
    experiments = [scenes.made(store, f"e{n}", population=f"p{n}") for n in range(5)]
    for experiment in experiments:
        experiment.decide("u1")
        experiment.stop()
    store.settle()
    commits = []
    store._private.probe = lambda s: commits.append(s) if s == "COMMIT" else None
    store.settle()
    store._private.probe = None
    assert len(commits) < 7
    scenes.pass_by(store, clock, "62m")
    assert {each.state for each in experiments} == {"stopped"}
    assert all(each.acts[-1]["act"] == "stopped" for each in experiments)


def test_what_nothing_was_due_of_is_still_believed(store, clock):
    """Else every tick would have every experiment read again."""
    due = scenes.made(store, name="due", policy="LazyDPTS", window="1m")
    other = scenes.made(store, name="other", policy="LazyDPTS", window="1d")
    for n in range(4):
        due.decide(f"u{n}")
        other.decide(f"u{n}")
    clock.advance("10m")
    store.settle()
    assert due.releases
    reads = []
    store._private.probe = reads.append
    other.decide("v")
    assert not [each for each in reads if "FROM experiments" in each or "FROM lanes" in each]
    store._private.probe = None
