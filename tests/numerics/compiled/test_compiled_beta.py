"""Winner probabilities of Beta draws, against adaptive quadrature and closed forms."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special, stats
from tests import every

from hush.numerics.compiled.beta import win_chances
from hush.numerics.compiled.beta_panels import MOST_PANELS, make_grid


def chances(center, count, last=None, at=None):
    center, count = np.array(center, dtype=float), np.array(count, dtype=float)
    last = center if last is None else np.array(last, dtype=float)
    grid = make_grid(center, last, count, MOST_PANELS)
    assert grid.halves.size > 0
    chance = np.empty(center.size)
    win_chances(grid, center if at is None else np.array(at, dtype=float), count, chance)
    return chance


def by_quadrature(center, count, arm):
    """Adaptive quadrature of scipy, in pieces around every law."""
    laws = [stats.beta(a * n + 1, (1 - a) * n + 1) for a, n in zip(center, count, strict=True)]
    marks = sorted(
        {
            min(1.0, max(0.0, law.mean() + k * law.std()))
            for law in laws
            for k in (-20, -9, -6, -4, -2, 0, 2, 4, 6, 9, 20)
        }
        | {0.0, 1.0}
    )

    def integrand(x):
        value = laws[arm].pdf(x)
        for i, law in enumerate(laws):
            if i != arm:
                value *= special.betainc(law.args[0], law.args[1], x)
        return value

    return sum(
        integrate.quad(integrand, a, b, epsabs=0, epsrel=1e-11, limit=200)[0]
        for a, b in itertools.pairwise(marks)
    )


@pytest.mark.untraced
@pytest.mark.parametrize(
    "regime", every.sampled(["mixed", "unclipped", "clipped", "nearly clipped"], 4)
)
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
def test_random_states_agree_with_quadrature(regime):
    generator = np.random.default_rng(len(regime))
    for _ in range(6):
        n_arms = int(generator.integers(2, 7))
        count = 2.0 ** generator.integers(0, 15, n_arms)
        center = generator.random(n_arms)
        if regime == "clipped":
            center[:] = 1.0
        elif regime == "mixed":
            center[::2] = generator.choice([0.0, 1.0])
        elif regime == "nearly clipped":
            center = np.maximum(0.0, 1.0 - generator.random(n_arms) * 3.0 / count)
        found = chances(center, count)
        assert found.sum() == pytest.approx(1.0, abs=1e-10)
        for arm in range(n_arms):
            wanted = by_quadrature(center, count, arm)
            if wanted > 1e-15:
                assert found[arm] == pytest.approx(wanted, rel=1e-8), (center, count, arm)


def test_all_clipped_is_in_proportion():
    count = np.array([1.0, 4.0, 16.0, 1024.0])
    assert chances(np.ones(4), count) == pytest.approx((count + 1) / (count + 1).sum(), rel=1e-12)


def test_two_uniforms_and_a_certain_winner():
    assert chances([0.5, 0.5], [0.0, 0.0]) == pytest.approx([0.5, 0.5], rel=1e-12)
    assert chances([0.1, 0.9], [1e6, 1e6])[1] == pytest.approx(1.0)
    assert chances([0.1, 0.9], [1e6, 1e6])[0] == 0.0


@pytest.mark.parametrize("count", [2.0**24, 2.0**36, 2.0**49])
def test_huge_counts_approach_the_normal_law(count):
    """Two arms one standard deviation apart: P = Phi(1 / sqrt 2), up to a skewness of 1/sqrt(n)."""
    deviation = math.sqrt(0.25 / count)
    found = chances([0.5, 0.5 + deviation], [count, count])
    assert found[1] == pytest.approx(
        stats.norm.cdf(1 / math.sqrt(2)), abs=3 / math.sqrt(count) + 1e-8
    )
    assert found.sum() == pytest.approx(1.0, abs=1e-9)


def test_small_chances_are_as_precise_as_large_ones():
    """Two opposite laws, X ~ Beta(1, n+1) and Y ~ Beta(n+1, 1), have a closed form."""
    for n in (4, 10, 20):
        # P(X > Y) is the integral of (n+1) y^n (1-y)^(n+1).
        wanted = (n + 1) * special.beta(n + 1, n + 2)
        assert chances([0.0, 1.0], [n, n])[0] == pytest.approx(wanted, rel=1e-9)


def test_a_grid_for_a_moving_window_serves_both_ends():
    center, last, count = [0.5, 0.45, 0.9], [0.55, 0.5, 1.0], [512.0, 1024.0, 16.0]
    for at in (center, last):
        assert chances(center, count, last, at) == pytest.approx(chances(at, count), rel=1e-8)


def test_laws_far_below_and_of_unlike_widths_move_without_overflow():
    center, count = np.array([0.6, 0.1, 0.55]), np.array([1e6, 1e6, 16.0])
    last = center + np.array([1e-3, 1e-3, 0.2])
    for at in (center, last):
        found = chances(center, count, last, at)
        assert found == pytest.approx(chances(at, count), rel=1e-8)
        assert found[1] == 0.0


@pytest.mark.parametrize("room", [1, 2, 3, 40])
def test_a_grid_without_room_says_so(room):
    """Nothing is written past the end: numba would not notice."""
    center, count = np.array([0.2, 0.9999]), np.array([1e6, 3.0])
    panels = make_grid(center, center, count, MOST_PANELS).halves.size
    assert make_grid(center, center, count, panels + 1).halves.size == panels
    if room <= panels:
        assert make_grid(center, center, count, room).halves.size == 0


def test_many_laws_that_begin_one_after_the_other_share_panels():
    """Against a fine sum over log-odds, which for such laws is as good as exact."""
    generator = np.random.default_rng(4)
    count = 2.0 ** generator.integers(5, 11, 300)
    center = np.clip(generator.normal(0.6, 0.1, 300) + 20.0 / count, 0.0, 1.0)
    panels = make_grid(center, center, count, MOST_PANELS).halves.size
    assert panels < 50
    y = np.linspace(-6.0, 50.0, 5_601)[:, None]
    up, down = center * count + 1.0, (1.0 - center) * count + 1.0
    log_density = (
        up * special.log_expit(y) + down * special.log_expit(-y) - special.betaln(up, down)
    )
    log_below = np.log(np.maximum(special.betainc(up, down, special.expit(y)), 1e-300))
    log_others = log_below.sum(axis=1, keepdims=True) - log_below
    exact = np.exp(log_density + log_others).sum(axis=0) * 1e-2
    found = chances(center, count)
    seen = exact > 1e-15
    assert seen.sum() > 50
    np.testing.assert_allclose(found[seen], exact[seen], rtol=1e-5)
    np.testing.assert_allclose(found, exact, rtol=1e-8, atol=1e-13)
