import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hush.live
from hush.dashboard.leaders import chances, estimate, leader

NUMBERS = st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(1e-3, 3.0)), min_size=2, max_size=6)


@given(NUMBERS)
def test_chances_add_up_and_none_is_negative(given_):
    found = chances(*zip(*given_, strict=True))
    assert sum(found) == pytest.approx(1.0)
    assert min(found) >= 0.0


@pytest.mark.parametrize("seed", range(5))
def test_chances_are_those_of_draws(seed):
    """200,000 draws; off by over five standard errors once in 10^5 tests of 20 arms."""
    draw = np.random.default_rng(seed)
    means, deviations = draw.random(4), draw.uniform(0.01, 0.5, 4)
    best = draw.normal(means, deviations, (200_000, 4)).argmax(axis=1)
    shares = np.bincount(best, minlength=4) / 200_000
    assert chances(means, deviations) == pytest.approx(shares, abs=5 * 0.5 / 447)


def released(arm, *pairs, segment=0):
    return [{"segment": segment, "arm": arm, "count": n, "value": v} for n, v in pairs]


TWO = {0: "a", 1: "b"}


def test_nobody_leads_before_a_release():
    assert leader([], TWO, 1.0) is None


def test_more_noise_means_less_certainty():
    known = released(0, (50, 10.0)) + released(1, (50, 25.0))
    sure = [leader(known, TWO, epsilon)[1] for epsilon in (0.01, 0.1, 0.5, 2.0)]
    assert sure == sorted(sure)
    assert sure[0] < 0.6
    assert sure[-1] > 0.98


def test_retired_arms_do_not_lead_and_the_largest_segment_counts():
    small = released(0, (1, 1.0)) + released(1, (1, 0.0))
    large = [
        each
        for arm, value in enumerate((5.0, 90.0, 50.0))
        for each in released(arm, (100, value), segment=1)
    ]
    assert leader(small + large, {0: "a", 2: "c"}, 1.0)[0] == "c"


def test_small_releases_that_are_nothing_but_noise_hardly_count():
    """One of a thousand decisions is not drowned by fifty of one each."""
    many = [(1, 5.0 if n % 2 else -4.0) for n in range(50)]
    mean, deviation = estimate([(1_000, 300.0), *many], 0.1)
    assert mean == pytest.approx(0.3, abs=0.02)
    assert deviation < 0.03


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_is_close_to_what_the_page_says(seed):
    """The list shows about what the page shows: within a tenth."""
    clock = hush.live.ManualClock()
    store = hush.live.open(":memory:", clock=clock, noise=hush.SeededNoise(seed))
    exp = store.create(
        "e", policy="NoiseAwareTS", arms=["a", "b", "c"], person_epsilon=1.0, window="1h"
    )
    exp.start()
    draw = np.random.default_rng(seed)
    for step in range(8):
        made = exp.decide_many([{"person": f"{step}-{n}"} for n in range(100)])
        exp.reward_many([(d.id, int(draw.random() < (0.2, 0.4, 0.5)[d.arm])) for d in made])
        clock.advance("3h")
        store.settle()
    exact = exp.insight[""].decision
    bodies = [each.body for each in store._records.entries(exp._id, ("release",))]
    name, chance = leader(bodies, {0: "a", 1: "b", 2: "c"}, exp.terms.epsilon)
    assert name == exact.leader
    assert chance == pytest.approx(exact.chance, abs=0.1)
