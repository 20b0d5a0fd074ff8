import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.dashboard.leaders import chances, leader

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


def arm(name, count, total, retired=False):
    return {"name": name, "count": count, "noisy_sum": total, "retired": retired}


def test_nobody_leads_before_a_release():
    plan = {"": {"arms": [arm("a", 0, 0.0), arm("b", 0, 0.0)]}}
    assert leader(plan, 0, 1.0) is None


def test_more_noise_means_less_certainty():
    plan = {"": {"arms": [arm("a", 50, 10.0), arm("b", 50, 25.0)]}}
    sure = [leader(plan, 8, epsilon)[1] for epsilon in (0.1, 0.5, 2.0)]
    assert sure == sorted(sure)
    assert sure[0] < 0.75
    assert sure[-1] > 0.98


def test_retired_arms_do_not_lead_and_the_largest_segment_counts():
    small = {"arms": [arm("a", 1, 1.0), arm("b", 1, 0.0)]}
    large = {"arms": [arm("a", 100, 5.0), arm("b", 100, 90.0, True), arm("c", 100, 50.0)]}
    assert leader({"de": small, "fr": large}, 20, 1.0)[0] == "c"
