"""Upper bounds with constants of our own, against regret on many random instances."""

import math

import numpy as np
import pytest
from tests.every import DEFAULT, OTHER

import hush
from hush.numerics.bound import Setting
from hush.theory.constants import sample_exponent

INSTANCES = 500


def instance(number):
    """Means, epsilon and a horizon: crowds near the best as well as means far from it."""
    rng = np.random.default_rng([16, number])
    best, n_arms = rng.uniform(0.3, 1.0), int(rng.integers(2, 9))
    gaps = best * rng.random(n_arms - 1) ** rng.choice([1.0, 4.0])
    means = [best, *(best - gaps).tolist()]
    return means, float(math.exp(rng.uniform(-3.0, 1.0))), int(10.0 ** rng.uniform(1.0, 7.0))


@pytest.mark.untraced
def test_regret_of_anytime_lazy_ucb_lies_below_its_bounds():
    """Means of 8 runs. All bounds are on the mean; a run above three times one would be rare."""
    nearest = 0.0
    for number in range(INSTANCES):
        means, epsilon, horizon = instance(number)
        policy, env = hush.AnytimeLazyUCB(epsilon), hush.Bernoulli(means)
        result = hush.simulate(
            policy, env, horizon=horizon, runs=8, seed=number, progress=False, workers=1
        )
        regret, report = result.regret[0, :, -1].mean(), hush.bounds(policy, env, horizon)
        for name in ("epochs", "gaps, closed form", "any gaps, closed form"):
            assert regret <= report[name].value, (number, name)
        assert report["epochs"].value <= report["samples"].value
        if report["epochs"].value < 0.1 * horizon * min(max(means) - each for each in means[1:]):
            nearest = max(nearest, regret / report["epochs"].value)
    assert nearest > 0.45  # far from the horizon, too: less than half of it would not hold


def test_a_gap_within_rounding_ends_no_search():
    bound = next(
        bound
        for bound in hush.AnytimeLazyUCB(0.5).bounds(Setting((5e-324, 0.0), 1000, 0.5))
        if bound.name == "epochs"
    )
    assert bound.value == pytest.approx(0.0, abs=1e-300)


def test_the_bound_is_what_it_says():
    report = hush.bounds(hush.AnytimeLazyUCB(0.5), hush.Bernoulli([0.9, 0.4]), 1000)
    logarithm, pulls = math.log(1000), 2**10
    widths = [math.sqrt(3 * logarithm / n) + 6 * logarithm / n for n in (pulls, pulls / 2)]
    assert widths[0] < 0.25 <= widths[1]
    assert report["epochs"].value == 0.5 * 1000  # 2^11 pulls are more than there are rounds
    later = hush.bounds(hush.AnytimeLazyUCB(0.5), hush.Bernoulli([0.9, 0.4]), 10**4)
    assert later["epochs"].value == 0.5 * 2**11
    assert later["gaps, closed form"].value == pytest.approx(48 * math.log(10**4) * 4)
    for epsilon, wanted in ((0.25, 13_312), (0.5, 9_728), (1.0, 8_704)):
        found = hush.bounds(hush.AnytimeLazyUCB(epsilon), hush.paper_s1(), 10**6)
        assert found["epochs"].value == wanted


@pytest.mark.parametrize("means", [[1e-200, 0.0], [5e-324, 0.0], [0.5, 5e-324, 0.0], [1.0, 1e-300]])
def test_gaps_whose_squares_are_below_the_smallest_double(means):
    """No horizon shows them; arms that differ by less than 1e-100 count as equally good."""
    for policy in [*DEFAULT, *OTHER]:
        for horizon in (1, 2, 10**18):
            report = hush.bounds(policy, hush.Bernoulli(means), horizon)
            assert all(np.isfinite(bound.value) for bound in report)
            assert 0.0 <= report.lower <= report.upper
    assert sample_exponent(1e-200, 1.0, 1000, 24.0) == 1337
