"""Insight: what is shown of an experiment, in its own units, from the public store alone."""

import numpy as np
import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import ParameterError
from hush.live.connecting import connect
from hush.live.knowing import Insights
from hush.live.reading import Records
from hush.numerics.given_releases import posterior_of


@pytest.fixture
def clock():
    return hush.live.ManualClock()


def played(store, clock, rounds=300, means=(0.2, 0.7), **given):
    """Let people come, one a minute, whose rewards have these means."""
    low, high = given.get("reward_range", (0.0, 1.0))
    experiment = scenes.made(store, **{"person_bound": 1, **given})
    generator = np.random.default_rng(5)
    for n in range(rounds):
        made = experiment.decide(f"{experiment.name}{n}")
        experiment.reward(made, high if generator.random() < means[made.arm] else low)
        clock.advance("1m")
        store.settle()
    return experiment


def test_an_arm_is_shown_with_what_is_believed_of_it(clock):
    with scenes.in_memory(clock) as store:
        experiment = played(store, clock)
        known = experiment.insight[""]
        prior = hush.NoiseAwareTS(epsilon=1.0).belief
        for number, arm in enumerate(known.arms):
            mine = [each for each in experiment.releases if each.arm == number]
            told = tuple((each.count, float(each.value)) for each in mine)
            exact = posterior_of(experiment.terms.epsilon, prior, told)
            assert exact.below(np.array(arm.interval)) == pytest.approx([0.025, 0.975], abs=1e-6)
            assert (arm.counted, arm.releases) == (sum(e.count for e in mine), len(mine))
            assert arm.mean == pytest.approx(sum(e.value for e in mine) / arm.counted)
            assert arm.counted <= arm.learnt <= arm.served
        assert sum(arm.best for arm in known.arms) == pytest.approx(1.0)
        assert known.unlearnt == 0.0
        assert [moment.seq for moment in known.history] == [e.seq for e in experiment.releases]
        assert known.history[-1].best == {arm.name: arm.best for arm in known.arms}
        chances = {arm["name"]: arm["chance"] for arm in experiment.plan["arms"]}
        assert known.history[-1].plan == pytest.approx(chances, abs=1e-6)


def test_rewards_are_shown_in_their_own_units(clock):
    with scenes.in_memory(clock) as store:
        plain = played(store, clock, 150, name="plain").insight[""].arms[1]
    with scenes.in_memory(hush.live.ManualClock()) as store:
        scaled = played(
            store, store._clock._clock, 150, name="plain", reward_range=(-10.0, 40.0), default=-10
        ).insight[""].arms[1]  # fmt: skip
    assert scaled.counted == plain.counted
    assert scaled.mean == pytest.approx(50.0 * plain.mean - 10.0)
    assert scaled.interval == pytest.approx(tuple(50.0 * end - 10.0 for end in plain.interval))


def test_the_unlearnt_share_is_of_all_decisions(clock):
    with scenes.in_memory(clock) as store:
        experiment = scenes.made(store, person_bound=1)
        assert experiment.insight[""].unlearnt is None
        for _ in range(4):
            experiment.decide("u1")
        store.settle()
        assert experiment.insight[""].unlearnt == 0.75


def test_every_segment_has_its_own(clock):
    with scenes.in_memory(clock) as store:
        experiment = scenes.made(store, segments=["de", "fr"])
        for n in range(60):
            experiment.decide(f"u{n}", segment="de")
        scenes.pass_by(store, clock, "2h", step="10m")
        known = experiment.insight
        assert list(known) == ["de", "fr"]
        assert known["de"].history
        assert not known["fr"].history
        assert repr(known["fr"]).startswith("<insight of fr: 2 arms, 0 releases; no arm leads")


def test_the_public_half_is_enough(tmp_path, clock):
    with scenes.opened(tmp_path / "x.db", clock) as store:
        experiment = played(store, clock, 150)
        number, shown = experiment._id, experiment.insight
    for each in tmp_path.glob("*private*"):
        each.unlink()
    public = connect(tmp_path / "x.db")
    alone = Insights(Records(public)).of(number, now=store._clock.now())
    public.close()
    assert alone == shown


def test_nothing_changes_by_looking(clock):
    with scenes.in_memory(clock) as store:
        experiment = played(store, clock, 100)
        before = scenes.dump(store)
        first = experiment.insight
        assert experiment.insight == first
        assert scenes.dump(store) == before


def test_a_store_that_was_set_back_is_read_anew(clock):
    with scenes.in_memory(clock) as store:
        experiment = played(store, clock, 150)
        insights = Insights(store._records)
        whole = insights.of(experiment._id)
        insights._stories[experiment._id].seq += 1_000
        assert insights.of(experiment._id) == whole


@pytest.mark.parametrize("delta", [0.0, 0.6, -1.0, float("nan"), "0.05", True, None])
def test_a_delta_that_is_none_is_refused(delta):
    with scenes.in_memory() as store:
        experiment = scenes.made(store)
        with pytest.raises(ParameterError, match="delta must be a number above 0"):
            store._insights.of(experiment._id, delta=delta)


def test_pages_need_nothing_else_and_hold_names_as_text(clock):
    with scenes.in_memory(clock) as store:
        experiment = played(store, clock, 100)
        for page in (experiment._repr_html_(), experiment.releases[0]._repr_html_()):
            assert page.startswith("<")
            assert "<script" not in page
            assert "http" not in page
        page = experiment._repr_html_()
        assert "95 % interval" in page
        assert "Sample ratio" in page
        assert "old" in page
        release = experiment.releases[0]
        assert repr(release).startswith(f"<release 0 of {release.name}: {release.count} decisions")
        experiment.retire_arm("new")
        assert "new (retired)" in experiment.insight[""]._repr_html_()
