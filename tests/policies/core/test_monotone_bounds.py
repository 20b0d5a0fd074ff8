"""The bound for sums of coins: above exact regret, near it, and as the proof says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.every import sampled

import hush
from hush.numerics.bound import Setting
from hush.numerics.noisy_sums import win_chances
from hush.policies.core.monotone_bounds import _ahead, _level, monotone_bound
from hush.theory import exact_regret

S1 = hush.Bernoulli([0.25, 0.375, 0.5, 0.625, 0.75])
POLICIES = [
    hush.WuWang(0.3),
    hush.WuWang(0.3, noise="gumbel"),
    hush.RNMFTNL(2.0),
    hush.RNMFTNL(0.5, growth=1.5),
    hush.RNMFTNL.as_printed(0.1),
    hush.NaiveFTNL(1.0),
]


@pytest.mark.untraced
@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize(
    "env", sampled([S1, hush.packing(40, 0.05), hush.doubling_gaps(8, 2**-8)], 3)
)
def test_exact_regret_is_below_it_and_not_far(policy, env):
    exact = exact_regret(policy, env, 2**30, checkpoints=[1, 2, 10, 100, 1000, 10**5])
    setting = [Setting(tuple(env.means), point, 1.0) for point in exact.checkpoints.tolist()]
    found = np.array([monotone_bound(policy, each).value for each in setting])
    assert (exact.regret <= found * (1 + 1e-9)).all()
    assert found[-1] < 5 * exact.regret[-1]


@pytest.mark.parametrize("law", ["laplace", "gumbel", "exponential"])
@pytest.mark.parametrize("count", [1, 8, 100])
def test_a_better_action_is_likelier_and_none_beyond_chernoff(law, count):
    means = np.array([0.9, 0.85, 0.6, 0.6, 0.3, 0.0])
    chances = win_chances(means, count, law, 3.0)
    assert (np.diff(chances) <= 1e-9).all()
    assert (chances <= 1.0 / np.arange(1, 7) + 1e-9).all()
    assert (chances <= _ahead(0.9, 0.9 - means, count, law, 3.0) + 1e-9).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.lists(st.floats(0, 1), min_size=7))
def test_the_level_solves_the_linear_program(caps, gaps):
    """The worst chances that fall with the gap, stay below their caps, and add up to 1."""
    caps = np.array([1.0, *sorted(caps, reverse=True)])
    gaps = np.array([0.0, *sorted(gaps[: caps.size - 1])])
    sizes = np.ones(caps.size, dtype=np.int64)
    value = float(gaps @ np.minimum(caps, _level(sizes, caps)))
    falls = np.eye(caps.size, k=1)[:-1] - np.eye(caps.size)[:-1]
    best = linprog(
        -gaps,
        A_ub=np.vstack([falls, sizes]),
        b_ub=np.append(np.zeros(caps.size - 1), 1.0),
        bounds=list(zip(np.zeros(caps.size), caps, strict=True)),
    )
    assert value == pytest.approx(-best.fun, abs=1e-7)


@pytest.mark.parametrize("gap", [0.2, 0.01])
def test_it_grows_no_faster_than_wu_and_wangs_rate(gap):
    """Over the number of actions, where epsilon is small and where it is not."""
    for epsilon in (0.01, 1.0):
        ratios = []
        for n_arms in (4, 64, 1024):
            env = hush.packing(n_arms, gap)
            policy, setting = hush.WuWang(epsilon), Setting(tuple(env.means), 2**50, epsilon)
            rate = next(policy.bounds(setting)).value
            ratios.append(monotone_bound(policy, setting).value / rate)
        assert max(ratios) == ratios[0] < 12.0


@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
def test_it_is_finite_at_the_ends(epsilon):
    env = hush.Bernoulli([1.0, 0.0, 0.0, 1.0, 1.0 - 1e-9])
    value = monotone_bound(hush.WuWang(epsilon), Setting(tuple(env.means), 10**12, epsilon)).value
    assert 0.0 < value < 10**12
    assert monotone_bound(hush.WuWang(1.0), Setting((0.5, 0.5), 10**6, 1.0)).value == 0.0


def test_the_figure_of_the_page():
    setting = Setting(tuple(S1.means), 2**20, 1.0)
    assert monotone_bound(hush.WuWang(1.0), setting).value == pytest.approx(43.4, abs=0.05)
