"""Windows of the Thompson engine: interpolated chances, bounds, and the law of whole runs."""

from pathlib import Path

import numpy as np
import pytest
from scipy import special
from scipy.special import polygamma
from scipy.stats import ks_2samp, ttest_ind
from tests.numerics.compiled.test_compiled_beta import chances

import hush
from hush import Bernoulli, LazyDPTS
from hush.simulation.engines.rules import rule_pointer
from hush.simulation.kernels.arms import Arms
from hush.simulation.kernels.thompson_margins import MOST_POINTS, movement
from hush.simulation.kernels.thompson_parts import new_parts, next_part, open_parts
from hush.simulation.kernels.thompson_windows import (
    blank_window,
    chance_at,
    fit_window,
    polynomial,
    smooth_rounds,
)

numba = pytest.importorskip("numba")


@numba.njit
def smooth(rule, parameters, mean, count, start, rounds):
    return smooth_rounds(rule, parameters.ctypes, mean, count, start, rounds)


@numba.njit
def fit(rule, parameters, arms, start, rounds, needed, coefficients):
    blank = blank_window()
    return fit_window(rule, parameters.ctypes, arms, start, rounds, needed, coefficients, blank)


@numba.njit
def moves(rule, parameters, mean, count, start, end):
    left, right = np.log(start), np.log(end)
    return movement(rule, parameters.ctypes, mean, count, left, right, np.empty(mean.size))


@numba.njit
def value(coefficients, points, u):
    return polynomial(coefficients.reshape(1, -1), 0, points, u)


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


ENDLESS = np.full(10, 2**60)


def arms_of(mean, count):
    """Arms of which this is known; the rest does not matter."""
    whole = np.ones(mean.size, dtype=np.int64)
    return Arms(count, mean * count, mean, whole, whole, whole, whole)


def windows(generator, regime, many, soon=False, of=LazyDPTS):
    """Yield random windows: the centres and counts at a time, polynomials, and where that is.

    Until so many rounds are played that centres start or stop being clipped, or move too far;
    where it is to end ``soon``, for as long as arms need to double their counts.
    """
    for _ in range(many):
        epsilon, mean, count, start = states(generator, regime)
        policy = of(epsilon)
        rule, parameters = rule_pointer(policy.center), policy._parameter_array(2)
        rounds = smooth(rule, parameters, mean, count, start, int(2 * start))
        if rounds < 80:  # rounds are played one by one
            continue
        coefficients = np.zeros((mean.size, MOST_POINTS))
        needed = count.astype(np.int64) if soon else ENDLESS[: mean.size]
        window = fit(rule, parameters, arms_of(mean, count), start, rounds, needed, coefficients)
        left, right = np.log(start), np.log(start + window.rounds - 1)

        def center(u, policy=policy, state=(mean, count), at=(left, right), given=parameters):
            t = np.exp(0.5 * (at[0] + at[1]) + 0.5 * (at[1] - at[0]) * u)
            return policy.center(*state, t, given)

        if window.points:
            yield center, count, coefficients, window


def place(window, t):
    """Where a round is, on [-1, 1]."""
    left, right = np.log(window.start), np.log(window.start + window.rounds - 1)
    return 2.0 * (np.log(t) - left) / (right - left) - 1.0


def used(coefficients, window, t):
    """Every arm's chance, as rounds that are looked at have it in the end."""
    if window.margin > 0.0:
        return np.array([chance_at(window, arm, t) for arm in range(len(coefficients))])
    u = place(window, t)
    return np.array([np.exp(value(each, window.points, u)) for each in coefficients])


@pytest.mark.untraced
@pytest.mark.parametrize("regime", ["clipped", "unclipped", "mixed"])
@pytest.mark.parametrize("soon", [False, True])
def test_windows_know_every_chance_and_parts_bound_it(regime, soon):
    """Polynomials are as good as the integrals that they go through, or lie within the margin."""
    generator = np.random.default_rng(len(regime))
    seen, rounds = 0, 10**6  # of which every part is one of the window's
    for center, count, coefficients, window in windows(generator, regime, 40, soon):
        parts = new_parts(count.size)
        parts.coefficients[:] = coefficients
        done = int(np.exp(generator.uniform(5, 20)))
        part, laid = open_parts(parts, window._replace(rounds=rounds), done), 0
        while part.end < done + rounds:
            before, part, laid = part, next_part(parts, part), laid + 1
            assert before.end < part.end <= done + rounds
            for u in generator.uniform(before.edge, part.edge, 3 if laid < 5 else 0):
                wanted = chances(center(u), count)
                for arm in np.flatnonzero(wanted > 1e-15):
                    found = np.exp(value(coefficients[arm], window.points, u))
                    precise = 2e-7 * (1 + wanted[arm] ** -0.25)
                    if window.margin == 0.0:
                        assert found == pytest.approx(wanted[arm], rel=precise)
                    off = abs(np.log(found / wanted[arm]))
                    assert off < window.margin + precise
                    if window.points > 2 and window.margin > 0.0:  # with room to spare
                        assert off < 0.5 * window.margin + precise
                    if arm != part.leader:
                        assert parts.low[arm] * (1 - 1e-12) <= found
                        assert found <= (parts.low[arm] + parts.spread[arm]) * (1 + 1e-12)
                        assert parts.low[arm] * (1 - precise) <= wanted[arm]
                        high = parts.low[arm] + parts.spread[arm]
                        assert wanted[arm] <= high * (1 + precise)
                    seen += 1
            assert 0.0 <= part.rest < 1.0
            assert parts.low.sum() + part.rest == pytest.approx(1.0, abs=1e-7)
    assert seen > 300


# What docs/leap.md says of chances down to a size: the relative error that they may have.
PRECISION = ((1e-3, 2e-8), (1e-6, 5e-7), (1e-9, 1e-4), (1e-12, 1e-2))
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def integrals(center, count):
    """Every arm's chance by a Gauss rule on pieces of a standard deviation, to 40 of them."""
    a, b = (center * count + 1.0)[:, None], ((1.0 - center) * count + 1.0)[:, None]
    spread = np.sqrt(a * b / (a + b + 1.0)) / (a + b)
    marks = np.unique(np.clip(a / (a + b) + spread * np.arange(-40, 41), 0.0, 1.0))
    half = 0.5 * np.diff(marks, prepend=0.0, append=1.0)[:, None]
    x = (np.append(0.0, marks)[:, None] + half + half * NODES).ravel()
    below = np.log(np.maximum(special.betainc(a, b, x), 1e-300))
    density = special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b)
    return np.exp(density + below.sum(axis=0) - below) @ (half * WEIGHTS).ravel()


def errors(regime, many, seed, **which):
    """Return chances, and how far off the windows' own are."""
    generator = np.random.default_rng(seed)
    found = []
    for center, count, coefficients, window in windows(generator, regime, many, **which):
        for t in generator.integers(window.start, window.start + window.rounds, 2):
            wanted = integrals(center(place(window, t)), count)
            if abs(wanted.sum() - 1.0) < 1e-11:  # else the rule is not good enough
                own = used(coefficients, window, t)
                found += zip(wanted, np.abs(own - wanted), strict=True)
    return np.array(found).T


@pytest.mark.parametrize("regime", ["clipped", "unclipped", "mixed"])
@pytest.mark.parametrize("many", [20, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("soon", [False, True])
def test_chances_are_as_precise_as_the_page_says(regime, many, soon):
    as_precise_as_the_page_says(*errors(regime, many, len(regime) + many, soon=soon), many)


def as_precise_as_the_page_says(wanted, error, many):
    assert wanted.size > many
    assert error.max() < 2e-8
    for least, most in PRECISION:
        large = wanted > least
        assert (error[large] / wanted[large]).max() < most, least


class Uneven(LazyDPTS):
    """Centres that do not move evenly in ln t."""

    @staticmethod
    def center(mean, count, t, parameters):
        raised = mean + 0.02 * np.log(t) ** 2.0 / (parameters[0] * count)
        return np.minimum(1.0, np.maximum(0.0, raised))


@pytest.mark.parametrize("regime", ["unclipped", "mixed"])
@pytest.mark.parametrize("many", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_rules_that_move_unevenly_are_as_precise(regime, many):
    as_precise_as_the_page_says(*errors(regime, many, len(regime) + many, of=Uneven), many)


def test_even_movement_is_told_from_other():
    mean, count, start = np.array([0.3, 0.5]), np.array([64.0, 4096.0]), 10_000.0
    for of, even in ((LazyDPTS, True), (Uneven, False)):
        policy = of(1.0)
        rule, parameters = rule_pointer(policy.center), policy._parameter_array(2)
        half = moves(rule, parameters, mean, count, start, 2.0 * start)
        assert (half > 0.0) == even
        if even:  # by half of 3 ln 2, and what the logits' deviations are
            a = policy.center(mean, count, 2.0 * start, parameters) * count + 1.0
            b = count + 2.0 - a
            law = polygamma(1, a) + polygamma(1, b)
            assert half == pytest.approx(1.5 * np.log(2.0) * np.sqrt(law.sum()), rel=0.05)


def test_the_page_says_so():
    page = (Path(__file__).parents[3] / "docs" / "leap.md").read_text(encoding="utf-8")
    for least, most in PRECISION:
        assert f"| {least:.0e} | {most:.0e} |".replace("e-0", "e-") in page


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
