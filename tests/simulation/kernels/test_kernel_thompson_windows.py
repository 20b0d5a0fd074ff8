"""Windows of the Thompson engine: interpolated chances, bounds, and the law of whole runs."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, ttest_ind
from tests.numerics.compiled.test_compiled_beta import chances

import hush
from hush import Bernoulli, LazyDPTS
from hush.numerics.compiled.beta import MOST_PANELS
from hush.simulation.engines.rules import rule_pointer
from hush.simulation.kernels.thompson_windows import (
    MOST_POINTS,
    PARTS,
    bound_chances,
    fit_window,
    polynomial,
    smooth_rounds,
)

numba = pytest.importorskip("numba")


@numba.njit
def smooth(rule, parameters, mean, count, start, rounds):
    return smooth_rounds(rule, parameters.ctypes, mean, count, start, rounds)


@numba.njit
def fit(rule, parameters, mean, count, start, rounds, edges, coefficients):
    return fit_window(rule, parameters.ctypes, mean, count, start, rounds, edges, coefficients)


@numba.njit
def bounds(coefficients, points, part, bound):
    return bound_chances(coefficients, points, part, bound)


@numba.njit
def value(coefficients, points, u):
    return polynomial(coefficients, points, u)


def states(generator, regime):
    """Random released statistics and a time, for one regime of clipping."""
    n_arms = int(generator.integers(2, 7))
    epsilon = float(generator.choice([0.25, 0.5, 1.0, 3.0]))
    start = int(np.exp(generator.uniform(np.log(500), np.log(1e11))))
    bonus = 3.0 * np.log(start) / epsilon
    if regime == "clipped":
        count = 2.0 ** generator.integers(0, max(1, int(np.log2(bonus))), n_arms)
    elif regime == "unclipped":
        count = (
            2.0 ** np.clip(np.log2(4 * bonus) + generator.integers(0, 12, n_arms), 0, 36).round()
        )
    else:
        count = 2.0 ** np.clip(np.log2(bonus) + generator.integers(-3, 6, n_arms), 0, 30).round()
    means = generator.uniform(0.2, 0.6, n_arms)
    mean = means + (generator.normal(0, 0.5, n_arms) / np.sqrt(count)) * (regime != "clipped")
    return epsilon, mean, count, start


@pytest.mark.parametrize("regime", ["clipped", "unclipped", "mixed"])
def test_windows_know_every_chance_and_bound_it(regime):
    generator = np.random.default_rng(len(regime))
    seen = 0
    for _ in range(40):
        epsilon, mean, count, start = states(generator, regime)
        policy = LazyDPTS(epsilon)
        rule, parameters = rule_pointer(policy.center), policy._parameter_array(2)
        rounds = smooth(rule, parameters, mean, count, start, int(2 * start))
        coefficients = np.zeros((mean.size, MOST_POINTS))
        points, rounds = fit(
            rule, parameters, mean, count, start, rounds, np.empty(MOST_PANELS), coefficients
        )
        if not points:
            continue
        left, right = np.log(start), np.log(start + rounds - 1)
        for part in generator.integers(0, PARTS, 3).tolist():
            bound = np.zeros(mean.size)
            bounds(coefficients, points, part, bound)
            for inside in generator.random(3):
                u = 2.0 * (part + inside) / PARTS - 1.0
                t = np.exp(0.5 * (left + right) + 0.5 * (right - left) * u)
                wanted = chances(policy.center(mean, count, t, parameters), count)
                for arm in np.flatnonzero(wanted > 1e-15):
                    found = np.exp(value(coefficients[arm], points, u))
                    assert found == pytest.approx(wanted[arm], rel=1e-7)
                    assert found <= bound[arm] * (1 + 1e-12)
                    seen += 1
    assert seen > 300


def test_a_window_ends_where_clipping_starts():
    policy = LazyDPTS(1.0)
    mean, count = np.array([0.3, 0.5]), np.array([64.0, 4096.0])
    rule, parameters = rule_pointer(policy.center), policy._parameter_array(2)
    start = 2_000_000  # the first arm's centre reaches 1 at exp(0.7 * 64 / 3), about 3.05 million
    rounds = smooth(rule, parameters, mean, count, start, 3_000_000)
    last = policy.center(mean, count, float(start + rounds - 1), parameters)
    following = policy.center(mean, count, float(start + rounds), parameters)
    assert last[0] < 1.0
    assert following[0] == 1.0


CASES = {
    "clipped": (Bernoulli([0.6, 0.5, 0.4]), 0.1),
    "mixed": (Bernoulli([0.75, 0.625, 0.5, 0.375, 0.25]), 0.5),
    "unclipped": (Bernoulli([0.7, 0.4]), 3.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_both_engines_have_the_same_law(case):
    """20,000 runs of each at 10^4 rounds; every test has a false-alarm rate of 1e-6.

    That many runs show a shift of 2 % in mean regret with near certainty, which is checked.
    """
    env, epsilon = CASES[case]
    leap, rounds = (
        hush.simulate(
            LazyDPTS(epsilon),
            env,
            horizon=10**4,
            runs=20_000,
            seed=3,
            engine=engine,
            checkpoints=[1000],
        )
        for engine in ("leap", "rounds")
    )
    for position in range(2):
        one, other = leap.regret[0, :, position], rounds.regret[0, :, position]
        assert ttest_ind(one, other).pvalue > 1e-6
        assert ks_2samp(one, other).pvalue > 1e-6
        assert ttest_ind(1.02 * one, other).pvalue < 1e-6
        for arm in range(env.n_arms):
            one, other = (each.pulls[0, :, position, arm] for each in (leap, rounds))
            assert ks_2samp(one, other).pvalue > 1e-6
