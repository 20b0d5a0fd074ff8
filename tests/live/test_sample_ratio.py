"""The sample-ratio test: it finds arms that get lost, and raises few false alarms."""

import numpy as np
import pytest
from tests.live import scenes

import hush.live
from hush.live.sample_ratio import ALLOWED, GRID, LEVEL, sample_ratio


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


def explored(store, clock, **given):
    """Return an experiment whose arms have releases, so that decisions are left to chance."""
    experiment = scenes.made(store, **given)
    for n in range(80):
        experiment.reward(experiment.decide(f"early{n}"), n % 2)
    scenes.pass_by(store, clock, "2h", step="5m")
    assert all(arm["count"] for arm in experiment.plan["arms"])
    return experiment


def columns(experiment):
    return [
        [each[name] for each in experiment.tallies] for name in ("firsts", "expected", "spread")
    ]


def p_values(off, spread):
    """Return the p-values of many runs at once, of two arms with the same difference."""
    logs = np.concatenate(
        [sign * GRID[:, None] * off - ALLOWED[:, None] * spread for sign in (1.0, -1.0)]
    )
    return np.exp(-np.maximum(np.logaddexp.reduce(logs) - np.log(len(logs)), 0.0))


@pytest.mark.parametrize("adaptive", [False, True])
def test_false_alarms_are_rare_however_often_one_looks(adaptive):
    """3,000 runs of 2,000 people, a look after every ten: at most 5 % ever fall below 5 %.

    The adaptive chances follow what was shown before, as badly as can be: a z-test that is looked
    at as often alarms in more than a tenth of the runs. With a true share of 5 %, more than 190
    alarms (6.5 %) have a chance of 1e-4; the seed is fixed.
    """
    generator = np.random.default_rng(11)
    runs = 3_000
    off, spread, least = np.zeros(runs), np.zeros(runs), np.ones(runs)
    z_alarms = np.zeros(runs, dtype=bool)
    for n in range(1, 2_001):
        chance = np.where(off > 0.0, 0.05, 0.5) if adaptive else np.full(runs, 0.5)
        off += (generator.random(runs) < chance) - chance
        spread += chance * (1.0 - chance)
        if n % 10 == 0:
            least = np.minimum(least, p_values(off, spread))
            z_alarms |= np.abs(off) > 2.576 * np.sqrt(spread)
    assert (least < 0.05).sum() <= 190
    assert (least < LEVEL).sum() <= 50
    assert z_alarms.sum() > 300


def test_p_values_of_many_are_those_of_one():
    for off, spread in ((10.0, 20.0), (-80.0, 400.0), (0.0, 1.0)):
        one = sample_ratio([("a", int(100 + off), 100.0, spread), ("b", 100, 100 + off, spread)])
        assert one.p_value == pytest.approx(p_values(off, spread).item(), rel=1e-9)


def test_an_arm_that_gets_lost_is_found():
    rows = [("old", 5_000, 5_500.0, 2_500.0), ("new", 6_000, 5_500.0, 2_500.0)]
    found = sample_ratio(rows)
    assert found.mismatch
    assert found.p_value < 1e-9
    assert "old was the first for 5,000 people, and 5,500 were expected" in found.verdict
    assert [round(each.z, 1) for each in found.arms] == [-10.0, 10.0]


def test_a_clear_mismatch_is_found_at_any_size():
    for size in (100, 10_000, 10**9):
        spread = size / 4
        rows = [(name, int(size / 2 + s * 6 * spread**0.5), size / 2, spread) for name, s in
                (("a", 1), ("b", -1))]  # fmt: skip
        assert sample_ratio(rows).mismatch


def test_rows_hold_names_as_text():
    page = sample_ratio([("<b>", 4, 5.0, 2.5), ("b", 6, 5.0, 2.5)])._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<script" not in page
    assert repr(sample_ratio([])).startswith("<sample ratio: no first decision")


def test_first_decisions_are_counted_once_a_person(store, clock):
    experiment = explored(store, clock, person_bound=4)
    before, *_ = columns(experiment)
    for _ in range(3):
        for n in range(50):
            experiment.decide(f"u{n}")
    experiment.decide_many([{"person": f"v{n // 2}"} for n in range(40)])
    store.settle()
    firsts, expected, spread = columns(experiment)
    assert sum(firsts) - sum(before) == 50 + 20
    assert sum(expected) == pytest.approx(sum(firsts))
    assert 0.0 < sum(spread) < sum(expected)
    assert not experiment.insight[""].ratio.mismatch


def test_what_is_sure_or_not_learnt_is_not_in_the_test(store, clock):
    experiment = scenes.made(store)
    experiment.decide("u1")  # every arm is explored in turn: nothing is left to chance
    store.settle()
    assert columns(experiment)[0] == [0]
    paused = explored(store, clock, name="paused")
    before = columns(paused)
    paused.pause()
    paused.decide("u1")
    store.settle()
    assert columns(paused) == before


def test_an_index_policy_leaves_nothing_to_chance(store, clock):
    experiment = explored(store, clock, policy="AnytimeLazyUCB")
    assert experiment.insight[""].ratio.p_value is None


@pytest.mark.parametrize("policy", ["NoiseAwareTS", "LazyDPTS"])
def test_chances_that_were_said_are_those_that_are_expected(store, clock, policy):
    experiment = explored(store, clock, policy=policy, floor=0.1)
    _, before, _ = columns(experiment)
    made = [experiment.decide(f"u{n}") for n in range(200)]
    store.settle()
    _, expected, _ = columns(experiment)
    grown = [after - one for after, one in zip(expected, before, strict=True)]
    # By the other arm's chance, too: there are two.
    for arm in (0, 1):
        said = sum(d.propensity if d.arm == arm else 1.0 - d.propensity for d in made)
        assert grown[arm] == pytest.approx(said, rel=1e-6)


@pytest.mark.untraced
def test_an_arm_whose_deferred_decisions_are_never_activated_is_found(store, clock):
    experiment = explored(store, clock, floor=0.4)
    for n in range(400):
        planned = experiment.decide(f"u{n}", defer=True)
        if planned.arm == 0 or n % 3:
            experiment.activate(planned, person=f"u{n}")
    store.settle()
    fair = experiment.insight[""].ratio
    assert sum(each.firsts for each in fair.arms) > 250
    for n in range(400, 1_200):
        planned = experiment.decide(f"u{n}", defer=True)
        if planned.arm == 0:
            experiment.activate(planned, person=f"u{n}")
    store.settle()
    assert experiment.insight[""].ratio.mismatch
    assert experiment.insight[""].ratio.arms[1].z < -5.0


def test_deferred_decisions_of_a_plan_with_an_arm_that_was_retired_do_not_count(store, clock):
    experiment = explored(store, clock, arms=["a", "b", "c"], floor=0.2)
    planned = [experiment.decide(f"u{n}", defer=True) for n in range(30)]
    before = columns(experiment)
    experiment.retire_arm("c")
    for n, each in enumerate(planned):
        experiment.activate(each, person=f"u{n}")
    store.settle()
    assert columns(experiment) == before


def test_first_decisions_reach_the_lanes_without_a_settlement_by_this_process(tmp_path, clock):
    """Others may settle: those who only decide write them now and then, and when they end."""
    with hush.live.open(tmp_path / "x.db", clock=clock) as store:
        experiment = explored(store, clock, floor=0.2)
        seen = columns(experiment)[0]
        for n in range(40):
            experiment.decide(f"u{n}")
        clock.advance(60)
        experiment.decide("v")
        with hush.live.open(tmp_path / "x.db", clock=clock) as settling:
            settling.settle()
            now_and_then = columns(settling.experiment(experiment.name))[0]
        assert sum(now_and_then) == sum(seen) + 41
        experiment.decide("w")
    with hush.live.open(tmp_path / "x.db", clock=clock) as settling:
        settling.settle()
        assert sum(columns(settling.experiment(experiment.name))[0]) == sum(seen) + 42
