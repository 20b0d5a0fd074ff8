"""Rehearsals: everything raw in sight, and nothing of it in the live stores."""

import pytest

import hush
import hush.live


def draft(store, **terms):
    options = {"policy": "LazyDPTS", "arms": ["old", "new"], "person_epsilon": 1.0, "window": "1d"}
    return store.create("checkout", **{**options, **terms})


def test_it_is_an_act_and_a_state():
    store = hush.live.open(":memory:")
    exp = draft(store)
    with pytest.raises(hush.LifecycleError, match="is draft: no rehearsal is under way"):
        _ = exp.rehearsal
    exp.rehearse(by="Ada")
    assert exp.state == "rehearsal"
    assert [(act["act"], act["by"]) for act in exp.acts] == [("rehearse", "Ada")]


def test_true_sums_stand_beside_noisy_ones():
    exp = draft(hush.live.open(":memory:"), person_bound=3, segments=["phone", "desktop"])
    rehearsal = exp.rehearse()
    given = {}
    for n in range(300):
        segment = ("phone", "desktop")[n % 2]
        decision = rehearsal.decide(f"hush_test_{n % 120}", segment=segment)
        rehearsal.reward(decision, int(n % 3 == 0))
        given[segment, decision.name] = given.get((segment, decision.name), 0) + (n % 3 == 0)
        if n == 150:
            rehearsal.advance("30h")
    waiting = rehearsal.pending
    assert waiting
    assert {bit["bit"] for bit in waiting} == {0, 1}
    rehearsal.advance("2d")
    assert rehearsal.pending == []
    rows = rehearsal.released
    assert len(rows) == len(rehearsal.releases) > 8
    for (segment, arm), expected in given.items():
        released = [r for r in rows if (r["segment"], r["arm"]) == (segment, arm)]
        running = [b for b in rehearsal.batches if (b["segment"], b["arm"]) == (segment, arm)]
        total = sum(r["true_sum"] for r in released) + sum(b["sum"] for b in running)
        assert total == expected
        assert all(r["true_sum"] <= r["count"] for r in released)
        assert [r["epoch"] for r in released] == list(range(len(released)))
    assert any(row["true_sum"] != row["noisy_sum"] for row in rows)  # missed by chance: 2e-6


def test_people_are_made_up_there_and_nowhere_else():
    exp = draft(hush.live.open(":memory:"))
    rehearsal = exp.rehearse()
    with pytest.raises(hush.ParameterError, match="name them hush_test_"):
        rehearsal.decide("u17")
    exp.start()
    with pytest.raises(hush.ParameterError, match="are for rehearsals"):
        exp.decide("hush_test_1")


def test_its_ids_die_at_the_start(tmp_path):
    with hush.live.open(tmp_path / "experiments.db") as store:
        exp = draft(store)
        rehearsal = exp.rehearse()
        decision = rehearsal.decide("hush_test_1")
        deferred = rehearsal.decide("hush_test_2", defer=True)
        exp.start()
        assert exp.decide("u17").plan >= decision.plan
        with pytest.raises(hush.NoDecisionError):
            exp.reward(decision, 1)
        with pytest.raises(hush.NoDecisionError):
            store.reward(decision, 1)
        with pytest.raises(hush.NoDecisionError):
            exp.activate(deferred, person="u17")
        with pytest.raises(hush.LifecycleError, match="is running: no rehearsal"):
            _ = exp.rehearsal


def test_constant_entropy_does_not_give_it_the_stores_secret():
    exp = draft(hush.live.open(":memory:", entropy=bytes))
    decision = exp.rehearse().decide("hush_test_1")
    exp.start()
    with pytest.raises(hush.NoDecisionError):
        exp.reward(decision, 1)


def test_nothing_of_it_reaches_the_live_stores(tmp_path):
    path = tmp_path / "experiments.db"
    with hush.live.open(path) as store:
        exp = draft(store)
        rehearsal = exp.rehearse()
        before = store._public.run("SELECT count(*) FROM journal")
        for n in range(50):
            rehearsal.reward(rehearsal.decide(f"hush_test_{n}"), 1)
        rehearsal.advance("2d")
        store.settle()
        assert len(rehearsal.released) > 3
        for table in ("pending", "people", "replies", "batches", "sealed", "lanes"):
            assert store._private.run(f"SELECT count(*) FROM {table}") == [(0,)]
        assert store._public.run("SELECT count(*) FROM journal") == before
        assert exp.releases == ()
        assert store.ledger()["total"] == 0.0
    # After a restart of the process it begins empty.
    with hush.live.open(path) as store:
        exp = store.experiment("checkout")
        assert exp.state == "rehearsal"
        assert exp.rehearsal.releases == ()
        assert exp.rehearsal is exp.rehearsal


def test_it_has_the_drafts_terms_arms_and_knobs():
    exp = draft(hush.live.open(":memory:"), arms=["a", "b", "c"], floor=0.2, person_bound=3)
    exp.retire_arm("b")
    rehearsal = exp.rehearse()
    assert rehearsal.terms == exp.terms
    assert rehearsal.retired == ("b",)
    assert rehearsal._known.knobs == exp._known.knobs
    first = [rehearsal]
    exp.add_arm("d")
    assert exp.rehearse() is not first[0]  # begun anew, with the new arm
    assert exp.rehearsal.arms == ("a", "b", "c", "d")


def test_another_clock_moves_by_itself():
    clock = hush.live.ManualClock(0)
    exp = draft(hush.live.open(":memory:"))

    class Other:
        wall, boot = clock.wall, clock.boot

    rehearsal = exp.rehearse(clock=Other())
    rehearsal.reward(rehearsal.decide("hush_test_1"), 1)
    with pytest.raises(hush.ParameterError, match="moved by itself"):
        rehearsal.advance("1d")
    clock.advance("2d")
    rehearsal.settle()
    assert [row["true_sum"] for row in rehearsal.released] == [1]


def test_its_noise_is_secure():
    live = hush.live.open(":memory:", noise=hush.SeededNoise(1))
    assert draft(live).rehearse()._store.secure
