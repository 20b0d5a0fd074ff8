"""Plans: chances that add up, and propensities that are the real frequencies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.live import scenes

import hush
import hush.live
from hush.live.planning import Arms, Knobs, Plan
from hush.live.terms import Terms
from hush.privacy import Release

TERMS = Terms.from_dict(
    {
        "policy": {"policy": "NoiseAwareTS"}, "person_epsilon": 1.0, "person_bound": 1,
        "window": 1, "default": 0.0, "reward_range": [0.0, 1.0], "population": "default",
        "segments": [""], "tick": 1, "grace": 1, "max_age": None,
    }
)  # fmt: skip


def plan(knobs=Knobs(), retired=(), values=(6.0, 9.0, 7.0)):  # noqa: B008
    made = Plan(TERMS, Arms(("a", "b", "c"), frozenset(retired)), knobs, 0)
    for place, arm in enumerate(made._active):
        made._side.absorb(Release(place, 0, 16, values[arm], "noisy-sum", 1.0))
    return made


knobs = st.builds(
    Knobs, st.integers(0, 2), st.floats(0.0, 1.0), st.floats(0.0, 0.33, allow_nan=False)
)


@given(knobs, st.integers(1, 10**6))
def test_chances_add_up_and_keep_the_floor(knobs, t):
    made = plan(knobs)
    chances = made.chances(t)
    assert sum(chances) == pytest.approx(1.0, abs=1e-9)
    assert min(chances) >= knobs.floor - 1e-12
    share = knobs.floor + (1 - 3 * knobs.floor) * knobs.control_share
    assert chances[knobs.control] >= share - 1e-12


@pytest.mark.parametrize(
    "knobs", [Knobs(), Knobs(1, 0.3, 0.0), Knobs(0, 0.0, 0.2), Knobs(2, 0.25, 0.1)], ids=str
)
@pytest.mark.parametrize("deferred", [False, True])
def test_propensities_are_the_real_frequencies(knobs, deferred):
    """Chi-square of 6,000 draws below 30 with two degrees: a false alarm in 3 * 10^6."""
    made, generator = plan(knobs), np.random.default_rng(7)
    draw = made.draw if deferred else made.choose
    drawn = [draw(50, generator) for _ in range(6_000)]
    chances = np.array(made.chances(50))
    counts = np.bincount([arm for arm, *_ in drawn], minlength=3)
    assert ((counts - 6_000 * chances) ** 2 / (6_000 * chances)).sum() < 30
    for arm, chance, odds in drawn[:200]:
        assert chance == odds[arm] == pytest.approx(chances[arm], abs=1e-9)


def test_a_store_serves_with_the_propensities_it_says():
    """The sum of 1/propensity over shows of an arm is the number of rounds: within 6 deviations."""
    with scenes.in_memory() as store:
        experiment = scenes.made(store, control="new", control_share=0.3, floor=0.1)
        shown = [experiment.decide(f"u{n}") for n in range(1_500)]
        for arm in (0, 1):
            weights = [1 / each.propensity for each in shown if each.arm == arm]
            spread = sum(weight * (weight - 1) for weight in weights) ** 0.5
            assert abs(sum(weights) - 1_500) < 6 * spread
        assert min(each.propensity for each in shown) >= 0.1


def test_a_retired_arm_has_no_chance():
    made = plan(Knobs(0, 0.2, 0.1), retired=[1])
    assert made.chances(9)[1] == 0.0
    assert sum(made.chances(9)) == pytest.approx(1.0)
    generator = np.random.default_rng(1)
    assert {made.choose(t, generator)[0] for t in range(1, 200)} == {0, 2}
    assert made.statistics[1] == (0.0, 0.0)
    alone = plan(retired=[1, 2])
    assert alone.choose(1, generator) == (0, 1.0, None)


def test_a_share_of_one_is_the_control_arm_alone():
    made, generator = plan(Knobs(2, 1.0, 0.0)), np.random.default_rng(1)
    assert {made.choose(t, generator) for t in range(1, 100)} == {(2, 1.0, None)}


def test_only_its_own_segments_releases_count():
    with scenes.in_memory(clock := hush.live.ManualClock()) as store:
        experiment = scenes.made(store, segments=["de", "fr"], max_age="1m")
        scenes.visits(experiment, 20, segment="de")
        scenes.pass_by(store, clock, "65m", step="5m")
        counts = {
            name: sum(arm["count"] for arm in body["arms"])
            for name, body in experiment.plans.items()
        }
        assert counts == {"de": 20.0, "fr": 0.0}
        assert {each.segment for each in experiment.releases} == {"de"}


def test_arms_are_read_as_they_were_written():
    import json

    arms = Arms(("a", "b", "c"), frozenset({1}))
    assert Arms.from_text(json.dumps(arms.to_list())) == arms
    assert arms.active == [0, 2]
    assert hush.live.planning.Knobs() == Knobs()
